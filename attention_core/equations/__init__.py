"""One equation a file, its gradient under it; none knows of a model."""
