"""What exercises and tasks say, and the programs that they give: a Markdown file of each lesson, beside its modules."""

from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).with_name("lessons")
CODE = "```python\n"


class TaskText(NamedTuple):
    """What a task says, and the program or expression that is right."""

    exercise: str
    text: str
    why: str
    more: str  # what is said of another wrong number, or the right expression
    wrong: tuple[str, ...]  # why each likely answer is wrong
    lines: tuple[str, ...]


def section(lesson: str, text: str) -> dict[str, Any]:
    """Return the fields of an exercise that stand in one section of the file of its lesson."""
    words, *programs = text.split(CODE)
    name, head, *prompt, hints = words.strip().split("\n\n")
    title, signature, points, step = head.split(" · ")
    helped = [hint.split("\n  for: ") for hint in items(hints)]
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


def task_text(exercise: str, text: str) -> tuple[str, TaskText]:
    """Return the name of a task, and what its section under its exercise says."""
    words, _, program = text.partition(CODE)
    name, asked, why, *more = words.strip().split("\n\n")
    other, wrong = map(one_line, more[:1]), map(one_line, items(more[1]) if more else ())
    lines = program.partition("\n```")[0].splitlines()
    return name, TaskText(exercise, one_line(asked), one_line(why), "".join(other), tuple(wrong), tuple(lines))


def items(text: str) -> list[str]:
    return text.removeprefix("- ").split("\n- ")


def one_line(text: str) -> str:
    return " ".join(text.split())


TEXTS: dict[str, dict[str, Any]] = {}  # by the ids of exercises
TASK_TEXTS: dict[str, TaskText] = {}  # by the names of tasks
for path in sorted(FOLDER.glob("*.md")):
    for part in f"\n{path.read_text(encoding='utf-8')}".split("\n# ")[1:]:
        own, *tasks = part.split("\n## ")
        name = own.split()[0]
        try:
            TEXTS[name] = section(path.stem, own)
            TASK_TEXTS.update(task_text(name, task) for task in tasks)
        except ValueError as problem:
            problem.add_note(f"in {path.name}, at # {name}")
            raise
