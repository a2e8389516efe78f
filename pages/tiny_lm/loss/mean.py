"""The mean loss of the examples: beside baselines, and beside the same model at other checkpoints."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from attention_core.experiments.language.text_loss import examples, loss_of_text, mean_where, perplexity
from pages.charts.bars import signed_bars
from pages.look.html import number
from pages.page.page import Page
from pages.tiny_lm.checkpoints import losses_of_prompt, moments_of
from pages.tiny_lm.common import loss_ceiling
from pages.tiny_lm.model_in_view import Subject


def draw_mean(page: Page, subject: Subject, counted: NDArray[np.bool_]) -> None:
    """Draw the mean beside its baselines and beside the same model at other checkpoints."""
    every = counted.all() or not counted.any()
    known = losses_of_prompt(page, subject, None if every else counted)
    labels = [*known]
    found = []
    moments = moments_of(subject)
    for when, _, model, _ in moments:
        name = when.replace(" ", "_")
        if model is not subject.model:
            page.recipe.model(f"model_{name}", model)
        if every:
            mean = page.recipe.run_once(f"mean_{name}", loss_of_text, model, subject.tokens)
        else:
            cases = page.recipe.run_once(f"cases_{name}", examples, model, subject.tokens)
            mean = page.recipe.run(f"mean_{name}", mean_where, cases.losses, counted)
        labels.append(f"{when} ◂" if model is subject.model else when)
        found.append(mean)
    here = [moment.model for moment in moments].index(subject.model)
    effective = page.recipe.run("effective", perplexity, found[here])
    first, last = (f"{moment.step:,}" for moment in (moments[0], moments[-1]))
    rest = f" After step {first} it was {number(found[0])}, after step {last} {number(found[-1])}." * (len(found) > 1)
    chart = signed_bars(
        labels,
        np.array([*known.values(), *found]),
        limit=loss_ceiling(subject),
        name="mean loss",
        sentence=f"The mean loss of {'all' if every else 'the included'} examples is {number(found[here])} nats.{rest}",
        title="nats",
        of="model",
        positive=True,
    )
    counts = f" Unigram, bigram and trigram only count: they know none, one or two of the {subject.unit}s before."
    left, right = st.columns([1.18, 1], gap="large", vertical_alignment="center")
    with left:
        page.show(
            chart,
            note=f"The same text at each checkpoint; ◂ is the one in view. Uniform: each {subject.unit} is equally "
            f"likely.{counts * (len(known) > 1)}",
        )
    with right:
        page.say(meaning_of(effective, len(subject.vocabulary), subject.unit), "")


def meaning_of(effective: float, n_tokens: int, unit: str) -> str:
    """Return what a perplexity means; above the vocabulary size it is no number of choices."""
    if effective > 1.02 * n_tokens:
        means = (
            f"This is more than the vocabulary size, {n_tokens:,}, so the model predicts worse than a uniform "
            "prediction."
        )
    else:
        means = (
            f"The model is as uncertain as if it chose among {number(effective)} equally likely {unit}s. For a uniform "
            f"prediction it is the vocabulary size, {n_tokens:,}."
        )
    return f"The **perplexity** is e to the loss: **{number(effective)}**. {means}"
