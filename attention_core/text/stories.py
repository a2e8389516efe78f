"""Small stories in which every pronoun, name, colour and location that returns is known.

A story is a plot told about a cast: a girl and a boy, two things of different colours, locations, sometimes an animal.
The engine returns the text, and each word of it that an earlier word determines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Tokens
from attention_core.data_files import shipped_file
from attention_core.text.byte_pairs import ALPHABET, BytePairs
from attention_core.text.small_english import pick, uniform_rolls
from attention_core.text.story_words import CAST, FIRST_KIND, FREE, GIRLS, PARTNERS, PREPOSITIONS, cast_of
from attention_core.threads import one_at_a_time

PLOTS_FILE = Path(__file__).with_name("plots.txt")
PIECES_FILE = Path(__file__).with_name("pieces.txt")
FACT_KINDS = ("pronoun", "name", "speaker", "colour", "place")  # of the words that are graded
START = "\n"  # stands before each story
BEGUN_STORY = (  # told as the others are
    "Once there was a kind girl named Lily. She had a kite and a ball. The kite was red, and the ball was blue. "
    'Her best friend was Ben. "My kite is'
)
PIECES_SAY = "# The pieces that merges make, in order, in letters that stand for bytes: Ġ is the space."
PIECES_SEED, N_STORIES, N_MERGES = 10_009, 500, 1244  # of the stories that the pieces are merged in

FOR_BOY_AND_GIRL = {
    "he": ("he", "she"),
    "He": ("He", "She"),
    "him": ("him", "her"),
    "his": ("his", "her"),
    "His": ("His", "Her"),
    "girl": ("boy", "girl"),
}
SUBJECTS = {"it": ("it", "he", "she"), "It": ("It", "He", "She")}
ROLE_KINDS = dict.fromkeys("AB", "name") | dict.fromkeys("LSRT", "place")
SLOT = re.compile(r"\{(\w+)(?:\.(\w+))?([+?]?)\}")
SAID = re.compile(r"(?:said|asked|\{cried\}) $")

Part = tuple[str, ...]  # sentences of which one is told; "" leaves the part out


class Slot(NamedTuple):
    """A word of a sentence that the cast decides, or a free word."""

    role: str  # key of CAST; "" for a free word
    kind: str  # one of FACT_KINDS, "thing" for other roles, or "free"; of words that disagree with it as well
    mark: str  # "+" makes the role known, "?" is not determined
    words: Mapping[str, str]  # the word for each value of the role
    options: tuple[str, ...]  # the words among which a model has to choose
    graded: bool  # whether a model is asked for it
    mention: bool  # whether it names its role: a noun, a name or a colour


Form = tuple[str | Slot, ...]  # a sentence of a plot, or more: its texts and its slots


class Fact(NamedTuple):
    """A word that an earlier word determines, both as slices of the text."""

    kind: str  # one of FACT_KINDS
    start: int
    stop: int
    source: tuple[int, int]  # start and stop of the last mention of whom or what it is about
    options: tuple[str, ...]  # the words of its kind, with the right one


class Story(NamedTuple):
    """A story and what is known of it."""

    plot: str
    text: str
    facts: tuple[Fact, ...]


@lru_cache(maxsize=1)
def plots() -> dict[str, tuple[Part, ...]]:
    """Return the parts of each plot; the file says how they are written."""
    with shipped_file(PLOTS_FILE):
        text = re.sub(r"^#.*\n", "", PLOTS_FILE.read_text("utf-8"), flags=re.MULTILINE)
        first, *others = re.split(r"^== ", text, flags=re.MULTILINE)
        shared = dict[str, str]()
        for block in filter(None, first.strip().split("\n\n")):
            name, lines = block.strip().split("\n", 1)
            shared[name.strip("[]")] = lines
        found = {}
        for other in others:
            name, *blocks = other.strip().split("\n\n")
            full = (re.sub(r"^@(\w+)$", lambda hit: shared[hit[1]], block, flags=re.MULTILINE) for block in blocks)
            found[name] = tuple(part_of(block.splitlines()) for block in full)
    return found


def part_of(lines: list[str]) -> Part:
    """Return the sentences of a part; those below "swap X Y" are told with both roles exchanged as well."""
    sentences, at = list[str](), 0
    while at < len(lines):
        line, at = lines[at], at + 1
        if not line.startswith("swap "):
            sentences.append("" if line == "-" else line)
            continue
        roles = line.split()[1:]  # of which each two are exchanged
        exchange = {role: roles[place ^ 1] for place, role in enumerate(roles)}
        swapped = []
        while at < len(lines) and lines[at].startswith("  "):
            swapped.append(lines[at].strip())
            at += 1
        sentences += swapped
        sentences += [re.sub(r"(?<={)[A-Z]\b", lambda hit: exchange.get(hit[0], hit[0]), line) for line in swapped]  # noqa: B023
    return tuple(sentences)


@cache
def form_of(sentence: str) -> Form:
    """Return the form of a sentence of the plots."""
    for role, preposition in PREPOSITIONS.items():
        for short, word in (("at", preposition), ("At", preposition.capitalize())):
            sentence = re.sub(rf"\{{{role}\.{short}([+?]?)\}}", rf"{word} the {{{role}\1}}", sentence)
    parts: list[str | Slot] = []
    at = 0
    for found in SLOT.finditer(sentence):
        parts += [sentence[at : found.start()], slot_of(found, sentence[: found.start()])]
        at = found.end()
    return (*parts, sentence[at:])


def slot_of(found: re.Match[str], before: str) -> Slot:
    """Return the slot that a match of SLOT describes, in a sentence that starts with `before`."""
    role, field, mark = found[1], found[2], found[3]
    if role in FREE:
        free = tuple(FREE[role].split())
        return Slot("", "free", mark, dict(zip(free, free, strict=True)), free, False, False)
    if field == "c":
        colours = CAST[role + ".c"]
        return Slot(role + ".c", "colour", mark, {colour: colour for colour in colours}, colours, not mark, True)
    values, kind = CAST[role], ROLE_KINDS.get(role, "thing")
    if field in FOR_BOY_AND_GIRL:
        both = FOR_BOY_AND_GIRL[field]
        options = SUBJECTS[{"he": "it", "He": "It"}[field]] if field in ("he", "He") else both
        words = {name: both[name in GIRLS] for name in values}
        return Slot(role, "pronoun", mark, words, options, field != "girl", mark == "+")
    if field in SUBJECTS:
        return Slot(role, "pronoun", mark, dict.fromkeys(values, field), SUBJECTS[field], True, False)
    kind = "speaker" if kind == "name" and SAID.search(before) else kind
    return Slot(role, kind, mark, {value: value for value in values}, values, kind in FACT_KINDS and not mark, True)


def stories(rng: np.random.Generator) -> Iterator[Story]:
    """Yield new stories for ever."""
    rolls = uniform_rolls(rng)
    while True:
        plot = pick(rolls, tuple(plots()))
        cast = dict[str, str]()
        for role, values in cast_of(plot).items():
            taken = cast.get(PARTNERS.get(role, ""))
            cast[role] = pick(rolls, of_kind(values, taken not in FIRST_KIND) if taken else values)
        yield tell(plot, cast, rolls)


@cache
def of_kind(values: tuple[str, ...], first: bool) -> tuple[str, ...]:
    """Return those values of a role that are of the first kind, or of the other one."""
    return tuple(value for value in values if (value in FIRST_KIND) == first)


def story(seed: int) -> Story:
    """Return the story of a seed."""
    return next(stories(np.random.default_rng(seed)))


@cache
def told_forms(plot: str) -> tuple[tuple[Form | None, ...], ...]:
    """Return the forms among which each part of a plot is chosen when it is told; None leaves the part out."""
    return tuple(tuple(form_of(sentence) if sentence else None for sentence in part) for part in plots()[plot])


def tell(plot: str, cast: Mapping[str, str], rolls: Iterator[float]) -> Story:
    """Return a story about a cast; the rolls, numbers in [0, 1), choose its sentences and its free words."""
    text, facts, last = "", list[Fact](), dict[str, tuple[int, int]]()
    for forms in told_forms(plot):
        form = pick(rolls, forms)
        if form is None:
            continue
        text += " " if text else ""
        for piece in form:
            if isinstance(piece, str):
                text += piece
                continue
            word = piece.words[cast[piece.role]] if piece.role else pick(rolls, piece.options)
            span = len(text), len(text) + len(word)
            if piece.graded:
                facts.append(Fact(piece.kind, *span, last[piece.role], piece.options))
            if piece.mention:
                last[piece.role] = span
            text += word
    return Story(plot, text, tuple(facts))


@lru_cache(maxsize=1)
def told_for_pieces() -> str:
    """Return the stories whose pairs of bytes are merged into pieces, cached."""
    told = stories(np.random.default_rng(PIECES_SEED))
    return "".join(START + next(told).text for _ in range(N_STORIES))


def learn_pieces() -> BytePairs:
    """Return the pieces that byte-pair encoding learns on the stories: those of the file."""
    return BytePairs.learn(told_for_pieces(), N_MERGES)


def write_pieces(file: Path = PIECES_FILE) -> None:
    """Learn the pieces and write those that merges make, one a line, in order."""
    merged = learn_pieces().vocabulary.tokens[len(ALPHABET) :]
    file.write_text("\n".join((PIECES_SAY, *merged, "")), "utf-8")


@one_at_a_time
@lru_cache(maxsize=1)
def story_pieces() -> BytePairs:
    """Return the pieces of the stories from their file, cached."""
    with shipped_file(PIECES_FILE):
        _, *merged = PIECES_FILE.read_text("utf-8").splitlines()
        if len(merged) != N_MERGES:
            raise ValueError(f"{PIECES_FILE.name} must have {N_MERGES} pieces, got {len(merged)}")
        return BytePairs((*ALPHABET, *merged))


def small_story_rows(rng: np.random.Generator, n_rows: int, length: int) -> Tokens:
    """Return a training batch (B, T + 1): each row starts with a story and is filled with further ones."""
    told, pieces = stories(rng), story_pieces()
    rows = []
    for _ in range(n_rows):
        ids = list[int]()
        while len(ids) <= length:
            ids += pieces.encode(START + next(told).text).tolist()
        rows.append(ids[: length + 1])
    return np.array(rows, dtype=np.int64)  # (B, T + 1)
