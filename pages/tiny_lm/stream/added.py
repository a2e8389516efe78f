"""How long the stream is, how long what is added to it, and which way that points."""

import numpy as np
import streamlit as st

from attention_core.experiments.residual_stream import Addition, StreamWrites, addition, measure_writes
from attention_core.model.activations import Insides
from pages.charts.bars import signed_bars
from pages.charts.chart import rung
from pages.charts.lines import line_chart
from pages.charts.vector_plane import Vector, plane, reach
from pages.look.colours import ATTENTION, HEADS, INK, SOFT, Pair
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.page.questions import Mistake, Number
from pages.tiny_lm.asked_position import asked_position
from pages.tiny_lm.common import chosen_layer, chosen_place
from pages.tiny_lm.model_in_view import Subject

LINES = (INK, SOFT, ATTENTION, Pair(HEADS[2].light, HEADS[0].dark))  # each plain enough for the name at its end


def draw(page: Page, subject: Subject, inside: Insides) -> bool:
    """Draw how long the stream is, how long what is added to it, and which way that points."""
    found = page.recipe.run("found", measure_writes, inside)
    n_layers = subject.model.config.n_layers
    place = asked_position(page, subject, "written")
    if not page.ask(written_question(subject, found, page.variant("written") % n_layers, place)):
        return False
    parts = ["attention", "feed-forward"] if subject.model.config.d_hidden else ["attention"]
    names = [f"{part} {layer + 1}" for layer in range(n_layers) for part in parts]
    with st.container(horizontal=True):
        position = chosen_place(page, subject)
        which = names.index(page.controls.select("adds", "Which addition", names, names[0], width=170))
    left, right = st.columns([1.18, 1], gap="large")
    with left:
        length_bars(page, subject, found, position)
    with right:
        layer, part = divmod(which, len(parts))
        triangle(page, page.recipe.run("drawn", addition, found, layer, part, position))
    with left if len(names) < 3 else right:  # whichever column has room
        direction_bars(page, names, found, position)
    st.subheader("At every position", anchor=False)
    length_lines(page, subject, found)
    return True


def length_bars(page: Page, subject: Subject, found: StreamWrites, position: int) -> None:
    """Draw the stream's length on its way up, and between its stations the length of what is added."""
    labels, values = ["embedding"], [found.before[0, position]]
    for layer in range(len(found.before)):
        labels += [f"+ attention {layer + 1}", "= stream"]
        values += [found.attention[layer, position], found.middle[layer, position]]
        if subject.model.config.d_hidden:
            labels += [f"+ feed-forward {layer + 1}", "= stream"]
            values += [found.feed_forward[layer, position], found.after[layer, position]]
    said = "How long the stream is, and how long what is added to it, from the embedding to the end."
    if subject.model.config.norm == "post":
        said += " After each addition a norm makes the stream about √d_model long."
    far = max(float(array.max()) for array in (found.before, found.attention, found.feed_forward, found.after))
    chart = signed_bars(
        labels,
        np.array(values, dtype=float),
        limit=rung(max(far, float(found.middle.max()))),
        name="lengths",
        sentence=said,
        title="length",
        of="part",
        positive=True,
    )
    page.show(chart, note=subject.origin)


def direction_bars(page: Page, names: list[str], found: StreamWrites, position: int) -> None:
    """Draw the cosines between the stream and what is added to it."""
    cosines = np.stack([found.attention_cosine[:, position], found.feed_forward_cosine[:, position]], axis=1)
    chart = signed_bars(
        names,
        cosines[:, : len(names) // len(cosines)].ravel().astype(float),
        limit=1.0,
        name="directions",
        sentence="Which way each addition points: 1 is more of the same, 0 something new, −1 takes away.",
        title="cosine with the stream",
        of="part",
    )
    page.show(chart)


def triangle(page: Page, drawn: Addition) -> None:
    """Draw the stream, what is added to it and the sum as arrows in their own plane."""
    tips = ((drawn.stream, "stream", "ink"), (drawn.added, "added", "attention"), (drawn.total, "sum", "ink"))
    arrows = [Vector(float(tip[0]), float(tip[1]), label, role) for tip, label, role in tips]
    chart = plane(
        arrows,
        limit=reach(drawn.stream, drawn.added, drawn.total),
        name="the sum",
        sentence="The stream, what is added to it, and the sum, in the plane that holds all three: lengths and angles "
        "are the true ones, with the stream 1 long.",
    )
    page.show(chart)
    page.write("A layer never overwrites, it can only add: to erase, it adds what points backwards.", "note")


def length_lines(page: Page, subject: Subject, found: StreamWrites) -> None:
    """Draw the lengths over all positions, for one layer."""
    layer = chosen_layer(page, len(found.before)) if len(found.before) > 1 else 0
    n = found.before.shape[1]
    series = {"after": found.after[layer], "before": found.before[layer], "attention adds": found.attention[layer]}
    if subject.model.config.d_hidden:
        series["feed-forward adds"] = found.feed_forward[layer]
    far = max(float(values.max()) for values in series.values())
    chart = line_chart(
        np.arange(1, n + 1),
        {name: values.astype(float) for name, values in series.items()},
        x_title="position",
        y_title="length",
        x_domain=(1, max(n, 2)),
        y_domain=(0.0, rung(far)),
        name="lengths by position",
        sentence="The length of the stream before and after the layer, and of what is added, by position.",
        colours=LINES[: len(series)],
        dots=True,
    )
    page.show(chart)


def written_question(subject: Subject, found: StreamWrites, layer: int, position: int) -> Number:
    """Ask how long the stream is once the attention of a layer has added to it."""
    before, added = float(found.before[layer, position]), float(found.attention[layer, position])
    cosine = float(found.attention_cosine[layer, position])
    right = float(found.middle[layer, position])
    if subject.model.config.norm == "pre":
        why = (
            "With x for the stream and a for what is added: |x + a|² = |x|² + |a|² + 2 |x| |a| cos. "
            + ("The two point in opposite directions: what is added erases." if cosine < -0.5 else "")
            + ("They nearly stand at a right angle: something new is added." if abs(cosine) <= 0.5 else "")
            + ("They point the same way: more of the same." if cosine > 0.5 else "")
        )
    else:
        why = "Here a norm follows and brings every number near 1, so that the length says little of what was added."
    mistakes = (
        Mistake(before + added, "Lengths add up only where both vectors point the same way."),
        Mistake((before**2 + added**2) ** 0.5, "So it would be if the two stood at a right angle."),
        Mistake(added, "That would be the addition alone. It is added to the stream, which stays."),
        Mistake(abs(before - added), "So it would be if they pointed in exactly opposite directions."),
    )
    after = "" if subject.model.config.norm == "pre" else ", after the norm that follows"
    return Number(
        "written",
        f"At {quoted(subject.labels[position])}, the attention of layer {layer + 1} adds a vector of length "
        f"{number(added, 3)} to a stream of length {number(before, 3)}, and the cosine between the two is "
        f"{number(cosine, 3)}. How long is the sum{after}?",
        right,
        max(0.04 * right, 0.006),
        why,
        mistakes,
        "Draw the two as arrows, the second from the tip of the first.",
    )
