"""Plans that ship with the course: each lesson in twenty minutes, with what a teacher may say and ask."""

from pathlib import Path

from pages.links.address import address

READY: dict[str, str] = {}  # as a link could say them, a view a line, by the word that a link has for each
for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
    lesson, step, minutes, title, note = line.split(" | ")
    words = {f"{lesson}_step": step, "title": title, "minutes": minutes, "note": note}
    READY[f"teach-{lesson}"] = "\n".join(filter(None, (READY.get(f"teach-{lesson}"), address(lesson, words))))
