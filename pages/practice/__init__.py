"""The exercises on the page: tasks, an editor, hints, feedback and points."""
