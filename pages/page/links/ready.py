"""Plans that ship with the course: each lesson in twenty minutes."""

READY: dict[str, str] = {}
