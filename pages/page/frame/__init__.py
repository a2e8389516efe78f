"""What stands around a step."""
