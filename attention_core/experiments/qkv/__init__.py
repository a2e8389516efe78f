"""Experiments of the lessons: one head: queries, keys, values."""
