"""What a lesson calls: its frame, its controls, its steps, its questions."""
