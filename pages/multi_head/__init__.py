"""What belongs to the lesson on several heads alone."""
