"""Known mistakes: what each would compute, and what is said of it."""
