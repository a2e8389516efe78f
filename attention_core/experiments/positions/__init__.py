"""Experiments of the lessons: where a word stands."""
