"""The causal mask removed while a model generates: what it predicts, and writes, then."""

import numpy as np
import streamlit as st

from attention_core.experiments.language.kv_cache_proof import decisions_without_mask
from attention_core.model.generate import Decisions, decisions
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.tiny_lm.common import bet_bars, generated_text, several
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import Sampling, only_answers

MOST = 24  # tokens of the text without the mask: each costs a pass over the whole text
SAME = 0.005  # of a probability: less is not seen


def draw_unmasked_text(page: Page, subject: Subject, sampling: Sampling, n_new: int) -> bool:
    """Ask whether a mask matters where no later token exists yet; show both texts. False while it is asked."""
    if not subject.model.config.causal:
        return True
    n_new = min(n_new, MOST)
    once, asked = page.recipe.run_once, (subject.model, subject.tokens, n_new, *sampling)
    masked = once("with_mask", decisions, *asked)
    free = once("without_mask", decisions_without_mask, *asked)
    if not page.ask(mask_question(subject, masked, free)):
        return False
    for column, title, found in zip(
        st.columns(2, gap="medium"), ("With the causal mask", "Without it"), (masked, free), strict=True
    ):
        with column:
            page.heading(title, small=True)
            bet_bars(page, subject, found.bets[0], title.lower(), most=3)
            if not only_answers(subject):
                other = found.tokens != masked.tokens
                page.write(generated_text(subject, found, n_new, again=other, ends=False))
    page.write(said(subject, masked, free), "note")
    return True


def largest_change(masked: Decisions, free: Decisions) -> float:
    """Return the largest change of a probability of the next token."""
    return float(np.abs(masked.bets[0] - free.bets[0]).max())


def said(subject: Subject, masked: Decisions, free: Decisions) -> str:
    """Return how far the predictions and the texts differ."""
    n_other = int((masked.tokens != free.tokens).sum())
    n_new, unit = len(masked.tokens), subject.unit
    texts = (
        ""
        if only_answers(subject)
        else (
            f" The texts, with the same settings and seed, differ in {n_other} of {several(n_new, unit)} (underlined)."
        )
    )
    return (
        f"Above: the prediction after the prompt. Its largest change is {number(largest_change(masked, free))}.{texts}"
    )


def mask_question(subject: Subject, masked: Decisions, free: Decisions) -> Choice:
    """Ask whether the prediction after the prompt changes without the mask."""
    n_layers, unit = subject.model.config.n_layers, subject.unit
    change = largest_change(masked, free)
    changes, stays = "It changes", "It stays the same"
    right = changes if change > SAME else stays
    last = quoted(subject.labels[-1])
    reasons = {
        changes: "You expected a change. But with one layer, only the output of the last position is used, and nothing "
        "comes after it."
        if n_layers == 1
        else "You expected a larger change. Here it is too small to be seen.",
        stays: f"You looked at {last} alone. Earlier positions do have later {unit}s, and later layers read them.",
        "It cannot be computed": "You expected the mask to be needed for the computation. It only blocks scores.",
    }
    text = (
        f"When a model generates, no later {unit} exists yet. This one has {several(n_layers, 'layer')}. Remove its "
        f"causal mask after training, and compute everything anew. What happens to the prediction after the prompt?"
    )
    first, second = (quoted(subject.token(int(found.bets[0].argmax()))) for found in (masked, free))
    why = (
        f"The top prediction is {first} with the mask, {second} without it; the largest change of a probability is "
        f"{number(change)}."
    )
    return Choice.shuffled("unmasked", text, [right], why, reasons, 0)
