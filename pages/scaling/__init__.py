"""What belongs to the lesson on scaling alone."""
