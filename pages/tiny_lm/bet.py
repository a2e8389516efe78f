"""What the model generated, what it predicts next, and what helps to write a prompt: starts, and the vocabulary."""

from functools import partial

import streamlit as st
from markupsafe import Markup

from pages.look.facts import largest
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.common import SORTED, bet_bars, generated_text, shortened
from pages.tiny_lm.model_in_view import PROMPTS, STARTS, Subject, kind_of, visible
from pages.tiny_lm.sampling import chosen_sampling, decided, n_written, only_answers, say_limits, writing_buttons
from pages.tiny_lm.texts import TEXTS

STEP = Step(
    "predict",
    "A language model predicts the next token",
    "From the tokens so far, a **language model** gives each token of its **vocabulary** a probability of coming "
    "next: its **prediction**. A sampled token is appended, and so on (**autoregressive**).",
)

LABEL = 24  # characters of a prompt, on its button


def draw(page: Page, subject: Subject) -> None:
    """Show the text with its probabilities, and the prediction of the next token."""
    n_new = n_written(page, subject)
    found = decided(page, subject, chosen_sampling(page, acts=n_new > 0), n_new)
    best = largest(found.bets[n_new], SORTED).first
    page.prints(f"probability that {subject.token(best)} comes next", found.bets, n_new, best)
    with st.container(border=True):
        page.write(generated_text(subject, found, n_new))
        with st.container(horizontal=True):
            writing_buttons(page, subject, n_new)
        if n_new:
            page.write(f"The bar under a new {subject.noun} is as tall as its predicted probability.", "note")
        if n_new and not only_answers(subject):  # that has said so already
            say_limits(page, subject)
        draw_beginnings(page, subject)
    bet_bars(page, subject, found.bets[n_new], whose=subject.origin)
    if start := STARTS.get(subject.name):
        page.say(f"{visible(start)} is the **start token** (BOS) of training texts.", "note")
    label = f"All {len(subject.vocabulary):,} {subject.noun}s of the vocabulary"
    page.look_closer(label, partial(draw_vocabulary, page, subject))


def draw_beginnings(page: Page, subject: Subject) -> None:
    usual = {shortened(start, LABEL): start for start in getattr(subject.source, "starts", ())}
    if beginnings := TEXTS["beginnings"].get(kind_of(subject.source), usual):
        field = PROMPTS[subject.name][0]
        fixed = bool(page.controls.locked & {field, "new"})
        with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
            page.write("Start with:", "note")
            for place, (label, text) in enumerate(beginnings.items()):
                put_button(page, label, {field: text, "new": "0"}, f"start_{place}", disabled=fixed)


def draw_vocabulary(page: Page, subject: Subject) -> None:
    """Draw all tokens that the model in view knows, in the order of their ids."""
    chip = Markup('<span title="{}">{}</span>')
    chips = (chip.format(number, subject.token(number)) for number in range(len(subject.vocabulary)))
    page.write(Markup('<div class="course chips">{}</div>').format(Markup("").join(chips)))
    page.write("In order of their ids. The model reads and generates no others.", "note")
