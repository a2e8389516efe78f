"""The length of the stream and of each addition to it, and the direction of each addition."""

from functools import partial

import numpy as np
import streamlit as st

from attention_core.experiments.inside.residual_stream import Addition, StreamWrites, addition, measure_writes
from attention_core.model.activations import insides
from pages.charts.bars import signed_bars
from pages.charts.chart import rung
from pages.charts.vector_plane import Vector, plane, reach
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.tiny_lm.common import asked_position, chosen_place
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "stream",
    "Layers add to the residual stream",
    "Each position has one vector that runs through the whole model: its **residual stream**, also called hidden "
    "state. Attention and MLP read it, and a residual connection adds their output.",
    asks="What does a layer do to the stream?",
    words="adds",
    helps="lens",
)

LENGTHS = "The length (norm) of the stream and of each addition to it, from the embedding to the last layer."
POST = " After each addition LayerNorm sets the length to √d_model, before gain and bias."
PLANE = (
    "The stream, the addition and their sum, in the plane of all three. Angles are true, and lengths are relative to "
    "the stream, which has length 1."
)
ERASES = "A layer cannot overwrite the stream. To erase something, it adds a vector that points the opposite way."
ASKED = (
    "At {token}, attention in layer {layer} adds a vector of length {added}. The stream has length {length}. Where "
    "does the addition point, compared with the stream?"
)
DIRECTIONS = (
    "Mostly along it: more of the same",
    "Mostly at a right angle: something new",
    "Mostly against it: it erases something",
)
COSINE = "The cosine between the stream and the addition is {cosine}; 0 is a right angle."


def draw(page: Page, subject: Subject) -> bool:
    """Draw the length of the stream and of each addition to it, and one addition as arrows."""
    inside = page.recipe.run_once("inside", insides, subject.model, subject.tokens)
    page.drawing.pictured = "inside.weights[0, 0]"
    found = page.recipe.run("found", measure_writes, inside)
    n_layers = subject.model.config.n_layers
    if not page.ask(page.question("written", partial(written_question, subject, found))):
        return False
    parts = ["attention", "MLP"] if subject.model.config.d_hidden else ["attention"]
    names = [f"{part} {layer + 1}" for layer in range(n_layers) for part in parts]
    with st.container(horizontal=True):
        position = chosen_place(page, subject.labels)
        which = names.index(page.controls.select("adds", "Addition", names, names[0], width=170))
    layer, part = divmod(which, len(parts))
    added = found.feed_forward if part else found.attention
    page.prints(f"length (norm) of what {names[which]} adds at {subject.labels[position]}", added, layer, position)
    left, right = st.columns([1.18, 1], gap="large")
    with left:
        length_bars(page, subject, found, position)
    with right:
        triangle(page, page.recipe.run("drawn", addition, found, layer, part, position))
    return True


def length_bars(page: Page, subject: Subject, found: StreamWrites, position: int) -> None:
    """Draw the length of the stream from layer to layer, and between them the length of each addition."""
    labels, values = ["embedding"], [found.before[0, position]]
    for layer in range(len(found.before)):
        labels += [f"+ attention {layer + 1}", "= stream"]
        values += [found.attention[layer, position], found.middle[layer, position]]
        if subject.model.config.d_hidden:
            labels += [f"+ MLP {layer + 1}", "= stream"]
            values += [found.feed_forward[layer, position], found.after[layer, position]]
    post = subject.model.config.norm == "post"
    chart = signed_bars(
        labels,
        np.array(values, dtype=float),
        limit=rung(float(max(values))),
        name="vector norms",
        sentence=LENGTHS + POST * post,
        title="length (norm)",
        of="part",
        positive=True,
    )
    page.show(chart, note=subject.origin)


def triangle(page: Page, drawn: Addition) -> None:
    """Draw the stream, what is added to it and the sum as arrows in their own plane."""
    tips = ((drawn.stream, "stream", "ink"), (drawn.added, "addition", "attention"), (drawn.total, "sum", "ink"))
    arrows = [Vector(float(tip[0]), float(tip[1]), label, role) for tip, label, role in tips]
    limit = reach(drawn.stream, drawn.added, drawn.total)
    page.show(plane(arrows, limit=limit, name="addition", sentence=PLANE), note=ERASES)


def written_question(subject: Subject, found: StreamWrites, variant: int) -> Choice:
    """Ask in which direction the attention of a layer adds to the stream."""
    layer, position = variant % len(found.attention), asked_position(subject, variant)
    cosine = float(found.attention_cosine[layer, position])
    added, length = (number(float(part[layer, position])) for part in (found.attention, found.before))
    text = ASKED.format(token=quoted(subject.labels[position]), layer=layer + 1, added=added, length=length)
    right = DIRECTIONS[1 if cosine**2 < 0.5 else 0 if cosine > 0 else 2]
    said = COSINE.format(cosine=number(cosine))
    return Choice.of("written", text, right, said, dict.fromkeys(DIRECTIONS, said))
