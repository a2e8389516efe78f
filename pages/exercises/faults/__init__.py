"""Known mistakes: what each computes, and the sentence that explains it."""
