"""What a class keeps for its teacher alone: the plan, the slide, orders to a projector, and questions with answers.

No page of a student reads these two shelves.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from pages.class_room.room import number, read
from pages.look.html import as_plain_text
from pages.questions.kinds import Cell, Choice, Mistake, Number, Question

DESK, ASKED = "desk", "asked"
SLIDE, ORDER, BEGUN, SIGN, PLAN = "slide", "order", "begun", "sign", "plan"  # on the first
PIECE, PIECES = 5000, tuple(f"{PLAN}{i}" for i in range(3))  # characters of a plan that are one text, and their names
LONGEST = 12 * 3600  # seconds of a lecture
BLACK, CODE, WALL, NOTHING = "black", "code", "wall", ""  # what a projector shows over its slide
KINDS: dict[str, Any] = {kind.__name__: kind for kind in (Choice, Number, Cell)}


class Desk(NamedTuple):
    """How a lecture stands."""

    slide: int = 0
    since: float = 0.0
    told: bool = False  # by a console, and not by the projector itself
    order: str = NOTHING  # the last one to a projector
    given: float = 0.0
    begun: float = 0.0
    signed: float = 0.0  # by a console
    plan: str = ""

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> "Desk":
        slide, since, told = json.loads(texts.get(SLIDE) or "[0, 0, false]")
        order, given = json.loads(texts.get(ORDER) or '["", 0]')
        begun, signed = (number(texts.get(name, "")) for name in (BEGUN, SIGN))
        return cls(slide, since, told, order, given, begun, signed, "".join(texts.get(name, "") for name in PIECES))


def written(question: Question, step: str, varies: bool) -> str:
    """Return a question, its step and whether it varies as a text for the store, without markup and pictures."""
    fields = question._replace(pictures=()) if isinstance(question, Choice) else question
    return json.dumps([type(question).__name__, step, bare(fields), varies], ensure_ascii=False, default=float)


def bare(part: Any) -> Any:
    if isinstance(part, str):
        return as_plain_text(part)[:500]
    return [*map(bare, part)] if isinstance(part, tuple) else part


def question_in(text: str) -> tuple[Question, str, bool] | None:
    """Return a question that the store kept, the step that asks it, and whether it has another variant."""
    match read(text):
        case [("Choice" | "Number" | "Cell") as kind, str() as step, list() as fields, bool() as varies]:
            question = KINDS[kind](*(tuple(part) if isinstance(part, list) else part for part in fields))
            if isinstance(question, Number):
                question = question._replace(mistakes=tuple(Mistake(*one) for one in question.mistakes))
            return question, step, varies
    return None
