"""The length of the stream and of each addition to it, and the direction of each addition."""

import numpy as np
import streamlit as st

from attention_core.experiments.inside.residual_stream import Addition, StreamWrites, addition, measure_writes
from attention_core.model.activations import Insides
from pages.charts.bars import signed_bars
from pages.charts.chart import rung
from pages.charts.lines import line_chart
from pages.charts.vector_plane import Vector, plane, reach
from pages.look.colours import ATTENTION, HEADS, INK, SOFT, Pair
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.page.questions.kinds import Mistake, Number
from pages.tiny_lm.asked_position import asked_position
from pages.tiny_lm.common import chosen_layer, chosen_place
from pages.tiny_lm.model_in_view import Subject

LINES = (INK, SOFT, ATTENTION, Pair(HEADS[2].light, HEADS[0].dark))  # each plain enough for the name at its end


def draw(page: Page, subject: Subject, inside: Insides) -> bool:
    """Draw the length of the stream and of each addition to it, and the direction of each addition."""
    found = page.recipe.run("found", measure_writes, inside)
    n_layers = subject.model.config.n_layers
    place = asked_position(page, subject, "written")
    order = telling_layers(subject, found, place)
    if not page.ask(written_question(subject, found, order[page.variant("written") % n_layers], place)):
        return False
    parts = ["attention", "MLP"] if subject.model.config.d_hidden else ["attention"]
    names = [f"{part} {layer + 1}" for layer in range(n_layers) for part in parts]
    with st.container(horizontal=True):
        position = chosen_place(page, subject)
        usual = f"attention {telling_layers(subject, found, len(subject.tokens) - 1)[0] + 1}"
        which = names.index(page.controls.select("adds", "Addition", names, usual, width=170))
    layer, part = divmod(which, len(parts))
    added = found.feed_forward if part else found.attention
    page.prints(f"length (norm) of what {names[which]} adds at {subject.labels[position]}", added, layer, position)
    left, right = st.columns([1.18, 1], gap="large")
    with left:
        length_bars(page, subject, found, position)
    with right:
        triangle(page, page.recipe.run("drawn", addition, found, layer, part, position))
    with left if len(names) < 3 else right:  # whichever column has room
        direction_bars(page, names, found, position)
    page.heading("At every position", small=True)
    length_lines(page, subject, found)
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
    said = "The length (norm) of the stream and of each addition to it, from the embedding to the last layer."
    if subject.model.config.norm == "post":
        said += " After each addition LayerNorm sets the length to √d_model, before gain and bias."
    chart = signed_bars(
        labels,
        np.array(values, dtype=float),
        limit=rung(float(max(values))),
        name="vector norms",
        sentence=said,
        title="length (norm)",
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
        sentence="The cosine of each addition with the stream: 1 is the same direction, 0 a right angle, −1 the "
        "opposite direction.",
        title="cosine with the stream",
        of="part",
    )
    page.show(chart)


def triangle(page: Page, drawn: Addition) -> None:
    """Draw the stream, what is added to it and the sum as arrows in their own plane."""
    tips = ((drawn.stream, "stream", "ink"), (drawn.added, "addition", "attention"), (drawn.total, "sum", "ink"))
    arrows = [Vector(float(tip[0]), float(tip[1]), label, role) for tip, label, role in tips]
    chart = plane(
        arrows,
        limit=reach(drawn.stream, drawn.added, drawn.total),
        name="addition",
        sentence="The stream, the addition and their sum, in the plane of all three. Angles are true, and lengths are "
        "relative to the stream, which has length 1.",
    )
    page.show(chart)
    page.write(
        "A layer cannot overwrite the stream. To erase something, it adds a vector that points the opposite way.",
        "note",
    )


def length_lines(page: Page, subject: Subject, found: StreamWrites) -> None:
    """Draw the lengths at all positions, for one layer."""
    layer = chosen_layer(page, len(found.before)) if len(found.before) > 1 else 0
    n = found.before.shape[1]
    series = {"after": found.after[layer], "before": found.before[layer], "attention": found.attention[layer]}
    if subject.model.config.d_hidden:
        series["MLP"] = found.feed_forward[layer]
    far = max(float(values.max()) for values in series.values())
    chart = line_chart(
        np.arange(1, n + 1),
        {name: values.astype(float) for name, values in series.items()},
        x_title="position",
        y_title="length (norm)",
        y_domain=(0.0, rung(far)),
        name="vector norms by position",
        sentence="The length of the stream before and after the layer, and of each addition, by position.",
        colours=LINES[: len(series)],
        dots=True,
    )
    page.show(chart)


def telling_layers(subject: Subject, found: StreamWrites, position: int) -> list[int]:
    """Return the layers, first the one in which no mistake comes near the length of the sum."""

    def apart(layer: int) -> float:
        question = written_question(subject, found, layer, position)
        return min((abs(mistake.value - question.right) / question.right for mistake in question.mistakes), default=0.0)

    return sorted(range(subject.model.config.n_layers), key=apart, reverse=True)


def written_question(subject: Subject, found: StreamWrites, layer: int, position: int) -> Number:
    """Ask for the length of the stream after the attention of a layer has added to it."""
    before, added = float(found.before[layer, position]), float(found.attention[layer, position])
    cosine = float(found.attention_cosine[layer, position])
    right = float(found.middle[layer, position])
    if subject.model.config.norm == "pre":
        lengths = [number(length, 3) for length in (before, added)]
        factor = number(cosine, 3) if cosine >= 0 else f"({number(cosine, 3)})"
        why = (
            "The squared length of the sum is |x|² + |a|² + 2 |x| |a| cos, so the length is "
            f"√({lengths[0]}² + {lengths[1]}² + 2 · {lengths[0]} · {lengths[1]} · {factor}) = "
            f"{number(right)}. {angle(cosine)}"
        )
    else:
        width = subject.model.config.d_model
        why = (
            f"LayerNorm follows and rescales the vector to length √{width} = {number(width**0.5)}, before gain and "
            "bias. So this length says little about what was added."
        )
    mistakes: tuple[Mistake, ...] = (
        Mistake(before + added, "You added the lengths. That is right only if both vectors have the same direction."),
        Mistake((before**2 + added**2) ** 0.5, "You assumed a right angle. Use the cosine too."),
        Mistake(added, "You gave the length of the addition. It is added to the stream, which stays."),
        Mistake(abs(before - added), "You subtracted the lengths. That is right only for opposite directions."),
    )
    hint = "Sketch the two vectors as arrows, the second from the tip of the first."
    if subject.model.config.norm == "post":
        mistakes, hint = (), "LayerNorm gives the entries a standard deviation near 1, whatever the lengths before it."
    after = "" if subject.model.config.norm == "pre" else " after the LayerNorm that follows"
    return Number(
        "written",
        f"At {quoted(subject.labels[position])}, attention in layer {layer + 1} adds a vector of length "
        f"{number(added, 3)} to a stream of length {number(before, 3)}. The cosine between them is "
        f"{number(cosine, 3)}. How long is the sum{after}?",
        right,
        max(0.04 * right, 0.006),
        why,
        mistakes,
        hint,
    )


def angle(cosine: float) -> str:
    """Return in words what an addition does that has this cosine with the stream."""
    if cosine < -0.5:
        return "The addition points mostly backwards, so it erases part of the stream."
    if cosine > 0.5:
        return "The addition points mostly the same way, so it adds more of the same."
    return "The angle is between 60° and 120°, so the addition is mostly something new."
