"""Questions as data: their kinds, and what is right."""
