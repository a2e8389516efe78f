"""What concerns the process, and not one page: models that are kept, memory, who waits for whom."""
