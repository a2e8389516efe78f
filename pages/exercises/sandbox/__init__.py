"""A program of its own, which runs what students write: the standard library and NumPy, nothing of the course."""
