"""Controls: what a student sets, kept in the link."""
