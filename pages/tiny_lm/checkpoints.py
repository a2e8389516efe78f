"""The checkpoints of the model in view, and the texts that it was never trained on."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import streamlit as st

from attention_core.model.parameters import Model
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import n_grams_of, source_of
from attention_core.text.n_grams import NGrams, n_gram_losses, pack_n_grams, unpack_n_grams
from pages.page.page import Page
from pages.reproduce.recipe import Short
from pages.tiny_lm.model_in_view import WHEN, Subject

WRITTEN = {"word": 12, "character": 60, "piece": 24}  # tokens that a model generates to be compared with others


class At(NamedTuple):
    """A checkpoint: its word in the sidebar, the number of training steps before it, and the model."""

    when: str
    step: int
    model: Model
    name: str  # of a model that ships, or "own"


def moments_of(subject: Subject) -> list[At]:
    """Return the checkpoints of the model in view, in order."""
    source, last = subject.source, len(subject.steps) - 1
    places = [*range(min(last, len(WHEN) - 1)), last]
    words = [*WHEN[: len(places) - 1], WHEN[-1]]
    return [
        At(when, source.steps[place], source.model(place), source.name)
        for when, place in zip(words, places, strict=True)
    ]


@contextmanager
def patience(text: str, known: bool) -> Iterator[None]:
    """Say what is being computed while it is, unless it is known already; its place stays, so that nothing moves."""
    with st.empty():
        if known:
            yield
        else:
            with st.spinner(text):
                yield


def record_n_grams(page: Page, name: str) -> NGrams:
    """Let the page's script know the n-grams of the text that a model that ships was trained on, and return them."""
    shipped = MODELS[name]
    length = shipped.plan.config.max_len
    found = n_grams_of(source_of(shipped.source), length)
    short = Short(f"n_grams_of(source_of({shipped.source!r}), {length})", n_grams_of, source_of)
    grams: NGrams = page.recipe.made("n_grams", found, unpack_n_grams, lambda: pack_n_grams(found), short)
    return grams


def losses_of_prompt(page: Page, subject: Subject) -> dict[str, float]:
    if subject.name not in MODELS:
        return {"uniform": float(np.log(len(subject.vocabulary)))}
    rows = page.recipe.given("rows", subject.tokens[None])
    return page.recipe.run("baseline_losses", n_gram_losses, record_n_grams(page, subject.name), rows)._asdict()
