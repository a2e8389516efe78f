"""What a student takes home: the calls of a page, its script, its files."""
