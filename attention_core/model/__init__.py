"""The language model: its parameters, forward and backward pass, training, generation and files."""
