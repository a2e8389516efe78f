"""What is changed on the bench: which heads, where, and from which other prompt; and what the model then computes."""

from collections.abc import Collection
from string import ascii_lowercase, digits
from typing import NamedTuple

import numpy as np
import streamlit as st

from attention_core.arrays import Array, Tokens
from attention_core.experiments.inside import patching
from attention_core.model.activations import Insides, insides
from attention_core.text.story_words import STORY_COLOURS, STORY_THINGS
from pages.heads.side_by_side import word_for_heads
from pages.look.facts import listed, several
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.tiny_lm.common import head_names
from pages.tiny_lm.model_in_view import STARTS, Subject
from pages.tiny_lm.units import joined, tokens_in

WAYS = ("other prompt", "mean", "zero")  # what a head's output becomes
HOW = dict(zip(WAYS, ("patched", "at the mean", "switched off"), strict=True))
EVERYWHERE = "all positions"
NONE = "none"
MOST_HEADS = 64  # of a model, which a link may name
OTHER_LENGTH = (
    "The other prompt has {typed}, this one {length}. Patching needs as many, so the other run reads the usual other "
    "prompt."
)


class Bench(NamedTuple):
    names: list[str]  # of all heads
    other: Tokens  # (T,), the other prompt
    link: patching.Dependence  # the strongest one
    heads: tuple[int, ...]  # the changed ones: layer * H + head
    way: str
    position: int | None  # at which; None: at all
    watched: int
    before: Insides
    beside: Insides  # the run on the other prompt
    after: patching.Run

    @property
    def changed(self) -> str:
        """What was changed, as a title says it."""
        heads = listed([self.names[head] for head in self.heads])
        return f"head{'s' * (len(self.heads) > 1)} {heads} {HOW[self.way]}" if heads else "no head changed"


def other_prompt(page: Page, subject: Subject) -> Tokens:
    """Draw the field of the other prompt; empty, or of another length, it is the usual one."""
    usual = usual_other(subject)
    shown = joined(subject.vocabulary, usual, subject.unit).strip()
    text = page.controls.text("other", "Other prompt", "", placeholder=shown)
    known = [token for token in tokens_in(text, subject.vocabulary, subject.unit) if token in subject.vocabulary]
    typed = subject.vocabulary.encode([*STARTS.get(subject.name, ""), *known])  # as this prompt begins
    if known and len(typed) != len(usual):
        page.say(OTHER_LENGTH.format(typed=several(len(typed), subject.noun), length=len(usual)), "note")
    found: Tokens = page.recipe.given("other", typed if len(typed) == len(usual) else usual)
    return found


def usual_other(subject: Subject) -> Tokens:
    """Return the prompt with what it asks for last replaced, so that it has another answer; else, two exchanged."""
    texts = [text.strip() for text in subject.vocabulary.tokens]

    def among(words: Collection[str]) -> list[int]:
        return [token for token, text in enumerate(texts) if text in words]

    letters = ascii_lowercase[:10] if subject.unit == "character" else ""
    if (asked := patching.exchange_last(subject.tokens, among([*STORY_THINGS, *letters]))) is not None:
        return asked
    begun = len(STARTS.get(subject.name, ""))  # the start token stays, if two others are left
    begun *= len(set(subject.tokens[begun:].tolist())) > 1
    return np.append(
        subject.tokens[:begun], patching.exchange_two(subject.tokens[begun:], among([*STORY_COLOURS, *digits]))
    )


def link_in_view(inside: Insides, without: Array) -> patching.Dependence:
    """Return the link on which the step opens: where a changed head lowers a weight of a later one most."""
    link = patching.strongest_link(inside, without, np.arange(len(inside.tokens)))
    assert link is not None, "the model has two layers"
    return link


def chosen_bench(page: Page, subject: Subject) -> Bench:
    """Draw which heads are changed, how and where, and which head is watched; run the model so."""
    run, model, tokens, n_heads = page.recipe.run_once, subject.model, subject.tokens, subject.model.config.n_heads
    inside = run("inside", insides, model, tokens)
    names = head_names(*inside.weights.shape[:2])
    with page.sidebar:
        other = other_prompt(page, subject)

    def outputs(way: str) -> Array | None:
        """Return what the outputs of changed heads become; None: zero."""
        if way == WAYS[0]:
            return run("patches", patching.head_outputs, model, other)
        return run("means", patching.mean_outputs, model, tokens) if way == WAYS[1] else None

    opens = outputs(WAYS[0] if (tokens != other).any() else WAYS[1])
    link = link_in_view(inside, run("without", patching.looks_without_heads, model, tokens, opens))
    earlier, later = (layer * n_heads + head for layer, head in (link.earlier, link.later))
    heads, way = changed_heads(page, str(earlier + 1), len(names)), WAYS[page.controls.picked("bench_way", WAYS)]
    with page.sidebar:
        places = [EVERYWHERE, *subject.labels]
        place = places.index(page.controls.select("spot", "Changed at", places, EVERYWHERE))
        watched = names.index(page.controls.select("watch", "Watched head", names, names[later]))
    position = place - 1 if place else None
    beside = run("beside", insides, model, other)
    after = run("after", patching.run_with_heads, model, tokens, heads, outputs(way), position)
    return Bench(names, other, link, heads, way, position, watched, inside, beside, after)


def draw_heads(page: Page, bench: Bench) -> None:
    """Draw the buttons that change heads: none before the answer, where they would change nothing in view."""
    with page.fields:
        page.controls.choice("bench_way", "New output of each head pressed", WAYS, WAYS[0])
        with st.container(horizontal=True, gap="xsmall", vertical_alignment="bottom", width="content"):
            for head, name in enumerate(bench.names):
                word, fixed = word_for_heads(set(bench.heads) ^ {head}) or NONE, "cut" in page.controls.locked
                put_button(page, name, {"cut": word}, f"cut_{head + 1}", chosen=head in bench.heads, disabled=fixed)


def changed_heads(page: Page, usual: str, n_heads: int) -> tuple[int, ...]:
    """Return the heads that are changed. A link may name heads up to a number, or none."""
    numbers = {str(number) for number in range(1, MOST_HEADS + 1)}
    raw = page.controls.bare_text(
        "cut", "Changed heads", usual, lambda raw: raw == NONE or set(raw.split(".")) <= numbers
    )
    chosen = [] if raw == NONE else [int(part) - 1 for part in raw.split(".")]
    return tuple(sorted({head for head in chosen if head < n_heads}))
