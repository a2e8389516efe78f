"""What belongs to the lesson on positional encoding alone."""
