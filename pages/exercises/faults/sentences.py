"""What is said of each known mistake: what the program did, and what to do instead, in words and without code."""

from pathlib import Path

LINES = Path(__file__).with_name("mistakes.md").read_text(encoding="utf-8").splitlines()
MISTAKES = dict(line.removeprefix("- `").split("`: ", 1) for line in LINES if line.startswith("- "))
