"""One score as a sum over writers of the query and writers of the key: as a map, in words, and asked for."""

import numpy as np
import streamlit as st
from markupsafe import Markup, escape
from streamlit.delta_generator import DeltaGenerator

from attention_core.experiments.inside.score_split import (
    Cell,
    ScoreSplit,
    score_writers,
    split_lead,
    split_mean_of_others,
    split_score,
)
from attention_core.model.activations import Insides
from pages.charts.chart import rung
from pages.charts.heatmap import ALL_SUMS, NO_LEGEND, Axes, heatmap, outline, scale
from pages.look import cards
from pages.look.colours import KEY, QUERY
from pages.look.html import in_role, number, quoted, tiny
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.tiny_lm.asked_position import MAX_OPTIONS, distinct
from pages.tiny_lm.model_in_view import Subject

WRITER_AXES = Axes("query from", "key from", "score", QUERY, KEY, words=True)
ALONE = "nothing (plain score)"
MEAN = "mean of other keys"
LISTED = 4  # terms on the card


def draw_split(page: Page, subject: Subject, inside: Insides, cell: Cell, beside: DeltaGenerator) -> None:
    """Draw the split of one score, or of its lead over other keys, as a map, and in words `beside` the map above."""
    names = score_writers(subject.model.config, cell.layer)
    with beside:
        found, over = chosen_split(page, subject, inside, cell)
        in_words(page, subject, inside, cell, found, over)
    page.heading("The score, split by the parts of query and key", small=True)
    query, key = np.unravel_index(found.terms.argmax(), found.terms.shape)
    layers = scale(rung(float(np.abs(found.terms).max()))), outline(int(query), int(key)), NO_LEGEND, ALL_SUMS
    sentence = (
        f"The largest term is {number(float(found.terms[query, key]))}: the query from "
        f"{said(names[query])}, the key from {said(names[key])}."
    )
    page.show(
        heatmap(
            found.terms, list(names), list(names), WRITER_AXES, *layers, name="who wrote the score", sentence=sentence
        ),
        note=f"A head is named layer.head. {subject.origin}",
    )
    page.say(
        "The split says what the score is a sum of, not what causes it. Without one component, the other parts and the "
        "scale of LayerNorm would change too. The step *patching* measures effects.",
        "",
    )
    left, right = st.columns([1.18, 1], gap="large")
    with left, st.container(border=True):
        page.write(split_card(subject, cell, found, over))
    with right:
        page.say(
            "A cell is the dot product of two parts, divided by √d_k. The **scale of LayerNorm is frozen**: each part "
            "is divided by the standard deviation of the whole vector. So every step is linear, and all cells sum to "
            "the score before any penalty on distance.",
            "note",
        )


def chosen_split(page: Page, subject: Subject, inside: Insides, cell: Cell) -> tuple[ScoreSplit, str]:
    """Draw the list of keys to compare with; return the split of the score, or of its lead, and over what it leads."""
    labels, run = subject.labels, page.recipe.run
    stop = cell.query + 1 if subject.model.config.causal else len(labels)
    others = [label for place, label in enumerate(labels[:stop]) if place != cell.key]
    offered = [ALONE, *([MEAN] if others else []), *others]
    over = page.controls.select("rival", "Compare with", offered, ALONE, width=200)
    found = run("split", split_score, subject.model, inside, *cell)
    if over == ALONE:
        page.prints(f"score of {labels[cell.key]}", "split.score")
        return found, ""
    if over == MEAN:
        other = run("other", split_mean_of_others, subject.model, inside, *cell)
    else:
        other = run("other", split_score, subject.model, inside, *cell._replace(key=labels.index(over)))
    lead = run("lead", split_lead, found, other)
    page.prints(f"lead of {labels[cell.key]}", "lead.score")
    return lead, "the mean of the other keys" if over == MEAN else f"the score of {quoted(over)}"


def in_words(page: Page, subject: Subject, inside: Insides, cell: Cell, found: ScoreSplit, over: str) -> None:
    """Write which writers of the key and of the query contribute most, and what they read if they are heads."""
    names, labels = score_writers(subject.model.config, cell.layer), subject.labels
    page.say(
        f"For the query {{query}}, head **{cell.layer + 1}.{cell.head + 1}** gives {{key}} the weight "
        f"{number(float(inside.weights[cell]))}. "
        + ("Its score minus {over} is " if over else "Its score is ")
        + f"**{number(found.score)}**.",
        "",
        key=Markup("“{}”").format(in_role(labels[cell.key], "key")),
        query=Markup("“{}”").format(in_role(labels[cell.query], "query")),
        over=escape(over),
    )
    for side, shares, position in (("key", found.by_key, cell.key), ("query", found.by_query, cell.query)):
        best = int(shares.argmax())
        page.say(
            f"The part of the {side} from {said(names[best], bold=True)} adds most to the score: "
            f"**{number(float(shares[best]))}**.{{read}}",
            "",
            read=escape(what_it_read(inside, labels, names[best], position)),
        )


def what_it_read(inside: Insides, labels: list[str], writer: str, position: int) -> str:
    """Return what a writer has read at a position: of a head, the key with most of its weight."""
    here = quoted(labels[position])
    if writer == "embedding":
        return f" That is the token {here} itself."
    if "." not in writer:
        return ""
    layer, head = (int(part) - 1 for part in writer.split("."))
    weights = inside.weights[layer, head, position]
    best = int(weights.argmax())
    return f" At {here}, that head attends most to {quoted(labels[best])}: {number(float(weights[best]))}."


def said(writer: str, bold: bool = False) -> str:
    """Return a writer as a sentence names it."""
    mark = "**" if bold else ""
    if "." in writer:
        return f"head {mark}{writer}{mark}"
    return f"the {mark}{writer}{mark}" if writer in ("embedding", "positions") else f"{mark}{writer}{mark}"


def split_card(subject: Subject, cell: Cell, found: ScoreSplit, over: str) -> Markup:
    """Return the largest terms, the rest, their sum, and the model's own result."""
    names = score_writers(subject.model.config, cell.layer)
    order = np.argsort(-np.abs(found.terms), axis=None, kind="stable")[:LISTED]
    lines = []
    for place in order:
        query, key = divmod(int(place), len(names))
        lines.append((f"{names[query]} × {names[key]}", "", found.terms[query, key]))
    rest = float(found.terms.sum() - found.terms.ravel()[order].sum())
    if found.terms.size > len(order):
        lines.append(("all other terms", f"{found.terms.size - len(order)} of them", rest))
    if subject.model.config.slopes:
        lines.append(("distance bias (ALiBi)", "fixed before training", found.distance))
    lines += [
        (Markup("<b>their sum</b>"), "", found.total),
        ("the model’s own result", "from its forward pass", found.score),
    ]
    texts = [(left, note, number(float(value), 4)) for left, note, value in lines]
    texts.append(("difference", "rounding", tiny(abs(found.total - found.score))))
    title = Markup("The score of <b>{}</b>{}").format(subject.labels[cell.key], f" minus {over}" if over else "")
    return cards.card(title, cards.listed(texts))


def writer_question(subject: Subject, inside: Insides, cell: Cell, found: ScoreSplit) -> Choice:
    """Ask which writer of the key contributes most to a score."""
    names, labels = score_writers(subject.model.config, cell.layer), subject.labels
    order = np.argsort(-found.by_key, kind="stable")
    offered = sorted(distinct([0, int(order[0]), *order[1:]])[:MAX_OPTIONS])
    options = tuple(said(names[place]) for place in offered)
    best = max(float(found.by_key[place]) for place in offered)
    right = tuple(i for i, place in enumerate(offered) if found.by_key[place] == best)
    writer = names[offered[right[0]]]
    key, query = quoted(labels[cell.key]), quoted(labels[cell.query])
    penalty = f" and the penalty on distance, {number(found.distance)}," if found.distance else ""
    mistakes = tuple(
        ""
        if i in right
        else f"This part of the key adds {number(float(found.by_key[place]))}."
        + what_it_read(inside, labels, names[place], cell.key)
        for i, place in enumerate(offered)
    )
    return Choice(
        "writer",
        f"Head {cell.layer + 1}.{cell.head + 1} gives {key} the weight {number(float(inside.weights[cell]))} from "
        f"{query}. The key at {key} is a sum. Which part of it adds most to the score?",
        options,
        right,
        f"The part from {said(writer)} adds {number(best)}. All parts{penalty} sum to the score, "
        f"{number(found.score)}.{what_it_read(inside, labels, writer, cell.key)}",
        mistakes,
    )
