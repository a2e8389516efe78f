"""Experiments of the lessons: several heads."""
