"""The words of the field, each in one line. A lesson explains a term where it is first met."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from markupsafe import Markup


class Term(NamedTuple):
    """A term, its other names, what it means, and the lesson and step that show it."""

    name: str
    also: str
    meaning: str
    lesson: str
    step: str


GLOSSARY = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
LABELS = Path(__file__).with_name("labels.txt").read_text(encoding="utf-8")


def terms_in(glossary: str) -> Iterator[Term]:
    """Yield terms of two lines each: the name, other names in brackets, `lesson/step`; and the meaning."""
    lines = glossary.strip().splitlines()
    for head, meaning in zip(lines[::2], lines[1::2], strict=True):
        names, _, place = head.rpartition(" ")
        name, _, also = names.partition(" (")
        yield Term(name, also.removesuffix(")"), meaning, *place.strip("`").split("/"))


TERMS = tuple(terms_in(GLOSSARY))
NUMBER, AND_MORE, PLACE = (re.compile(part) for part in (r"[−-]?\d[\d.,]*", ":| of ", "[₀-₉]+"))


def bare(label: str) -> str:
    """Return a label as it is looked up, as `labels.js` does: “clock 2 ↓” is clock #, ÷ √dₖ is ÷ √dk, k₂ is kn."""
    return NUMBER.sub("#", normalize("NFKC", PLACE.sub("ₙ", label)).replace("_", "")).strip(" :×↑→↓").lower()


MEANINGS = {bare(term.name): term.meaning.replace("d_k", "dₖ") for term in TERMS} | {
    bare(label): meaning.replace("d_k", "dₖ")
    for label, _, meaning in (line.partition(": ") for line in LABELS.strip().splitlines())
}


def meaning(label: str) -> str | None:
    """Return what a label of a picture means, with its number or without; None where it is plain English."""
    name = bare(label)
    return MEANINGS.get(name) or MEANINGS.get(AND_MORE.split(name)[0].rstrip(" #"))


# The terms by their names, and by other names of several words: a name inside of a longer one is not said.
NAMED: dict[str, Term | None] = {
    name.lower(): term
    for term in TERMS
    for name in (term.name, *(also for also in term.also.split(", ") if " " in also))
} | {"output of every": None, "output of each": None}  # of parts of a model, which need not be attention
SAID = re.compile(  # not inside of code, or of a name in braces
    rf"(?<![\w`{{:-])({'|'.join(map(re.escape, sorted(NAMED, key=len, reverse=True)))})(?:e?s)?(?![\w`}}-])",
    re.IGNORECASE,
)


def term_of(match: re.Match[str]) -> Term | None:
    """Return the term that a text says in one place, or None where it says something longer or code."""
    in_code = match.string.count("`", 0, match.start()) % 2 == 1
    return None if in_code else NAMED[match[1].lower()]


@cache
def introduce(text: str, before: Sequence[str]) -> str:
    """Return a text in which each term that no text before it said is marked: [[term]]."""
    said = {term_of(match) for earlier in before for match in SAID.finditer(earlier)} | {None}

    def marked(match: re.Match[str]) -> str:
        if (term := term_of(match)) in said:
            return match[0]
        said.add(term)
        return f"[[{match[0]}]]"

    return SAID.sub(marked, text)


def explained(match: re.Match[str]) -> str:
    """Return a marked term with its meaning, which is shown under the pointer, and with the keyboard's focus."""
    said = SAID.fullmatch(match[1])
    term = said and term_of(said)
    if said is None or term is None:  # brackets of something else
        return match[0]
    others = [name for name in (term.name, *term.also.split(", ")) if name and name.lower() != said[1].lower()]
    meaning = f"Also called {', '.join(others)}. {term.meaning}" if others else term.meaning
    upright = "font-style:normal"  # said here, as italics would fetch a font before the style sheet is there
    dfn = Markup('<dfn tabindex="0" style="{}">{}<span role="tooltip">{}</span></dfn>')
    return str(dfn.format(upright, Markup(match[1]), meaning))  # noqa: S704  escaped by `inline`
