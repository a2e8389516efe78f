"""What belongs to the lesson on a small language model alone."""
