"""A separate program that runs students' code: the standard library and NumPy, nothing of the course."""
