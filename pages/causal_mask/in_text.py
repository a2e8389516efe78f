"""Two trained models write with their mask, and with the mask removed: one layer writes the same, several do not."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Tokens
from attention_core.experiments.inside.compare_models import written
from attention_core.shipped.plans import STORIES
from attention_core.text.stories import START, story_pieces
from pages.causal_mask.readers import MASKED, named_model, vocabulary
from pages.causal_mask.scene import Masked
from pages.heads.matrices import familiar
from pages.look import cards
from pages.look.facts import several
from pages.look.html import table
from pages.page.page import Page

N_NEW = 16  # tokens that a model writes
MAX_PROMPT = 200  # tokens of the prompt


class Continuations(NamedTuple):
    """What a model writes after a prompt, with its mask and with the mask removed."""

    title: str  # of the model
    n_layers: int
    prompt: Tokens
    with_mask: Tokens
    without: Tokens
    decode: Callable[[Tokens], str]

    @property
    def same(self) -> int:
        """How many new tokens are the same, up to the first that is not."""
        differs = np.flatnonzero(self.with_mask != self.without)
        return int(differs[0]) if len(differs) else N_NEW


def written_by_both(page: Page, scene: Masked) -> list[Continuations]:
    """Let a model of one layer and one of three write on, with the mask and without it."""
    pieces = story_pieces()
    text = START + " ".join(scene.words).encode(errors="replace").decode()
    english = vocabulary().encode(familiar(scene.words)[0])
    told = {
        "toy": ("Toy English", MASKED, english, lambda ids: " ".join(vocabulary().decode(ids))),
        "stories": ("Small Stories", STORIES.name, pieces.encode(text)[-MAX_PROMPT:], pieces.decode),
    }
    found = []
    for name, (title, shipped, prompt, decode) in told.items():
        tokens = page.recipe.given(f"{name}_prompt", prompt)
        model = named_model(page, f"{name}_model", shipped)
        with_mask = page.recipe.run_once(f"{name}_masked", written, model, tokens, N_NEW)
        without = page.recipe.run_once(f"{name}_unmasked", written, model, tokens, N_NEW, False)
        found.append(Continuations(title, model.config.n_layers, tokens, with_mask, without, decode))
    return found


def same_table(both: list[Continuations]) -> Markup:
    """Return how many new tokens of each model need no mask."""
    rows = [(one.title, str(one.n_layers), f"{one.same} of {N_NEW}") for one in both]
    return table(("model", "layers", "tokens written the same"), rows)


def draw_in_text(page: Page, both: list[Continuations]) -> None:
    """Write the texts of both models."""
    page.say(
        "To write, a model uses only the last position, whose row a causal mask leaves whole. So one layer writes the "
        "same without it. In more layers, the last position attends to vectors that the mask did change.",
        "",
    )
    line = Markup('<p style="margin-top:10px">{}<br><span class="soft">{}</span>{}<b>{}</b></p>')
    for column, one in zip(st.columns(2, gap="medium", border=True), both, strict=True):
        texts = []
        for label, new in (("With the mask:", one.with_mask), ("With the mask removed:", one.without)):
            start, shared, whole = (one.decode(np.append(one.prompt, new[:n])) for n in (0, one.same, N_NEW))
            texts.append(line.format(label, start, whole[len(start) : len(shared)], whole[len(shared) :]))
        with column:
            page.write(cards.card(f"{one.title}, {several(one.n_layers, 'layer')}", *texts))
