"""The prediction of the model with the attention or the MLP of one layer switched off."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from attention_core.experiments.inside.ablation import logits_without_parts
from attention_core.model.activations import Insides
from pages.charts.bars import fraction_bars
from pages.look.html import number, quoted, table
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.tiny_lm.asked_position import asked_position, distinct
from pages.tiny_lm.common import chosen_place
from pages.tiny_lm.model_in_view import Subject


def draw(page: Page, subject: Subject, inside: Insides) -> bool:
    """Show the prediction of the model with the attention or the MLP of one layer switched off."""
    config, place = subject.model.config, asked_position(page, subject, "left_out")
    without = page.recipe.run("without_a_part", logits_without_parts, subject.model, inside, place)
    ablated = page.recipe.run("ablated_predictions", softmax, without)
    whole = page.recipe.run("prediction", softmax, inside.logits[place])
    if not page.ask(ablation_question(subject, ablated[0, 0], whole, place)):
        return False
    with st.container(horizontal=True):
        position = chosen_place(page, subject)
    if position != place:
        without = page.recipe.run("without_a_part", logits_without_parts, subject.model, inside, position)
        ablated = page.recipe.run("ablated_predictions", softmax, without)
        whole = page.recipe.run("prediction", softmax, inside.logits[position])
    best = int(whole.argmax())
    what = f"probability of {subject.token(best)} without the attention of layer 1"
    page.prints(what, ablated, 0, 0, best)
    parts = ["attention", "MLP"][: ablated.shape[1]]
    names = [f"no {part} {layer + 1}" for layer in range(config.n_layers) for part in parts]
    rows = ablated.reshape(-1, ablated.shape[-1])
    left, right = st.columns([1.18, 1], gap="large")
    with left:
        chart = fraction_bars(
            ["complete", *names],
            np.array([whole[best], *rows[:, best]]),
            name="probability by ablation",
            sentence="The probability of the complete model’s likeliest token, and with one part switched off.",
            highlight=0,
            title="probability",
            of="model",
        )
        page.show(chart, note=subject.origin)
    with right:
        page.write(then_table(subject, ["complete", *names], [whole, *rows]))
        page.write(
            "Switched off: the part adds zeros, so the residual connection passes the stream on "
            + (
                "unchanged. In training, gradients flow back along the same connections, past every layer."
                if config.norm == "pre"
                else "to the LayerNorm that follows."
            ),
            "note",
        )
        if config.n_layers == 1 and not config.d_hidden and config.norm == "pre":
            page.write(
                "Without its only attention, this model reads its embedding directly. That is the first column of "
                "the logit lens.",
                "note",
            )
    return True


def then_table(subject: Subject, names: Sequence[str], predictions: Sequence[Array]) -> Markup:
    """Return what each model predicts."""
    rows = [
        (name, Markup("<b>{}</b>").format(subject.token(int(own.argmax()))), number(float(own.max())))
        for name, own in zip(names, predictions, strict=True)
    ]
    return table(("model", "prediction", "probability"), rows, left=2)


def ablation_question(subject: Subject, without: Array, predictions: Array, position: int) -> Choice:
    """Ask for the prediction if the attention of the first layer adds nothing; both are probabilities of all tokens."""
    best, final, own = int(without.argmax()), int(predictions.argmax()), int(subject.tokens[position])
    options = sorted(distinct([best, final, own]))
    mistakes = []
    for token in options:
        text = f"Without this attention its probability is {number(float(without[token]))}."
        if token == final:
            text = f"That is the prediction of the complete model. {text}"
        elif token == own:
            text = f"That is the token that the model reads. {text}"
        mistakes.append("" if without[token] == without[best] else text)
    mistakes.append("You set the stream to zero. Only the addition is zero: the residual connection keeps the stream.")
    uniform = bool(np.ptp(without) < 1e-9)
    right = tuple(i for i, token in enumerate(options) if without[token] == without[best])
    return Choice(
        "left_out",
        "The attention of layer 1 adds zeros at every position. What does the model then predict after "
        f"{quoted(subject.labels[position])}?",
        (*(subject.token(token) for token in options), "all tokens equally likely"),
        (*right, len(options)) if uniform else right,
        f"The model then predicts {quoted(subject.token(best))} with probability {number(float(without[best]))}.",
        tuple(mistakes),
    )
