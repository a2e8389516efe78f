"""A query and a key rotated by their positions, pair by pair, and what their score depends on."""

from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.positions import frequencies, rotate, wavelengths
from attention_core.experiments.positions.position_kinds import RopeScore, explain_rope_score, placed_attention
from attention_core.experiments.qkv.one_head import HeadMatrices
from attention_core.experiments.qkv.perturb import mix_values
from attention_core.rows import largest_difference, row_norms
from pages.charts.chart import Chart
from pages.charts.vector_plane import Vector, plane, reach
from pages.look.facts import differs, looks_same
from pages.look.html import in_role, number, prose, tiny
from pages.motion.build_up import parts_shown
from pages.motion.clocks import Clock, Hand, moving_clocks
from pages.motion.sliders import Options, over_numbers
from pages.page.page import Page
from pages.page.steps import Step
from pages.positional_encoding.common import head_over, show_asked
from pages.positional_encoding.scene import PositionScene
from pages.questions.kinds import Choice
from pages.reproduce.recipe import Short

STEP = Step(
    "RoPE",
    "RoPE rotates queries and keys",
    "RoPE (rotary position embedding) rotates each pair of q and k by an angle that grows with the position, away from "
    "its dot. It leaves v as it is.",
    asks="What does a score with RoPE depend on?",
    then="The score depends only on the words and their offset: position of key − of query. Shift both. In a "
    "score, the angles of q and k subtract. An output adds vectors v, so no angle subtracts: choose *q, k and v*.",
    experiment="answers asks built k_at q_at rotates slide",
)

ROPE_HEAD = 6  # the width of q and k: three pairs, each a picture
PAIRS = ("first", "second", "third")
LAST, FURTHEST = 30, 100  # the last position, and the largest shift
USUAL_SHIFT = 40  # of the whole sentence, where the slider is at 0
OTHER_OFFSET = "key − query is {} instead of {}, and the score is {}. Add one number to both positions."
OUTPUTS_STAY = Markup("If the whole sentence is shifted by {shift}, its attention weights and outputs stay the same.")
OUTPUTS_MOVE = Markup(
    "If the whole sentence is shifted by {shift}, its attention weights stay the same, but its outputs change by up to "
    "{gap}. The same words would give other outputs further on, so RoPE does not rotate {v}."
)
ROTATES = ("q and k", "q, k and v")
PARTS = (
    "One arrow is the first pair of numbers in q. RoPE (rotary position embedding) rotates it away from its dot, by "
    "an angle that grows with the position. Here the word may stand at any position.",
    "The same pair in k is rotated by the position of the key.",
    "The other pairs of q and k are rotated more slowly.",
    "The dot products of all pairs add up to q · k, and divided by √d_k that is the scaled score.",
)
ASKED_POSITIONS = ((5, 2), (9, 5), (21, 16), (12, 9))  # positions of query and key, by variant


def draw(page: Page, scene: PositionScene) -> bool:
    """Rotate a query and a key by their positions, pair by pair, while the positions are dragged."""
    controls, run, labels, part = page.controls, page.recipe.run, scene.labels, parts_shown(page, PARTS)
    x, head = head_over(page, scene, ROPE_HEAD)
    plain = run("plain", placed_attention, x, head, "none")
    with page.fields:
        asks = controls.pick("asks", "Query word", labels, 1)
        answers = controls.pick("answers", "Key word", labels, 2)
    q, k, v = plain.q[asks], plain.k[answers], plain.v[answers]
    variant = page.variant("same_score")
    at = ASKED_POSITIONS[variant % len(ASKED_POSITIONS)]
    asked = {"q_at": at[0], "k_at": at[1], "slide": 0}
    place = st.container()
    question = page.question("same_score", partial(same_score_question, q, k, scene.base))
    answered = page.ask(question, then=lambda: show_asked(page, variant, **asked))
    q_at = controls.bare_number("q_at", "Query position", 0, LAST, ASKED_POSITIONS[0][0], 1)
    k_at = controls.bare_number("k_at", "Key position", 0, LAST, ASKED_POSITIONS[0][1], 1)
    shift = controls.bare_number("slide", "Shift of both", 0, FURTHEST, 0, 1)
    turned = controls.bare_choice("rotates", "RoPE rotates", ROTATES, ROTATES[0])
    fixed = page.is_built and not answered
    if not answered:
        shift, turned, part = 0, ROTATES[0], min(part, len(PARTS))  # with what gives the answer away left out
    q_at, k_at = at if fixed else (q_at, k_at)
    given = page.recipe.given
    q, k = given("q", q, Short(f"plain.q[{asks}]")), given("k", k, Short(f"plain.k[{answers}]"))
    v = given("v", v)
    there = run("there", explain_rope_score, q, k, q_at + shift, k_at + shift, scene.base)
    page.prints("scaled score", "there.score")
    sliders = (
        over_numbers("q_at", "Query position", range(LAST + 1), q_at, fixed),
        over_numbers("k_at", "Key position", range(LAST + 1), k_at, fixed),
        over_numbers("slide", "Shift of both", range(FURTHEST + 1), shift, fixed),
    )
    choice = Options("rotates", "RoPE rotates", ROTATES, ROTATES.index(turned), fixed)
    parts = [vector.reshape(-1, 2) for vector in (q, k, v)]
    clocks = [clock(pair, parts, scene.base, part) for pair in range(1 if part < 3 else ROPE_HEAD // 2)]
    with place:
        score = {"width": ROPE_HEAD, "shift": "slide" if answered else None, "bars": part > 3}
        drawn = (sliders, score, choice) if answered else (sliders[: min(part, 2)], score, None)
        moving_clocks(page, clocks, max(float(row_norms(rows).max()) for rows in parts), *drawn)
    value = rotate(v[None], scene.base, k_at + shift)[0] if turned == ROTATES[1] else v
    page.drawing.shown += [  # where the sliders stand, for the files of the page
        rotated_plane(there, value, pair, reach(*parts), f"{name} pair") for pair, name in enumerate(PAIRS)
    ]
    if answered:
        page.tell_on()
        page.write(whole_sentence(page, x, head, scene.base, shift or USUAL_SHIFT, turned == ROTATES[1]), "note")
    return answered


def rotated_plane(rotated: RopeScore, v: Array, pair: int, limit: float, name: str) -> Chart:
    """Return one pair of a query, a key and a value: arrows after the rotation, points before it."""

    def hand(vector: Array, label: str, role: str) -> Vector:
        return Vector(float(vector[2 * pair]), float(vector[2 * pair + 1]), label, role)

    arrows = [hand(rotated.q_turned, "q", "query"), hand(rotated.k_turned, "k", "key"), hand(v, "v", "value")]
    points = [hand(rotated.q, "", "query"), hand(rotated.k, "", "key")]
    told = f"Pair {pair} of q, k and v. It adds {number(rotated.by_pair[pair], 4)} to q · k."
    return plane(arrows, limit=limit, points=points, name=name, sentence=told, small=True)


def clock(pair: int, vectors: list[Array], base: float, part: int) -> Clock:
    """Return one pair of a query, a key and a value as the hands of a clock: in the first parts, not all of them."""
    width = 2 * len(vectors[0])
    turn, long = float(frequencies(width, base)[pair]), float(wavelengths(width, base)[pair])
    q, k, v = [(float(rows[pair, 0]), float(rows[pair, 1])) for rows in vectors]
    shift = ("slide",) if part > len(PARTS) else ()
    hands = (
        Hand("v", "value", v, ("k_at", "slide"), only=1),
        Hand("k", "key", k, ("k_at", *shift)),
        Hand("q", "query", q, ("q_at", *shift)),
    )[0 if shift else 1 if part > 1 else 2 :]
    return Clock(f"Pair {pair} · one round in {number(long, 1)} positions", pair, turn, hands)


def whole_sentence(page: Page, x: Array, head: HeadMatrices, base: float, shift: int, values_too: bool) -> Markup:
    """Return what a shift of the whole sentence changes, with the values rotated too or not."""
    run = page.recipe.run
    start = run("start", placed_attention, x, head, "RoPE", base)
    moved = run("moved", placed_attention, x, head, "RoPE", base, shift)
    before, after = start.output, moved.output
    if values_too:
        before = run("rotated_before", mix_values, start.weights, run("values_before", rotate, start.v, base))
        after = run("rotated_after", mix_values, moved.weights, run("values_after", rotate, moved.v, base, shift))
    gap = largest_difference(before, after)
    told = OUTPUTS_MOVE if differs(0.0, gap) else OUTPUTS_STAY
    return told.format(shift=shift, gap=tiny(gap), v=in_role("v", "value"))


def same_score_question(q: Array, k: Array, base: float, variant: int) -> Choice:
    """Ask at which other positions a query and a key have the same score under RoPE."""
    rng = np.random.default_rng([variant, 34])
    q_at, k_at = at = ASKED_POSITIONS[variant % len(ASKED_POSITIONS)]
    shift = int(rng.integers(2, 40))
    swapped = (k_at, q_at) if q_at != k_at else (q_at, k_at + 1)
    pairs = [(q_at + shift, k_at + shift), (q_at + shift, k_at), swapped, (2 * q_at + 1, 2 * k_at + 3)]
    pairs = list(dict.fromkeys(pairs))
    pairs = [pairs[i] for i in rng.permutation(len(pairs))]
    score = explain_rope_score(q, k, *at, base).score
    scores = [explain_rope_score(q, k, *pair, base).score for pair in pairs]
    options = [f"q {a}, k {b}" for a, b in pairs]
    right = [option for option, other in zip(options, scores, strict=True) if looks_same(other, score, 4)]
    reasons = [
        OTHER_OFFSET.format(number(b - a, 0), number(k_at - q_at, 0), number(there, 4))
        for there, (a, b) in zip(scores, pairs, strict=True)
    ]
    wrong = dict(zip(options, reasons, strict=True))
    text = prose(
        f"A query at position {q_at} and a key at {k_at} have the scaled score {number(score, 4)}. Where else do they?"
    )
    why = "Both rotate by the same extra angle in each pair, so the offset and the scaled score stay the same."
    return Choice.of("same_score", text, right, why, wrong)
