"""What the model bets on if one of its layers adds nothing."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from attention_core.experiments.ablation import logits_without_parts
from attention_core.model.activations import Insides
from pages.charts.bars import share_bars
from pages.look.html import number, quoted, table
from pages.page.page import Page
from pages.page.questions import Choice
from pages.tiny_lm.asked_position import asked_position, distinct
from pages.tiny_lm.common import chosen_place
from pages.tiny_lm.model_in_view import Subject


def draw(page: Page, subject: Subject, inside: Insides) -> bool:
    """Show what the model bets if one of its layers adds nothing."""
    config, place = subject.model.config, asked_position(page, subject, "left_out")
    without = page.recipe.run("without_a_part", logits_without_parts, subject.model, inside, place)
    bets = page.recipe.run("bets_without", softmax, without)
    whole = page.recipe.run("bet", softmax, inside.logits[place])
    if not page.ask(left_out_question(subject, bets[0, 0], whole, place)):
        return False
    with st.container(horizontal=True):
        position = chosen_place(page, subject)
    if position != place:
        without = page.recipe.run("without_a_part", logits_without_parts, subject.model, inside, position)
        bets = page.recipe.run("bets_without", softmax, without)
        whole = page.recipe.run("bet", softmax, inside.logits[position])
    best = int(whole.argmax())
    parts = ["attention", "feed-forward"][: bets.shape[1]]
    names = [f"no {part} {layer + 1}" for layer in range(config.n_layers) for part in parts]
    rows = bets.reshape(-1, bets.shape[-1])
    left, right = st.columns([1.18, 1], gap="large")
    with left:
        chart = share_bars(
            ["as it is", *names],
            np.array([whole[best], *rows[:, best]]),
            name="left out",
            sentence="What is given to the token that is likeliest now: by the model as it is, and without a part.",
            highlight=0,
            title="share",
            of="model",
        )
        page.show(chart, note=subject.origin)
    with right:
        page.write(then_table(subject, ["as it is", *names], [whole, *rows]))
        page.write(
            "Left out means that the part adds zeros: the stream passes by as it was. On the way back, too, every "
            "gradient finds the straight path past a layer, down to the first.",
            "note",
        )
        if config.n_layers == 1 and not config.d_hidden and config.norm == "pre":
            page.write(
                "With its only attention gone, this model reads its embedding directly: the first column of the lens.",
                "note",
            )
    return True


def then_table(subject: Subject, names: Sequence[str], bets: Sequence[Array]) -> Markup:
    """Return what each model bets on."""
    rows = [
        (name, Markup("<b>{}</b>").format(subject.token(int(own.argmax()))), number(float(own.max())))
        for name, own in zip(names, bets, strict=True)
    ]
    return table(("model", "bets most on", "share"), rows, left=2)


def left_out_question(subject: Subject, without: Array, bets: Array, position: int) -> Choice:
    """Ask what the model bets on if the attention of its first layer adds nothing; both are shares of all tokens."""
    best, final, own = int(without.argmax()), int(bets.argmax()), int(subject.tokens[position])
    options = sorted(distinct([best, final, own]))
    mistakes = []
    for token in options:
        text = f"It then has {number(float(without[token]))}."
        if token == final:
            text = f"That is the bet of the whole model. {text}"
        mistakes.append("" if without[token] == without[best] else text)
    nothing = "no bet: all tokens alike"
    mistakes.append(
        "So it would be if a layer replaced what it reads. It only adds: without it the stream passes by as it was."
    )
    alike = bool(np.ptp(without) < 1e-9)
    right = tuple(i for i, token in enumerate(options) if without[token] == without[best])
    return Choice(
        "left_out",
        "Let the attention of layer 1 add nothing at all, at any position. What does the model then bet on after "
        f"{quoted(subject.labels[position])}?",
        (*(subject.token(token) for token in options), nothing),
        (*right, len(options)) if alike else right,
        f"It bets on {quoted(subject.token(best))}, {number(float(without[best]))}. A residual path adds and does not "
        "replace.",
        tuple(mistakes),
    )
