"""A query and a key turned by their positions, pair by pair, and what their score depends on."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.one_head import LONGEST
from attention_core.experiments.position_kinds import RopeScore, explain_rope_score, one_word, placed_attention
from attention_core.experiments.position_similarity import rope_products
from pages.charts.chart import Chart
from pages.charts.vector_plane import Vector, plane, reach
from pages.look import cards, thumbnails
from pages.look.html import in_role, number, prose
from pages.page.page import Page
from pages.page.questions import Choice
from pages.page.steps import Step
from pages.positional_encoding.common import ROUNDING, SMALL, SMALL_BASE, head_over
from pages.positional_encoding.scene import Scene

STEP = Step(
    "RoPE",
    "RoPE turns queries and keys",
    "Rotary encoding, RoPE, adds nothing. It turns each pair of q and of k by an angle that grows with the "
    "position, so the score depends on the distance. Slide both words on together.",
)

ROPE_HEAD = 6  # the width of q and k: three pairs, each a picture
PAIRS = ("first", "second", "third")


def draw(page: Page, scene: Scene) -> bool:
    """Turn a query and a key by their positions, pair by pair, and compare their score after a slide."""
    controls, run, labels = page.controls, page.recipe.run, scene.labels
    x, head = head_over(page, scene, ROPE_HEAD)
    plain = run("plain", placed_attention, x, head, "none")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        asks = min(controls.whole("asks", "Query word", 1, LONGEST, 2, width=115), len(labels)) - 1
        answers = min(controls.whole("answers", "Key word", 1, LONGEST, 3, width=115), len(labels)) - 1
        q_at = controls.slider("q_at", "Query’s position", 0, 30, 2, 1, width=150)
        k_at = controls.slider("k_at", "Key’s position", 0, 30, 5, 1, width=150)
        slide = controls.slider("slide", "Slide both on by", 0, 100, 0, 1, width=150)
    q, k, v = plain.q[asks], plain.k[answers], plain.v[answers]
    if not page.ask(same_score_question(q, k, (q_at, k_at), scene.base, page.variant("same_score"))):
        return False
    q, k, v = page.recipe.given("q", q), page.recipe.given("k", k), page.recipe.given("v", v)
    here = run("here", explain_rope_score, q, k, q_at, k_at, scene.base)
    there = run("there", explain_rope_score, q, k, q_at + slide, k_at + slide, scene.base)
    limit = reach(*(vector.reshape(-1, 2) for vector in (q, k, v)))
    grid = st.grid(3, min_column_width=240, gap="medium")
    for pair, (name, share) in enumerate(zip(PAIRS, there.by_pair, strict=True)):
        with grid.cell():
            page.head(f"pair {pair}", f"· adds {number(share)} to q · k")
            page.show(turned_plane(there, v, pair, limit, f"{name} pair"), quiet=True)
    left, right = st.columns([1, 1], gap="medium")
    with left, st.container(border=True):
        ends = in_role(labels[asks], "query"), q_at + slide, in_role(labels[answers], "key"), k_at + slide
        page.write(score_card(there, Markup("{} at {} → {} at {}").format(*ends)))
    with right:
        gap = abs(there.score - here.score)
        again = "the same to the last digits" if gap < ROUNDING else f"off by {number(gap, 4)}"
        slid = f"slid on by {slide} it is {number(there.score, 4)}, {again}." if slide else "slide both on."
        page.say(
            f"At {q_at} and {k_at} the scaled score is {number(here.score, 4)}; {slid} "
            "Then drag one of the two alone.\n\n"
            "Points are where q and k pointed before the turn. :value[**v**] is not turned: what a word hands over "
            "does not depend on where it stands.",
            "",
        )
    return True


def thumbnail(scene: Scene) -> Markup:
    """Return the small picture of the step."""
    same = one_word(SMALL, SMALL)
    return thumbnails.thumbnail(rope_products(same, same, SMALL_BASE), SMALL / 2)


def turned_plane(turned: RopeScore, v: Array, pair: int, limit: float, name: str) -> Chart:
    """Return one pair of a query, a key and a value: arrows after the turn, points before it."""

    def hand(vector: Array, label: str, role: str) -> Vector:
        return Vector(float(vector[2 * pair]), float(vector[2 * pair + 1]), label, role)

    arrows = [hand(turned.q_turned, "q", "query"), hand(turned.k_turned, "k", "key"), hand(v, "v", "value")]
    points = [hand(turned.q, "", "query"), hand(turned.k, "", "key")]
    told = f"Pair {pair} of q, k and v."
    return plane(arrows, limit=limit, points=points, name=name, sentence=told, small=True)


def score_card(turned: RopeScore, title: Markup) -> Markup:
    """Return how the score is the sum of its pairs."""
    parts = [(f"pair {pair}", "", float(share)) for pair, share in enumerate(turned.by_pair)]
    total = ("sum", "q · k", float(turned.by_pair.sum()))
    return cards.card(title, cards.chain(*parts, total, ("scaled score", f"÷ √{ROPE_HEAD}", turned.score)))


def same_score_question(q: Array, k: Array, at: tuple[int, int], base: float, variant: int) -> Choice:
    """Ask at which other positions a query and a key have the same score under RoPE."""
    rng = np.random.default_rng([variant, 34])
    q_at, k_at = at
    slide = int(rng.integers(2, 40))
    swapped = (k_at, q_at) if q_at != k_at else (q_at, k_at + 1)
    places = [(q_at + slide, k_at + slide), (q_at + slide, k_at), swapped, (2 * q_at + 1, 2 * k_at + 3)]
    places = list(dict.fromkeys(places))
    places = [places[i] for i in rng.permutation(len(places))]
    score = explain_rope_score(q, k, *at, base).score
    scores = [explain_rope_score(q, k, *place, base).score for place in places]
    right = tuple(i for i, other in enumerate(scores) if abs(other - score) < ROUNDING)
    options = tuple(f"query at {a}, key at {b}" for a, b in places)
    apart = number(k_at - q_at, 0)
    mistakes = tuple(
        "" if i in right else f"There it is {number(there, 4)}: key minus query is {number(b - a, 0)}, and was {apart}."
        for i, (there, (a, b)) in enumerate(zip(scores, places, strict=True))
    )
    text = prose(
        f"With RoPE a query at position {q_at} and a key at position {k_at} have the scaled score {number(score, 4)}. "
        "Where else do the same query and key have the same one?"
    )
    why = "Both turn on by the same angles, and the angle between them stays: "
    why += f"the scaled score is {number(score, 4)} again."
    return Choice("same_score", text, options, right, why, mistakes)
