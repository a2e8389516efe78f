"""Explain it back: statements with a gap, and for each way to fill it an experiment that confirms or refutes it."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeVar

from markupsafe import Markup

from pages.look.facts import change, looks_same
from pages.look.html import caption, indexed, number, prose
from pages.look.typed import words_of
from pages.page.downloads import offer_page
from pages.page.page import Page
from pages.questions.kinds import GAP, Choice

OTHER = "Your sentence does not decide each of the statements, so they are about “{}”."
BY_RANDOM = "The experiments are made with random matrices."
EXPECTED = {"falls": "fall", "rises": "rise", "stays": "stay as it is", "moves": "change"}
FOUND = {
    "falls": "falls from {before} to {after}",
    "rises": "rises from {before} to {after}",
    "stays": "stays {before}",
}
HOLDS = Markup("{done} {What} {found}.{bars}")
REFUTED = Markup("{done} If your answer were right, {what} would {expected}. But it {found}.{bars}")


Tested = TypeVar("Tested")
Expected = Literal["falls", "rises", "stays", "moves"] | float


class Experiment(NamedTuple):
    """What is done, and what becomes of a number."""

    done: str
    what: str
    before: float
    after: float
    digits: int = 2
    names: tuple[str, str] = ("first", "then")  # of the bars of the two numbers


class Statement(NamedTuple):
    """A sentence with a gap, and by the words that may fill it what their experiment must show, if they are right.

    What is expected may be a number: what the experiment then comes to. The first words are right.
    """

    name: str  # of its question
    text: str  # with {gap}
    experiments: dict[str, tuple[Expected, Experiment]]
    words: dict[str, str]  # of a student, in the text

    @property
    def right(self) -> str:
        return next(iter(self.experiments))

    @property
    def is_decided(self) -> bool:
        """Whether the experiments confirm what is right, and refute all else."""
        return all(holds(*tried) == (words == self.right) for words, tried in self.experiments.items())

    def question(self, variant: int) -> Choice:
        """Ask what fills the gap; the verdict is the experiment."""
        told = {words: tell(REFUTED, *tried) for words, tried in self.experiments.items()}
        why = tell(HOLDS, *self.experiments[self.right])
        return Choice.of(self.name, prose(self.text, gap=GAP, **self.words), self.right, why, told, variant)


Statements = list[Statement]


def statements(
    said: dict[str, Any], tried: dict[str, Experiment], words: dict[str, str], numbers: Mapping[str, float] = {}
) -> Statements:
    """Return the statements of a table, which names experiments that were tried, and numbers that they must show."""
    return [
        Statement(
            f"explain_{name}",
            one["text"],
            {gap.format(**words): (numbers.get(shows, shows), tried[how]) for gap, how, shows in one["ways"]},
            words,
        )
        for name, one in said.items()
    ]


def holds(expected: Expected, experiment: Experiment) -> bool:
    """Return whether the numbers are, as they are shown, what is expected."""
    _, _, before, after, digits, _ = experiment
    if isinstance(expected, float):
        return looks_same(expected, after, digits)
    found = change(before, after, digits)
    return found != "stays" if expected == "moves" else found == expected


def tell(text: Markup, expected: Expected, experiment: Experiment) -> Markup:
    """Return what the experiment showed, and perhaps what was expected of it."""
    done, what, before, after, digits, _ = experiment
    be = f"be {number(expected, digits)}" if isinstance(expected, float) else EXPECTED[expected]
    found = FOUND[change(before, after, digits)].format(before=number(before, digits), after=number(after, digits))
    named = {"what": caption(what), "What": caption(what[0].upper() + what[1:])}
    return text.format(done=caption(done), expected=be, found=found, bars=bars(experiment), **named)


def bars(experiment: Experiment) -> Markup:
    _, _, before, after, digits, names = experiment
    line = Markup('<span>{}</span><span><i class="{}" style="width:{:.1f}%"></i></span><span class="n">{}</span>')
    most = max(abs(before), abs(after)) or 1
    lines = [
        line.format(name, "minus" * (value < 0), 100 * abs(value) / most, number(value, digits))
        for name, value in zip(names, (before, after), strict=True)
    ]
    return Markup('<div class="meters pair">{}{}</div>').format(*lines)


def decided(make: Callable[[Tested], Statements], own: Tested, usual: Tested) -> tuple[Statements, bool]:
    """Return the statements over what is a student’s own, if it decides each of them; or else over what is usual."""
    told = make(own)
    decides = bool(told) and all(statement.is_decided for statement in told)
    return (told if decides else make(usual)), decides


def explain_sentence(page: Page, title: str, make: Callable[[list[str]], Statements], usual: str, by: str = "") -> bool:
    """Ask for an explanation of the sentence that was typed last in this lesson; say `by` what it is tested."""
    typed, _ = words_of(page.controls.last("text", usual, lambda raw: True), usual)
    told, decides = decided(make, typed, usual.split())
    return explain(page, title, told, by if decides else f"{OTHER.format(usual)} {by}".strip())


def explain(page: Page, title: str, told: Statements, note: str = "") -> bool:
    """Ask for the statements of an explanation one after another, then offer it as a page; False while one is open."""
    page.heading(indexed(title))
    if note:
        page.write(note, "note")
    for statement in told:
        if not page.ask(page.question(statement.name, statement.question)):
            return False
    line = Markup("<li>{}{}</li>")
    lines = [line.format(one.question(0).answered, tell(HOLDS, *one.experiments[one.right])) for one in told]
    whole = Markup("<ol>{}</ol>").format(Markup("").join(lines))
    offer_page("Keep your explanation as a page", indexed(title), page.controls, [whole])
    return True
