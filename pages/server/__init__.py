"""The server process: cached models, memory, file descriptors, and priority of pages over training."""
