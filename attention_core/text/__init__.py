"""Training texts and tasks, and their tokens as numbers and vectors."""
