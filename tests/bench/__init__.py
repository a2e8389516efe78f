"""How fast the course and its core are: `python -m tests.bench`."""
