"""The loss of a text: which of its examples training includes, the loss of each, and their mean."""

from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup
from numpy.typing import NDArray

from attention_core.experiments.language.text_loss import Examples, examples, mean_where
from attention_core.text.corpora import source_of
from pages.look.facts import of_several
from pages.look.html import number, quoted
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Mistake, Number
from pages.tiny_lm.common import too_short
from pages.tiny_lm.loss.example_rows import chips, chosen_example, draw_alone, draw_example, draw_examples
from pages.tiny_lm.loss.floor import draw_floor
from pages.tiny_lm.model_in_view import PROMPTS, Subject

STEP = Step(
    "loss",
    "One text is many training examples",
    "A training example is a context with its target, the token that comes next. If the model gave the target "
    "probability p, the **loss** is −log p.",
    asks="How many training examples is one text?",
    then="Each token after the first is a target. Training lowers the mean loss, the **cross-entropy**; e to that is "
    "the **perplexity**. Choose an example.",
    words="example fresh",
)

COUNTING = {  # prompts with a target that the loss includes in training
    "pronoun": "the big cat saw a red ball near the hat and it meowed",
    "recall": "a3c7b1e4a3c7",
}


def draw(page: Page, subject: Subject) -> bool:
    """Draw the prompt as examples with one of them in full; closed: the same of a shorter text, and its floor."""
    if too_short(page, subject):
        return True
    question = page.question("examples", partial(examples_question, subject))
    if not page.ask(question, lambda: page.write(chips([("", word) for word in words_of(subject)]), "chips")):
        return False
    cases = page.recipe.run_once("cases", examples, subject.model, subject.tokens)
    counted = counted_rows(subject)
    left, right = st.columns([1.18, 1], gap="large")
    with right:
        row = chosen_example(page, subject, cases, counted)
    page.prints(f"loss of the target {subject.token(int(cases.targets[row]))}", cases.losses, row)
    with left:
        draw_examples(page, subject, cases, counted, row)
    with right:
        draw_example(page, subject, cases, row)
        if counted.all():
            every = of_several(len(counted), len(counted), "example")
            page.say(f"The mean loss of {every} is **{number(cases.mean)}** nats.", "")
        else:
            say_what_counts(page, subject, cases, counted)
    page.look_closer("Left to right, or all at once?", partial(draw_alone, page, subject, cases, row))
    page.look_closer("Can the loss reach 0?", partial(draw_floor, page, subject, cases, row))
    return True


def words_of(subject: Subject) -> list[str]:
    return [subject.token(int(token)) for token in subject.tokens]


def counted_rows(subject: Subject) -> NDArray[np.bool_]:
    """Return which targets (T,) of the prompt the loss would include in the training of its model."""
    for name in COUNTING:
        source = source_of(name)  # also of a model that was trained here: it says the same of its training data
        if source.says == subject.says and source.vocabulary.tokens == subject.vocabulary.tokens and source.counts:
            return source.counts(subject.tokens[None])[0]
    return np.ones(len(subject.tokens) - 1, bool)


def say_what_counts(page: Page, subject: Subject, cases: Examples, counted: NDArray[np.bool_]) -> None:
    """Say which targets the loss includes when this model is trained, and offer a text with some."""
    if counted.any():
        page.recipe.given("counted", counted)
        mean = page.recipe.run("counted_mean", mean_where, cases.losses, counted)
        targets = ", ".join(quoted(subject.token(int(token))) for token in cases.targets[counted][:6])
        targets += " and more" * int(counted.sum() > 6)
        page.write(
            Markup(
                "In the training of this model, the loss includes only {} of these {} targets: {}. Their mean loss is "
                "<b>{}</b> nats; the mean over all targets is <b>{}</b>. The other targets are masked out of the loss."
            ).format(counted.sum(), len(counted), targets, number(mean), number(cases.mean))
        )
    else:
        page.write("In training, the loss includes only tokens that earlier ones determine. This prompt has none.")
    if subject.name in COUNTING:
        field, text = PROMPTS[subject.name][0], COUNTING[subject.name]
        if subject.words != list(text) and " ".join(subject.words) != text:
            put_button(page, "Use a text with some", {field: text}, "counting", ":material/arrow_forward:")


def examples_question(subject: Subject, variant: int) -> Number:
    """Ask how many examples a text is: the prompt, or another of the same kind."""
    length = len(subject.tokens) + (0, 7, 19, 40)[variant % 4]
    which = "The prompt above" if length == len(subject.tokens) else "A text"
    text = f"{which} has {length} {subject.noun}s. How many training examples (context → target) is it?"
    why = (
        f"Every {subject.noun} except the first is a target once, and the {subject.noun}s before it are its context. "
        f"{length} − 1 = {length - 1}."
    )
    mistakes = (
        Mistake(1, f"You counted the text once. The model predicts, and has a loss, after each {subject.noun}."),
        Mistake(length, f"You counted the last {subject.noun} as a context too, but it has no target after it."),
    )
    otherwise = f"Count the {subject.noun}s that have another one before them."
    return Number("examples", text, length - 1, 0.49, why, mistakes, otherwise, 0)
