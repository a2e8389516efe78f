"""The exercises and tasks of each lesson, one file a lesson."""
