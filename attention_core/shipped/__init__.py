"""The models that ship, and the commands that make them."""
