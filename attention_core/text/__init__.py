"""Texts and tasks that a model learns from, and their words as numbers and vectors."""
