"""All heads as points: any two of their measures over many texts, and all measures of the chosen one."""

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.experiments.inside.head_jobs import HeadSummary, summarise_heads
from attention_core.experiments.inside.head_patterns import Patterns, uniform_patterns
from pages.charts.chart import rung
from pages.charts.scatter import scatter
from pages.heads.side_by_side import head_buttons
from pages.look.html import number, table
from pages.page.fields.buttons import put_button
from pages.page.page import Page
from pages.server.model_cache import is_kept
from pages.tiny_lm.checkpoints import moments_of, patience, record_model
from pages.tiny_lm.common import head_name, head_names
from pages.tiny_lm.heads.over_texts import texts
from pages.tiny_lm.heads_view import chosen_head, head_word
from pages.tiny_lm.model_in_view import Subject

MEASURES = {  # as the axes name them
    "previous": "weight on previous",
    "same": "weight on same",
    "first": "weight on first",
    "self": "weight on itself",
    "induction": "weight on induction",
    "spread": "entropy",
    "distance": "mean distance",
    "copying": "copying",
}
MEANT = {  # and as a table does
    "previous": "weight on the previous token",
    "same": "weight on the same token elsewhere",
    "first": "weight on the first token",
    "self": "weight on the token itself",
    "induction": "weight on what followed the same token earlier",
    "spread": "entropy, as a fraction of its maximum",
    "distance": "distance to the key, in tokens",
    "copying": "copying",
}


def draw_measures(page: Page, subject: Subject) -> None:
    """Draw all heads by two measures, and all measures of one."""
    rows, which = texts(page, subject, record_model(page, moments_of(subject)[-1]))
    with patience("Measuring every head over many texts", is_kept(summarise_heads, subject.model, rows)):
        found = page.recipe.run_once("summary", summarise_heads, subject.model, rows)
        even = page.recipe.run_once("uniform", uniform_patterns, subject.model, rows)
    words = list(MEASURES.values())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        across = field_of(page.controls.select("across", "Across", words, MEASURES["previous"], width=200))
        up = field_of(page.controls.select("up", "Up", words, MEASURES["induction"], width=200))
    x, y = (getattr(found, field) for field in (across, up))
    layer, head = chosen_head(page, *x.shape) or np.unravel_index(int(y.argmax()), y.shape)
    cells = [head_word(each, other) for each, other in np.ndindex(x.shape)]
    names = dict(zip(cells, head_names(*x.shape), strict=True))
    word = head_word(int(layer), int(head))
    page.prints(f"{MEASURES[up]} of {head_name(names[word])}", f"summary.{up}[{layer}, {head}]")
    left, right = st.columns([1.18, 1], gap="large")
    with left:
        page.show(
            scatter(
                x.ravel(),
                y.ravel(),
                list(names.values()),
                [f"layer {each + 1}" for each, _ in np.ndindex(x.shape)],
                axes=axes_of(across, up),
                limits=(room_for(x), room_for(y)),
                of=("head", "layer"),
                chosen=cells.index(word),
                name="heads by two measures",
                sentence=f"{head_name(names[word]).capitalize()}: {MEASURES[across]} {number(float(x[layer, head]))}, "
                f"{MEASURES[up]} {number(float(y[layer, head]))}.",
            ),
            lambda i, _: page.controls.put(head=cells[i]),
            note=f"A dot is a head, named layer.head. Means over {which}. {subject.origin}",
        )
    with right:
        head_buttons(page, names, word)
        page.write(measure_table(found, even, int(layer), int(head), head_name(names[word])))
        page.write(
            "Copying: the fraction of other tokens whose logit the head raises less than that of the token it reads.",
            "note",
        )
        fixed = "heads_look" in page.controls.locked
        put_button(page, "See its examples", {"heads_look": "examples", "head": word}, "examples", disabled=fixed)


def room_for(values: Array) -> float:
    """Return the smallest power of two, from 1/64 on, that is at least as large as all values."""
    return rung(64 * float(values.max())) / 64


def field_of(word: str) -> str:
    """Return the measure that an axis names."""
    return next(field for field, name in MEASURES.items() if name == word)


def axes_of(across: str, up: str) -> tuple[str, str]:
    """Return the names of two axes, which differ also where the measures do not."""
    return MEASURES[across], MEASURES[up] + (" (again)" if across == up else "")


def measure_table(found: HeadSummary, even: Patterns, layer: int, head: int, name: str) -> str:
    """Return all measures of one head, beside those of uniform attention."""
    lines = [
        [what, number(float(getattr(found, field)[layer, head])), number(float(getattr(even, field)[0, 0]))]
        if field in Patterns._fields
        else [what, number(float(getattr(found, field)[layer, head])), "–"]
        for field, what in MEANT.items()
    ]
    return table([f"mean of {name}", "value", "uniform"], lines, long=0)
