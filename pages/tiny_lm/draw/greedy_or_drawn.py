"""A greedy text beside a sampled one, and how much either surprises the model."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.next_token import (
    measure_surprisal,
)
from attention_core.model.generate import decisions
from pages.charts.chart import rung
from pages.charts.lines import line_chart
from pages.look.html import number
from pages.page.page import Page
from pages.page.questions import Choice
from pages.tiny_lm.common import generated_text, several
from pages.tiny_lm.draw.decision import Decision
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import CANNOT_WRITE, Sampling, only_answers

LENGTHS = ("20", "40", "60")


def draw_texts(page: Page, subject: Subject, decision: Decision) -> None:
    """Show a greedy text beside a sampled one, and how much either surprises the model."""
    if only_answers(subject):
        page.write(CANNOT_WRITE, "note")
        return
    sampling = decision.sampling
    length = int(page.controls.choice("length", f"New {subject.unit}s", LENGTHS, LENGTHS[-1]))
    heat = sampling.temperature or 1.0
    way = Sampling(heat, *sampling[1:]) if sampling.temperature else Sampling(1.0, None, None, sampling.seed)
    greedy = page.recipe.run("greedy", decisions, subject.model, subject.tokens, length, 0.0)
    sampled = page.recipe.run("sampled", decisions, subject.model, subject.tokens, length, *way)
    surprisals = [
        page.recipe.run(f"{name}_surprisal", measure_surprisal, text)
        for name, text in (("greedy", greedy), ("sampled", sampled))
    ]
    question = surprise_question(surprisals[0].surprise, surprisals[1].surprise, way.how, page.variant("surprise"))
    if not page.ask(question):
        return
    titles = ("Greedy: always the likeliest", f"Sampled: {way.how}, seed {sampling.seed}")
    for side, title, text, found in zip(
        st.columns(2, gap="medium"), titles, (greedy, sampled), surprisals, strict=True
    ):
        with side:
            page.heading(title, small=True)
            again = int(found.repeats.sum())
            loop = (
                f"The text ends in a loop of {several(found.period, subject.unit)}."
                if found.period
                else "The text does not end in a loop."
            )
            page.write(generated_text(subject, text, length, again=found.repeats, ends=False))
            page.write(
                Markup(
                    "Mean surprisal: <b>{1} nats</b> per {0}. Underlined, {2} of {3}: the last {0} of four that "
                    "occurred before (a repeated 4-gram). {4}"
                ).format(subject.unit, number(found.surprise), again, length, loop),
                "note",
            )
    most = rung(max(float(found.surprises.max()) for found in surprisals))
    names = ("sampled", "greedy")
    chart = line_chart(
        np.arange(1, length + 1),
        {name: found.surprises for name, found in zip(names, surprisals[::-1], strict=True)},
        x_title=f"new {subject.unit}",
        y_title="surprisal · nats",
        x_domain=(1, length),
        y_domain=(0, most),
        name="surprisal",
        sentence=f"The largest surprisal is {surprisals[1].surprises.max():.2f} nats in the sampled text, and "
        f"{surprisals[0].surprises.max():.2f} in the greedy one.",
        number="",
    )
    page.show(chart)
    page.write(
        f"The surprisal of a {subject.unit} is −log p, where p is the probability that the model gave it (its bar). "
        "Greedy decoding is deterministic: once the whole context repeats, so does the text. Sampling can break the "
        "loop.",
        "note",
    )


def surprise_question(greedy: float, sampled: float, how: str, variant: int) -> Choice:
    """Ask which of two texts surprises the model less."""
    names = ("The greedy text", "The sampled text", "Both equally")
    right = 2 if abs(greedy - sampled) < 0.005 else 0 if greedy < sampled else 1
    reasons = {
        names[0]: "Each of its tokens is the likeliest at its position. But that path can lead to uncertain positions.",
        names[1]: "Sampling sometimes picks an unlikely token, and its −log p is large.",
        names[2]: "The two texts get different probabilities, so their means differ.",
    }
    text = (
        f"Two texts continue your prompt: one is greedy, the other is sampled ({how}). The surprisal of a token is "
        "−log p, with p from the model. Which text has the lower mean surprisal?"
    )
    why = f"Mean surprisal: greedy {number(greedy)}, sampled {number(sampled)} nats per token."
    return Choice.shuffled("surprise", text, [names[right]], why, {names[right]: ""} | reasons, variant)
