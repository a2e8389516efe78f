"""How one token is sampled from the prediction, and a closer look at one of the things that decide it."""

from functools import lru_cache

import numpy as np
import streamlit as st

from attention_core.experiments.language.next_token import decision_table
from attention_core.model.generate import decisions
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import MODELS
from attention_core.threads import one_at_a_time
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.common import generated_text
from pages.tiny_lm.draw.cuts import draw_cuts
from pages.tiny_lm.draw.decision import (
    Decision,
    chosen_decision,
    decision_rows,
    draw_bets,
    draw_line,
    pick_question,
)
from pages.tiny_lm.draw.greedy_or_drawn import draw_texts
from pages.tiny_lm.draw.temperature import draw_temperatures
from pages.tiny_lm.model_in_view import Subject, usual_words
from pages.tiny_lm.sampling import (
    USUAL,
    chosen_sampling,
    decided,
    n_written,
    only_answers,
    say_limits,
    try_buttons,
    writing_buttons,
)

STEP = Step(
    "sample",
    "One token is sampled from the prediction",
    "The model gives each token a number, its **logit**. **Sampling** divides the logits by the **temperature** T, "
    "applies softmax, drops unlikely tokens (top-k, top-p) and rescales the rest to sum to 1. Then one random number "
    "picks the token.",
    asks="Which token does a random number pick?",
    words="decision n_drawn",
    view="look",
    views={
        "Temperature": draw_temperatures,
        "Top-k and top-p": draw_cuts,
        "Greedy or sampled": draw_texts,
    },
)

WRITTEN = 5  # tokens of a model of one’s own at first
FARTHEST = 16  # tokens, among which one of the models that ship is uncertain


def draw(page: Page, subject: Subject) -> bool:
    """Show how one token was sampled, then look closer at one of the things that decide it."""
    sampling = chosen_sampling(page)
    n_new = n_written(page, "drawn", 0 if only_answers(subject) else most_uncertain(subject.name))
    found = decided(page, subject, sampling, n_new)
    with st.container(border=True):
        text = st.container()
        with st.container(horizontal=True, vertical_alignment="bottom"):
            writing_buttons(page, subject, n_new, "drawn")
            place = chosen_decision(page, subject, found, n_new)
        with text:
            page.write(generated_text(subject, found, n_new, picked=place))
        if n_new and not only_answers(subject):  # that has said so already
            say_limits(page, subject)
    temperature, top_k, top_p = sampling[:3]
    table = page.recipe.run("decision", decision_table, found, place, temperature, top_k, top_p)
    decision = Decision(found, place, table, sampling)
    chosen = subject.token(int(table.tokens[table.rank]))
    page.prints(f"probability of {chosen}, after temperature, top-k and top-p", table.shares, table.rank)
    if not page.ask(pick_question(subject, table, sampling, page.variant("pick"))):
        return False
    draw_line(page, subject, decision)
    try_buttons(page)
    bars, rows = st.columns([1, 1.25], gap="medium")
    with bars:
        draw_bets(page, subject, decision)
    with rows:
        page.write(decision_rows(subject, decision))
    page.heading("A closer look")
    STEP.choose_view(page, "Closer look", label_visibility="collapsed")(page, subject, decision)
    return True


@one_at_a_time
@lru_cache(maxsize=8)
def most_uncertain(name: str) -> int:
    """Return after how many tokens of its usual text a model that ships has the most choices, so that one is seen."""
    if name not in MODELS:
        return WRITTEN
    words, vocabulary = usual_words(name)
    found = decisions(model_at(name), vocabulary.encode(words), FARTHEST, *USUAL)
    logs = np.log(np.maximum(found.bets, np.finfo(np.float32).tiny))
    return int((found.bets * -logs).sum(axis=-1).argmax())
