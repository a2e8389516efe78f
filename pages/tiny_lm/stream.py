"""The residual stream: what is added to it, whose it is, and what the model bets if a part adds nothing."""

from collections.abc import Sequence
from html import escape

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from attention_core.experiments.ablation import logits_without_parts
from attention_core.experiments.residual_stream import Addition, StreamWrites, addition, measure_writes, stream_shares
from attention_core.model.activations import Insides, insides
from pages.charts.bars import share_bars, signed_bars
from pages.charts.chart import rung
from pages.charts.lines import line_chart
from pages.charts.vector_plane import Vector, plane, reach
from pages.look import cards
from pages.look.colours import ATTENTION, HEADS, INK, SOFT, Pair
from pages.look.html import number, table, typed
from pages.page.page import Page
from pages.tiny_lm.inside_layer import fed, normed
from pages.tiny_lm.inside_questions import (
    asked_place,
    left_out_question,
    share_names,
    share_values,
    whose_question,
    written_question,
)
from pages.tiny_lm.subject import Subject
from pages.tiny_lm.views import chosen_layer, chosen_place

LOOKS = ("what is added", "whose it is", "a norm", "feed-forward", "left out")
LINES = (INK, SOFT, ATTENTION, Pair(HEADS[2].light, HEADS[0].dark))  # each plain enough for the name at its end


def stream(page: Page, subject: Subject) -> str | None:
    """Show one side of the residual stream."""
    inside = page.recipe.run("inside", insides, subject.model, subject.tokens)
    look = page.controls.choice("stream", "Look at", LOOKS, LOOKS[0])
    shows = {
        "what is added": added,
        "whose it is": whose,
        "a norm": normed,
        "feed-forward": fed,
        "left out": left_out,
    }
    shows[look](page, subject, inside)
    return "inside.weights[0, 0]"


def added(page: Page, subject: Subject, inside: Insides) -> None:
    """Draw how long the stream is, how long what is added to it, and which way that points."""
    found = page.recipe.run("found", measure_writes, inside)
    n_layers = subject.model.config.n_layers
    place = asked_place(page, subject, "written")
    if not page.ask(written_question(subject, found, page.variant("written") % n_layers, place)):
        return
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
    page.show(chart, note=escape(subject.origin))


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
    arrows = [
        Vector(*drawn.stream.tolist(), "stream"),
        Vector(*drawn.added.tolist(), "added", "attention"),
        Vector(*drawn.total.tolist(), "sum"),
    ]
    chart = plane(
        arrows,
        limit=reach(drawn.stream, drawn.added, drawn.total),
        name="the sum",
        sentence="The stream, what is added to it, and the sum, in the plane that holds all three: lengths and angles "
        "are the true ones, with the stream 1 long.",
    )
    page.show(chart)
    page.write(
        "A layer never overwrites, it can only add: to erase, it adds what points backwards.",
        "note",
    )


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


def whose(page: Page, subject: Subject, inside: Insides) -> None:
    """Draw whose writing the last stream is, as shares that sum to 1."""
    config = subject.model.config
    if config.norm != "pre":
        page.say(
            "This model norms the stream itself after every layer (post-norm), so the last stream is no longer the sum "
            "of what the parts wrote. A model with its norms first, such as any that ships, shows this view.",
            "",
        )
        return
    place = asked_place(page, subject, "whose")
    first = page.recipe.run("shares_first", stream_shares, subject.model, inside, place)
    if not page.ask(whose_question(subject, first, place)):
        return
    with st.container(horizontal=True):
        position = chosen_place(page, subject)
    shares = page.recipe.run("shares", stream_shares, subject.model, inside, position)
    names = share_names(config.n_layers, config.n_heads, config.d_hidden > 0)
    values = share_values(shares, config.d_hidden > 0)
    left, right = st.columns([1.18, 1], gap="large")
    with left:
        chart = signed_bars(
            [*names, "Σ"],
            np.array([*values, shares.total]),
            limit=rung(float(np.abs(values).max())),
            name="shares of the stream",
            sentence="What each part has of the last stream: its shadow on the whole, divided by the whole. "
            "The shares sum to 1.",
            title="against the sum ← → along it",
            of="part",
        )
        page.show(chart, note=escape(subject.origin))
    with right, st.container(border=True):
        heads, blocks = float(shares.heads.sum()), float(shares.feed_forwards.sum())
        lines = [
            ("token", "its embedding", shares.token),
            ("position", "its embedding", shares.place),
            ("heads", f"{shares.heads.size} together", heads),
            ("feed-forwards", "" if config.d_hidden else "this model has none", blocks),
            ("<b>their sum</b>", "", shares.total),
        ]
        page.write(
            f'<div class="title">The last stream at {typed(subject.labels[position])}, {number(shares.length)} long'
            f"</div>{cards.listed((what, note, number(value, 4)) for what, note, value in lines)}"
        )
    page.write(
        "The stream is these vectors, added. A share says how far a part points along the sum, not what the part is "
        "good for.",
        "note",
    )


def left_out(page: Page, subject: Subject, inside: Insides) -> None:
    """Show what the model bets if one of its layers adds nothing."""
    config, place = subject.model.config, asked_place(page, subject, "left_out")
    without = page.recipe.run("without_a_part", logits_without_parts, subject.model, inside, place)
    bets = page.recipe.run("bets_without", softmax, without)
    whole = page.recipe.run("bet", softmax, inside.logits[place])
    if not page.ask(left_out_question(subject, bets[0, 0], whole, place)):
        return
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
        page.show(chart, note=escape(subject.origin))
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


def then_table(subject: Subject, names: Sequence[str], bets: Sequence[Array]) -> str:
    """Return what each model bets on."""
    rows = [
        (name, f"<b>{escape(subject.token(int(own.argmax())))}</b>", number(float(own.max())))
        for name, own in zip(names, bets, strict=True)
    ]
    return table(("model", "bets most on", "share"), rows, left=2)
