"""How one token is sampled from the prediction."""

from functools import partial

import streamlit as st

from attention_core.experiments.language.next_token import decision_table, tempered
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.common import generated_text, likeliest_bars
from pages.tiny_lm.draw.decision import (
    Decision,
    chosen_decision,
    decision_rows,
    draw_asked,
    draw_sampled,
    pick_question,
)
from pages.tiny_lm.model_in_view import Subject, kind_of
from pages.tiny_lm.sampling import (
    USUAL_SAMPLING,
    chosen_sampling,
    decided,
    most_uncertain,
    n_written,
    only_answers,
    only_digits,
    say_limits,
    try_buttons,
    writing_buttons,
)

STEP = Step(
    "sample",
    "One token is sampled from the prediction",
    "The model gives each token a number, its **logit**. **Sampling** divides the logits by the **temperature** T, "
    "applies softmax, and picks a token by one random number.",
    asks="Which token does a random number pick?",
    then="Before it picks, top-k keeps the k likeliest tokens, top-p the fewest whose total probability reaches p.",
    words="decision",
)

TWO, COMPARED = (0.5, 2.0), 4  # temperatures side by side, and tokens of each
AT = "The prediction at T = {heat:g}."


def draw(page: Page, subject: Subject) -> bool:
    """Show how one token was sampled, once it was asked which one a random number picks."""
    sampling = chosen_sampling(page)
    n_new = n_written(page, subject, "drawn", 0 if only_answers(subject) else most_uncertain(kind_of(subject.source)))
    usual = USUAL_SAMPLING._replace(seed=sampling.seed)  # of the text, so that one prediction stays in view
    found = decided(page, subject, usual, n_new)
    with st.container(border=True):
        text = st.container()
        with st.container(horizontal=True, vertical_alignment="bottom"):
            writing_buttons(page, subject, n_new, "drawn")
            place = chosen_decision(page, subject, found, n_new)
        with text:
            page.write(generated_text(subject, found, n_new, picked=place))
        page.write(f"The text is sampled at {usual.how}. The settings act on the framed {subject.noun}.", "note")
        if only_digits(subject):
            say_limits(page, subject)
    table = page.recipe.run("decision", decision_table, found, place, *sampling[:3])
    decision = Decision(found, place, table, sampling)
    what = f"probability of {subject.token(decision.token)}, after temperature, top-k and top-p"
    page.prints(what, table.shares, table.rank)
    question = page.question("pick", partial(pick_question, subject, decision))
    columns = page.ask_beside(question, partial(draw_asked, page, subject, decision))
    if not columns:
        return False
    with columns[0]:
        draw_sampled(page, subject, decision, bool(page.answer_to(question)))
    with columns[1]:
        try_buttons(page)
    page.write(decision_rows(subject, decision))
    draw_two_temperatures(page, subject, decision)
    return True


def draw_two_temperatures(page: Page, subject: Subject, decision: Decision) -> None:
    """Draw the same prediction at a low and at a high temperature, side by side."""
    order = decision.table.tokens[:COMPARED]
    tokens = [subject.token(int(token)) for token in order]
    both = page.recipe.run("both", tempered, decision.found, decision.place, TWO)
    for column, heat, shares in zip(st.columns(2, gap="medium"), TWO, both, strict=True):
        with column:
            page.head(f"T = {heat:g}")
            likeliest_bars(page, tokens, shares[order], f"at T = {heat:g}", AT.format(heat=heat), subject.noun)
