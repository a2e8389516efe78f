"""What the model generated, what it predicts next, and what its heads attend to meanwhile."""

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.model.activations import insides
from attention_core.model.generate import decisions
from attention_core.text.word_vectors import position_labels
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step
from pages.tiny_lm.common import bet_bars, generated_text
from pages.tiny_lm.heads_view import draw_heads, look_bars
from pages.tiny_lm.model_in_view import Subject, visible
from pages.tiny_lm.prompt_help import draw_starts, draw_vocabulary
from pages.tiny_lm.sampling import chosen_sampling, decided, n_written, only_answers, say_limits, writing_buttons

STEP = Step(
    "predict",
    "A language model predicts the next token",
    "*Tiny LM* means tiny **language model**. It reads tokens: words, pieces of words or characters. It gives each "
    "token in its vocabulary a probability of coming next. This is its **prediction**. One token is sampled and "
    "appended, and the model predicts again (**autoregressive**). Let it generate some.",
)


def draw(page: Page, subject: Subject) -> None:
    """Show the text with its probabilities, the prediction of the next token, and every head over the last tokens."""
    n_new = n_written(page)
    sampling = chosen_sampling(page, acts=n_new > 0)
    page.drawing.pictured = "inside.weights[0, 0]" if n_new == 0 else None
    found = decided(page, subject, sampling, n_new)
    best = int(found.bets[n_new].argmax())
    page.prints(f"probability that {subject.token(best)} comes next", found.bets, n_new, best)
    with st.container(border=True):
        page.write(generated_text(subject, found, n_new))
        with st.container(horizontal=True):
            writing_buttons(page, subject, n_new)
        if n_new or not only_answers(subject):
            page.write(f"The bar under a new {subject.unit} is as tall as its predicted probability.", "note")
        if n_new and not only_answers(subject):  # that has said so already
            say_limits(page, subject)
        draw_starts(page, subject)
    left, right = st.columns(2, gap="large")
    with left:
        page.heading(f"Prediction of the next {subject.unit}", small=True)
        bet_bars(page, subject, found.bets[n_new], whose=subject.origin)
    with right:
        page.heading(f"Attention of the last {subject.unit}", small=True)
    context = np.concatenate([subject.tokens, found.tokens[:n_new]])[-subject.model.config.max_len :]
    page.recipe.given("context", context)
    inside = page.recipe.run_once("inside", insides, subject.model, context)
    words = subject.vocabulary.decode(context)
    labels = position_labels([visible(word) for word in words])
    with right:
        sentence = (
            f"From {quoted(labels[-1])}, each head’s largest attention weight, and the {subject.unit} that gets it."
        )
        look_bars(page, labels, inside.weights[:, :, -1], sentence)
        bet_after(page, subject, found.bets[0])
    page.heading("Attention of every head", small=True)
    draw_heads(page, subject, words, labels, inside)
    draw_vocabulary(page, subject)


def bet_after(page: Page, subject: Subject, bets: Array) -> None:
    """Ask for the prediction after the likeliest token, and show it."""
    best = int(bets.argmax())
    longer = page.recipe.given("longer", np.append(subject.tokens, best)[-subject.model.config.max_len :])
    after = page.recipe.run_once("after", decisions, subject.model, longer, 1, 0.0).bets[0]
    if not page.ask(bet_question(subject, best, after)):
        return
    page.heading("Prediction after the prompt and “{token}”", small=True, token=subject.token(best))
    bet_bars(page, subject, after, "next prediction", most=3)


def bet_question(subject: Subject, best: int, bets: Array) -> Choice:
    """Ask which token is likeliest once the model has generated the likeliest."""
    order = np.argsort(-bets, kind="stable")
    first, others = int(order[0]), [int(token) for token in order[1:3]]
    again = [int(token) for token in (best, *subject.tokens[::-1]) if token not in (first, *others)][:1]
    filler = [int(token) for token in order[3:5] if token not in again][: 3 - len(others) - len(again)]
    tokens = [first, *others, *again, *filler]
    written, likeliest = (quoted(subject.token(token)) for token in (best, first))
    reasons = {subject.token(token): f"Its probability is {low(float(bets[token]))}." for token in tokens}
    for token in again:
        reasons[subject.token(token)] = (
            f"You repeated a token of the text. Its probability is {low(float(bets[token]))}."
        )
    return Choice.shuffled(
        "bet",
        f"Suppose the model appends {written} to the prompt. Which next {subject.unit} is the likeliest then?",
        [subject.token(token) for token in tokens if bets[token] == bets[first]],
        f"After {written} the model gives {likeliest} a probability of {number(float(bets[first]))}. It predicts "
        f"anew from the longer text, over all {len(bets):,} tokens.",
        reasons,
        [0],
    )


def low(probability: float) -> str:
    """Return a probability that is too low, in words where two digits would call it 0."""
    return f"only {number(probability)}" if probability >= 0.005 else "below 0.01"
