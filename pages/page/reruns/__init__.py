"""What runs again when a student does something."""
