"""What exercises say, and the programs that they give: a file of Markdown for each lesson, beside its modules."""

from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("lessons")
CODE = "```python\n"


def section(lesson: str, text: str) -> dict[str, Any]:
    """Return the fields of an exercise that stand in one section of the file of its lesson."""
    words, *programs = text.split(CODE)
    name, head, *prompt, hints = words.strip().split("\n\n")
    title, signature, points, step = head.split(" · ")
    helped = [hint.split("\n  for: ") for hint in hints.removeprefix("- ").split("\n- ")]
    starter, solution = (program.partition("```")[0] for program in programs)
    return {
        "id": name,
        "lesson": lesson,
        "title": title,
        "signature": signature.strip("`"),
        "points": int(points.removesuffix(" points")),
        "step": step,
        "prompt": "\n\n".join(map(one_line, prompt)),
        "hints": tuple(one_line(hint) for hint, _ in helped),
        "about": tuple(one_line(mistakes) for _, mistakes in helped),
        "starter": starter,
        "solution": solution,
    }


def one_line(text: str) -> str:
    return " ".join(text.split())


def read_texts() -> dict[str, dict[str, Any]]:
    """Return the texts of all exercises by their ids."""
    files = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.md"))}
    parts = [(lesson, part) for lesson, text in files.items() for part in f"\n{text}".split("\n# ")[1:]]
    found = [section(lesson, part) for lesson, part in parts]
    return {fields["id"]: fields for fields in found}


TEXTS = read_texts()
