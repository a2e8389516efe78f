"""Two trained models write with their mask, and with the mask removed: one layer writes the same, several do not."""

from collections.abc import Callable

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
from pages.page.page import Page

N_NEW = 16  # tokens that a model writes
MAX_PROMPT = 200  # tokens of the prompt


def draw_in_text(page: Page, scene: Masked) -> None:
    """Let a model of one layer and one of three write on, with the mask and without it."""
    page.say(
        "To write, a model uses only the last position, whose row a causal mask leaves whole. So one layer writes the "
        "same without it. In more layers, the last position attends to vectors that the mask did change.",
        "",
    )
    pieces = story_pieces()
    text = START + " ".join(scene.words).encode(errors="replace").decode()
    first, second = st.columns(2, gap="medium")
    with first, st.container(border=True):
        prompt = vocabulary().encode(familiar(scene.words)[0])
        draw_written(page, "Toy English", "toy", MASKED, prompt, lambda ids: " ".join(vocabulary().decode(ids)))
    with second, st.container(border=True):
        prompt = pieces.encode(text)[-MAX_PROMPT:]
        draw_written(page, "Small Stories", "stories", STORIES.name, prompt, pieces.decode)


def draw_written(
    page: Page, title: str, name: str, shipped: str, prompt: Tokens, decode: Callable[[Tokens], str]
) -> None:
    """Draw what a model writes after a prompt, with the mask and with it removed."""
    tokens = page.recipe.given(f"{name}_prompt", prompt)
    model = named_model(page, f"{name}_model", shipped)
    with_mask = page.recipe.run_once(f"{name}_masked", written, model, tokens, N_NEW)
    without = page.recipe.run_once(f"{name}_unmasked", written, model, tokens, N_NEW, False)
    differs = np.flatnonzero(with_mask != without)
    same = int(differs[0]) if len(differs) else N_NEW
    n_layers = model.config.n_layers
    line = Markup('<p style="margin-top:10px">{}<br><span class="soft">{}</span>{}<b>{}</b></p>')
    texts = []
    for label, new in (("With the mask:", with_mask), ("With the mask removed:", without)):
        start, shared, whole = (decode(np.append(prompt, new[:n])) for n in (0, same, N_NEW))
        texts.append(line.format(label, start, whole[len(start) : len(shared)], whole[len(shared) :]))
    page.write(cards.card(f"{title}, {several(n_layers, 'layer')}", *texts))
