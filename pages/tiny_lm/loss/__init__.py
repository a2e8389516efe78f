"""The loss of a text: which of its rows count in training, what each cost, and what their mean says."""

import numpy as np
import streamlit as st
from markupsafe import Markup
from numpy.typing import NDArray

from attention_core.experiments.text_loss import Examples, examples, mean_where, perplexity
from attention_core.text.corpora import source_of
from pages.look import thumbnails
from pages.look.html import number, prose, typed
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.page.questions import Mistake, Number
from pages.page.steps import Step
from pages.tiny_lm.common import too_short
from pages.tiny_lm.glimpse import glimpse
from pages.tiny_lm.loss.example_rows import chosen_example, draw_example, draw_examples
from pages.tiny_lm.loss.floor import draw_floor
from pages.tiny_lm.loss.mean import draw_mean
from pages.tiny_lm.model_in_view import PROMPTS, Subject

STEP = Step(
    "loss",
    "Every row is an example",
    "A text teaches at each of its tokens: what stands before is read, the next one is the target. Where the model "
    "gave the target the share p, the row costs −log p: 0 if it was sure of it, and the more the less it expected "
    "it. Choose a row.",
)

COUNTING = {  # prompts in which something counts that the training counts
    "pronoun": "the big cat saw a red ball near the hat and it meowed",
    "recall": "a3c7b1e4a3c7",
}
MOST_ASKED = 14  # nats: e to more of them is no number that anybody would type


def draw(page: Page, subject: Subject) -> None:
    """Draw the prompt as examples, one of them in full, and what their mean says."""
    if too_short(page, subject) or not page.ask(examples_question(subject, page.variant("examples"))):
        return
    cases = page.recipe.run("cases", examples, subject.model, subject.tokens)
    counted = counted_rows(subject)
    left, right = st.columns([1.18, 1], gap="large")
    with right:
        row = chosen_example(page, subject, cases, counted)
    with left:
        draw_examples(page, subject, cases, counted, row)
    with right:
        draw_example(page, subject, cases, row)
    st.subheader("Their mean is the loss", anchor=False)
    mean = cases.mean if counted.all() else say_what_counts(page, subject, cases, counted)
    if mean > MOST_ASKED or page.ask(hesitation_question(mean, len(subject.vocabulary))):
        draw_mean(page, subject, counted)
    st.subheader("Can it reach 0?", anchor=False)
    draw_floor(page, subject, cases, row)


def thumbnail(subject: Subject) -> Markup:
    """Return the small picture of the step."""
    few, _, bets = glimpse(subject)
    surprise = -np.log(np.maximum(bets[np.arange(len(few) - 1), few[1:]], 1e-9)) if len(few) > 1 else np.ones(1)
    return thumbnails.thumbnail(thumbnails.bars((surprise / max(1e-9, surprise.max())).tolist()), None)


def counted_rows(subject: Subject) -> NDArray[np.bool_]:
    """Return which targets (T,) of the prompt would count in the training of its model."""
    for name in COUNTING:
        source = source_of(name)  # also of a model that was trained here: it says the same of where it learned
        if source.says == subject.says and source.vocabulary.tokens == subject.vocabulary.tokens and source.counts:
            return source.counts(subject.tokens[None])[0]
    return np.ones(len(subject.tokens) - 1, bool)


def say_what_counts(page: Page, subject: Subject, cases: Examples, counted: NDArray[np.bool_]) -> float:
    """Say which rows count in the training of this model, offer a text in which some do, and return their mean."""
    mean = cases.mean
    rows = f"{counted.sum()} of these {len(counted)} rows count" + ("s" if counted.sum() == 1 else "")
    if counted.any():
        page.recipe.given("counted", counted)
        mean = page.recipe.run("counted_mean", mean_where, cases.losses, counted)
        targets = Markup(", ").join(typed(subject.token(int(token))) for token in cases.targets[counted][:6])
        page.write(
            Markup(
                "Only {} in the training of this model: {}. Their mean is <b>{}</b> nats, that of all rows <b>{}</b>: "
                "what does not count was never taught."
            ).format(rows, targets, number(mean), number(cases.mean))
        )
    else:
        page.write("In the training of this model only tokens count for which it must look back. This text has none.")
    if subject.name in COUNTING:
        field, text = PROMPTS[subject.name][0], COUNTING[subject.name]
        if subject.words != list(text) and " ".join(subject.words) != text:
            put_button(page, "A text in which some count", {field: text}, "counting", ":material/arrow_forward:")
    return mean


def examples_question(subject: Subject, variant: int) -> Number:
    """Ask how many examples a text holds: that of the prompt, or of others of the same kind."""
    length = len(subject.tokens) + (0, 7, 19, 40)[variant % 4]
    which = "The prompt above" if length == len(subject.tokens) else "A text"
    text = f"{which} has {length} {subject.unit}s. From how many examples does a model learn when it is trained on it?"
    why = (
        f"Every {subject.unit} but the first is a target once, and what stands before it is its context: {length - 1}."
    )
    mistakes = (
        Mistake(1, "A whole text is many examples at once: there is a bet, and a loss, after each of its tokens."),
        Mistake(length, f"After the last {subject.unit} nothing comes that could tell whether the bet was good."),
    )
    return Number("examples", text, length - 1, 0.5, why, mistakes, "", 0)


def hesitation_question(loss: float, vocab_size: int) -> Number:
    """Ask among how many tokens, all as likely, a guess would cost as much as the model lost."""
    right = perplexity(loss)
    text = prose(
        f"Guessing among N tokens, all as likely, costs log N (the natural logarithm). The mean loss of these rows is "
        f"{number(loss)} nats. For which N would guessing cost as much?"
    )
    why = f"e to the power of {number(loss)} is {number(right)}: that number is called the perplexity."
    mistakes = (
        Mistake(2.0**loss, "That is 2 to the power of the loss; these logarithms are natural, so take e."),
        Mistake(loss, "That is the loss itself, the logarithm of what is asked."),
        Mistake(float(vocab_size), "That would be a model that knows nothing of its vocabulary."),
    )
    return Number("hesitation", text, right, max(0.06, 0.05 * right), why, mistakes, "")
