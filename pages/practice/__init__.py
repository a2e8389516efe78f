"""The exercises on the page: tasks, an editor, hints, what is said of a run, and points."""
