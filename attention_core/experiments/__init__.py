"""What lessons change, measure and do wrong on purpose; nothing in the other rooms needs it."""
