"""Experiments of the lessons: what a trained model does inside."""
