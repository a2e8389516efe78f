"""Experiments of the lessons: a language model: tokens, losses, costs."""
