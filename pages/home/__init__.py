"""What belongs to the home page alone."""
