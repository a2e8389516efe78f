"""A query and a key rotated by their positions, pair by pair, and what their score depends on."""

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
from pages.positional_encoding.common import ROUNDING, SMALL, SMALL_BASE, added_up, head_over
from pages.positional_encoding.scene import Scene

STEP = Step(
    "RoPE",
    "RoPE rotates queries and keys",
    "RoPE (rotary position embedding) adds nothing to the words. Each pair of q and k is the hand of a clock. It is "
    "rotated by its angle once for each position.",
    asks="On what does a score with RoPE depend?",
    then="The score depends only on the two words and the offset, key position − query position. Shift both together.",
)

ROPE_HEAD = 6  # the width of q and k: three pairs, each a picture
PAIRS = ("first", "second", "third")


def draw(page: Page, scene: Scene) -> bool:
    """Rotate a query and a key by their positions, pair by pair, and compare their score after a shift."""
    controls, run, labels = page.controls, page.recipe.run, scene.labels
    x, head = head_over(page, scene, ROPE_HEAD)
    plain = run("plain", placed_attention, x, head, "none")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        asks = min(controls.whole("asks", "Query word", 1, LONGEST, 2, width=115), len(labels)) - 1
        answers = min(controls.whole("answers", "Key word", 1, LONGEST, 3, width=115), len(labels)) - 1
        q_at = controls.slider("q_at", "Query position", 0, 30, 2, 1, width=150)
        k_at = controls.slider("k_at", "Key position", 0, 30, 5, 1, width=150)
        shift = controls.slider("slide", "Shift of both", 0, 100, 0, 1, width=150)
    q, k, v = plain.q[asks], plain.k[answers], plain.v[answers]
    if not page.ask(same_score_question(q, k, (q_at, k_at), scene.base, page.variant("same_score"))):
        return False
    q, k, v = page.recipe.given("q", q), page.recipe.given("k", k), page.recipe.given("v", v)
    page.recipe.say_shortly("q", f"plain.q[{asks}]")
    page.recipe.say_shortly("k", f"plain.k[{answers}]")
    here = run("here", explain_rope_score, q, k, q_at, k_at, scene.base)
    there = run("there", explain_rope_score, q, k, q_at + shift, k_at + shift, scene.base)
    page.prints(f"scaled score at positions {q_at + shift} and {k_at + shift}", "there.score")
    limit = reach(*(vector.reshape(-1, 2) for vector in (q, k, v)))
    grid = st.grid(3, min_column_width=240, gap="medium")
    for pair, (name, part) in enumerate(zip(PAIRS, there.by_pair, strict=True)):
        with grid.cell():
            page.head(f"pair {pair}", f"· adds {number(part, 4)} to q · k")
            page.show(rotated_plane(there, v, pair, limit, f"{name} pair"), quiet=True)
    left, right = st.columns([1, 1], gap="medium")
    with left, st.container(border=True):
        ends = in_role(labels[asks], "query"), q_at + shift, in_role(labels[answers], "key"), k_at + shift
        page.write(score_card(there, Markup("{} at {} → {} at {}").format(*ends)))
    with right:
        gap = abs(there.score - here.score)
        again = "exactly the same" if gap < ROUNDING else f"which differs by {number(gap, 4)}"
        shifted = f"Shifted by {shift}, it is {number(there.score, 4)}, {again}." if shift else "Shift both words."
        page.say(
            f"At positions {q_at} and {k_at} the scaled score is {number(here.score, 4)}. {shifted} Then drag one "
            "position alone, or swap the two.\n\n"
            "Dots show q and k before the rotation. RoPE does not rotate :value[**v**], so positions change the "
            "attention weights but not the values.",
            "",
        )
    return True


def thumbnail(scene: Scene) -> Markup:
    """Return the small picture of the step."""
    same = one_word(SMALL, SMALL)
    return thumbnails.thumbnail(rope_products(same, same, SMALL_BASE), SMALL / 2)


def rotated_plane(rotated: RopeScore, v: Array, pair: int, limit: float, name: str) -> Chart:
    """Return one pair of a query, a key and a value: arrows after the rotation, points before it."""

    def hand(vector: Array, label: str, role: str) -> Vector:
        return Vector(float(vector[2 * pair]), float(vector[2 * pair + 1]), label, role)

    arrows = [hand(rotated.q_turned, "q", "query"), hand(rotated.k_turned, "k", "key"), hand(v, "v", "value")]
    points = [hand(rotated.q, "", "query"), hand(rotated.k, "", "key")]
    told = f"Pair {pair} of q, k and v."
    return plane(arrows, limit=limit, points=points, name=name, sentence=told, small=True)


def score_card(rotated: RopeScore, title: Markup) -> Markup:
    """Return how the score is the sum of its pairs."""
    parts = [(f"pair {pair}", "", float(part)) for pair, part in enumerate(rotated.by_pair)]
    total = ("sum", "q · k", float(rotated.by_pair.sum()))
    return cards.card(title, added_up([*parts, total], ("scaled score", f"÷ √{ROPE_HEAD}", rotated.score)))


def same_score_question(q: Array, k: Array, at: tuple[int, int], base: float, variant: int) -> Choice:
    """Ask at which other positions a query and a key have the same score under RoPE."""
    rng = np.random.default_rng([variant, 34])
    q_at, k_at = at
    shift = int(rng.integers(2, 40))
    swapped = (k_at, q_at) if q_at != k_at else (q_at, k_at + 1)
    pairs = [(q_at + shift, k_at + shift), (q_at + shift, k_at), swapped, (2 * q_at + 1, 2 * k_at + 3)]
    pairs = list(dict.fromkeys(pairs))
    pairs = [pairs[i] for i in rng.permutation(len(pairs))]
    score = explain_rope_score(q, k, *at, base).score
    scores = [explain_rope_score(q, k, *pair, base).score for pair in pairs]
    right = tuple(i for i, other in enumerate(scores) if abs(other - score) < ROUNDING)
    options = tuple(f"query at {a}, key at {b}" for a, b in pairs)
    mistakes = tuple(
        "" if i in right else another_offset(b - a, k_at - q_at, there)
        for i, (there, (a, b)) in enumerate(zip(scores, pairs, strict=True))
    )
    text = prose(
        f"With RoPE, a query at position {q_at} and a key at position {k_at} have the scaled score {number(score, 4)}. "
        "At which other positions do these two have the same score?"
    )
    why = "Both rotate by the same extra angle in each pair, so the offset and the scaled score stay the same."
    return Choice("same_score", text, options, right, why, mistakes)


def another_offset(offset: int, wanted: int, score: float) -> str:
    """Return why a query and a key at another offset have another score."""
    mistake = "You kept the distance but swapped the sign" if offset == -wanted else "You changed the offset"
    there = f"key − query is {number(offset, 0)} instead of {number(wanted, 0)}, and the score is {number(score, 4)}"
    return f"{mistake}: {there}. Add the same number to both positions."
