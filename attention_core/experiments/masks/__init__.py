"""Experiments of the lessons: who may attend to whom."""
