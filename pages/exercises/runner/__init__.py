"""Processes that run programs: a few of them, those who wait, and how they are spoken to."""
