"""What the model generated, and what it predicts next."""

from functools import partial

import streamlit as st

from pages.look.facts import largest
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.common import bet_bars, generated_text
from pages.tiny_lm.model_in_view import STARTS, Subject, visible
from pages.tiny_lm.prompt_help import draw_starts, draw_vocabulary
from pages.tiny_lm.sampling import chosen_sampling, decided, n_written, only_answers, say_limits, writing_buttons

STEP = Step(
    "predict",
    "A language model predicts the next token",
    "From the tokens so far, a **language model** gives each token of its **vocabulary** a probability of coming "
    "next: its **prediction**. A sampled token is appended, and so on (**autoregressive**).",
)

SHOWN = 5  # tokens


def draw(page: Page, subject: Subject) -> None:
    """Show the text with its probabilities, and the prediction of the next token."""
    n_new = n_written(page, subject)
    found = decided(page, subject, chosen_sampling(page, acts=n_new > 0), n_new)
    best = largest(found.bets[n_new]).first
    page.prints(f"probability that {subject.token(best)} comes next", found.bets, n_new, best)
    with st.container(border=True):
        page.write(generated_text(subject, found, n_new))
        with st.container(horizontal=True):
            writing_buttons(page, subject, n_new)
        if n_new:
            page.write(f"The bar under a new {subject.noun} is as tall as its predicted probability.", "note")
        if n_new and not only_answers(subject):  # that has said so already
            say_limits(page, subject)
        draw_starts(page, subject)
    bet_bars(page, subject, found.bets[n_new], most=SHOWN, whose=subject.origin)
    if start := STARTS.get(subject.name):
        page.say(f"{visible(start)} is the **start token** (BOS) of training texts.", "note")
    label = f"All {len(subject.vocabulary):,} {subject.noun}s of the vocabulary"
    page.look_closer(label, partial(draw_vocabulary, page, subject))
