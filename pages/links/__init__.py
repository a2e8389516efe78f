"""What a link says: the words of the course, written and read."""
