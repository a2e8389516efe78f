"""A greedy text beside one that was drawn, and how much either surprises the model."""

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
from pages.tiny_lm.common import generated_text
from pages.tiny_lm.draw.decision import Decision
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import Sampling

LENGTHS = ("20", "40", "60")


def draw_texts(page: Page, subject: Subject, decision: Decision) -> None:
    """Show a greedy text beside one that was drawn, and how much either surprises the model."""
    sampling = decision.sampling
    length = int(page.controls.choice("length", f"New {subject.unit}s", LENGTHS, LENGTHS[-1]))
    heat = sampling.temperature or 1.0
    drawn_so = Sampling(heat, *sampling[1:]) if sampling.temperature else Sampling(1.0, None, None, sampling.seed)
    greedy = page.recipe.run("greedy", decisions, subject.model, subject.tokens, length, 0.0)
    drawn = page.recipe.run("drawn", decisions, subject.model, subject.tokens, length, *drawn_so)
    tellings = [
        page.recipe.run(f"{name}_told", measure_surprisal, text)
        for name, text in (("greedy", greedy), ("drawn", drawn))
    ]
    question = surprise_question(tellings[0].surprise, tellings[1].surprise, drawn_so.how, page.variant("surprise"))
    if not page.ask(question):
        return
    titles = ("Greedy: always the likeliest", f"Drawn: {drawn_so.how}, seed {sampling.seed}")
    for side, title, text, found in zip(st.columns(2, gap="medium"), titles, (greedy, drawn), tellings, strict=True):
        with side:
            st.subheader(title, anchor=False)
            again = int(found.repeats.sum())
            circle = (
                f"At the end {found.period} go round and round."
                if found.period > 1
                else "At the end one goes on for ever."
                if found.period
                else "At the end nothing goes round."
            )
            page.write(generated_text(subject, text, length, again=found.repeats, ends=False))
            page.write(
                Markup(
                    "A {0} surprises by <b>{1} nats</b> on average. {2} of {3} {0}s (underlined) end a run of four "
                    "that stood there before. {4}"
                ).format(subject.unit, number(found.surprise), again, length, circle),
                "note",
            )
    most = rung(max(float(found.surprises.max()) for found in tellings))
    names = ("drawn", "greedy")
    chart = line_chart(
        np.arange(1, length + 1),
        {name: found.surprises for name, found in zip(names, tellings[::-1], strict=True)},
        x_title=f"new {subject.unit}",
        y_title="surprise · nats",
        x_domain=(1, length),
        y_domain=(0, most),
        name="surprise",
        sentence=f"The largest surprise of the drawn text is {tellings[1].surprises.max():.2f} nats, of the greedy one "
        f"{tellings[0].surprises.max():.2f}.",
        number="",
    )
    page.show(chart)
    page.write(
        f"The surprise of a {subject.unit} is −log of the share that the model itself gave it: its bar. What is greedy "
        "follows from what the model reads alone: once it reads the same again, so it goes on. A draw may leave the "
        "circle.",
        "note",
    )


def surprise_question(greedy: float, drawn: float, how: str, variant: int) -> Choice:
    """Ask which of two texts surprises the model less."""
    names = ("The greedy one", "The drawn one", "Both alike")
    right = 2 if abs(greedy - drawn) < 0.005 else 0 if greedy < drawn else 1
    reasons = {
        names[0]: "Each of its tokens was the likeliest, but being likely now is not to be likely all along.",
        names[1]: "A draw takes now and then what the model expects less.",
        names[2]: "Every token that was not the likeliest adds to the mean.",
    }
    text = (
        f"Two texts continue your prompt: one takes the likeliest token each time, the other draws ({how}). A token "
        "surprises the model by −log of its share. Which text surprises it less, token for token?"
    )
    why = f"Mean surprise: greedy {number(greedy)}, drawn {number(drawn)} nats a token."
    return Choice.shuffled("surprise", text, [names[right]], why, {names[right]: ""} | reasons, variant)
