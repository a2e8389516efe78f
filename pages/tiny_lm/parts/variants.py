"""The same parameters in another architecture, and the loss of the prompt there."""

import streamlit as st

from attention_core.experiments.language.architecture import loss_if, losses_dropped
from pages.look.html import number, percent, table
from pages.page.page import Page
from pages.tiny_lm.common import several
from pages.tiny_lm.model_in_view import Subject

DROPPED, TRIALS = 0.1, 8  # the fraction that dropout sets to 0, and how often at random


def compare_variants(page: Page, subject: Subject) -> None:
    """Load the parameters of this model into other architectures, and compare the loss of the prompt."""
    config = subject.model.config
    if len(subject.tokens) < 2:
        page.write(f"Type a second {subject.noun} into the prompt: the loss needs a next {subject.noun}.", "note")
        return
    run, model, tokens = page.recipe.run_once, subject.model, subject.tokens
    now = run("as_it_is", loss_if, model, tokens, config.norm, config.activation)
    order = "post" if config.norm == "pre" else "pre"
    other = "relu" if config.activation == "gelu" else "gelu"
    moved = run("other_order_loss", loss_if, model, tokens, order, config.activation)
    dropped = run("dropped", losses_dropped, model, tokens, DROPPED, TRIALS)
    lines = [
        ("as it is", number(now)),
        (f"LayerNorm {'after' if order == 'post' else 'before'} each part", number(moved)),
    ]
    if config.d_hidden:
        activated = run("other_activation_loss", loss_if, model, tokens, config.norm, other)
        lines.append((f"{'ReLU' if other == 'relu' else 'GELU'} as activation", number(activated)))
    spread = f"{number(float(dropped.min()))} to {number(float(dropped.max()))}"
    lines.append((f"dropout of {percent(DROPPED)}, {TRIALS} trials", spread))
    left, right = st.columns([1, 1.18], gap="large")
    with left:
        page.write(table(("architecture", "loss of the prompt"), lines))
    with right:
        page.say(
            "LayerNorm **before** attention (pre-norm) leaves the residual connection untouched, so deep models are "
            "easier to train. The first transformers had it **after** (post-norm). Parameters trained for one order "
            "mean little in the other. PyTorch calls one block `TransformerEncoderLayer`; its `norm_first` chooses the "
            "order.\n\n"
            "**Dropout** sets a random fraction of the entries to 0 and scales up the rest, in training alone. So the "
            f"model cannot rely on single entries. {trained_with(subject)}",
            "",
        )
    page.write(
        f"The context length is {config.max_len}: when a text gets longer, the model reads its last "
        f"{several(config.max_len, 'token')}. {subject.origin}",
        "note",
    )


def trained_with(subject: Subject) -> str:
    """Return with how much dropout the model was trained."""
    if subject.step == 0:
        return ""
    rate = subject.model.config.dropout
    return f"This model was trained with {percent(rate)}." if rate else "This model was trained without it."
