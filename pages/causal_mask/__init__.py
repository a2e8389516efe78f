"""What belongs to the lesson on masks alone."""
