"""From the values that a program returned to a report, and to points."""
