"""The same numbers in a model that is built otherwise, and what the prompt then costs."""

import streamlit as st

from attention_core.experiments.architecture import loss_if, losses_dropped
from pages.look.html import number, percent, table
from pages.page.page import Page
from pages.tiny_lm.model_in_view import Subject

DROPPED, DRAWS = 0.1, 8  # the share that dropout sets to 0, and how often it is drawn


def compare_variants(page: Page, subject: Subject) -> None:
    """Read the numbers of this model by models that are built otherwise, and see what the text then costs."""
    config = subject.model.config
    if len(subject.tokens) < 2:
        page.write(f"With a second {subject.unit} in the prompt, this compares what the text costs them.", "note")
        return
    run, model, tokens = page.recipe.run, subject.model, subject.tokens
    now = run("as_it_is", loss_if, model, tokens, config.norm, config.activation)
    order = "post" if config.norm == "pre" else "pre"
    other = "relu" if config.activation == "gelu" else "gelu"
    moved = run("norms_moved", loss_if, model, tokens, order, config.activation)
    dropped = run("dropped", losses_dropped, model, tokens, DROPPED, DRAWS)
    lines = [
        ("as it is", number(now)),
        (f"the norms {'after' if order == 'post' else 'before'} instead", number(moved)),
    ]
    if config.d_hidden:
        bent = run("bent", loss_if, model, tokens, config.norm, other)
        lines.append((f"{'ReLU' if other == 'relu' else 'GELU'} for the bend", number(bent)))
    lines.append(
        (
            f"dropout of {DROPPED:.0%}, {DRAWS} draws",
            f"{number(float(dropped.min()))} to {number(float(dropped.max()))}",
        )
    )
    left, right = st.columns([1, 1.18], gap="large")
    with left:
        page.write(table(("built", "loss of the prompt"), lines))
    with right:
        page.say(
            "A norm **before** attention leaves the path past it untouched, so that a deep model is easier to train; "
            "the first transformers had it **after**. Numbers learned for one order mean little in the other.\n\n"
            "**Dropout**, in training alone, sets a random share of what is written to 0 and raises the rest, so that "
            f"nothing relies on one number. This model was trained with {percent(config.dropout)}.",
            "",
        )
    text = (
        "" if config.d_hidden else " This model has no feed-forward layers; real ones do, and they hold most numbers."
    )
    page.write(
        f"It reads at most {config.max_len} tokens: of a longer text, only the last {config.max_len} when it "
        f"writes.{text} {subject.origin}",
        "note",
    )
