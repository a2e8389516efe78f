"""Experiments of the lessons: scores divided or not."""
