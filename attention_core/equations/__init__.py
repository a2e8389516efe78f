"""One equation per file with its gradient below it; none of them depends on the model."""
