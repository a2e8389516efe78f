"""A head built by hand to look k words back: what the position vectors are good for."""

import numpy as np
from markupsafe import Markup

from attention_core.equations.positions import frequencies
from attention_core.experiments.positions.position_kinds import added_positions, look_back_head, weights_back
from attention_core.experiments.qkv.one_head import LONGEST, attend
from pages.charts.heatmap import ROW_SUMS, attention_heatmap, outline
from pages.look.html import number, prose, quoted
from pages.motion.sliders import Choice as Options
from pages.motion.sliders import draw_moving, over_numbers
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step
from pages.positional_encoding.common import show_asked
from pages.positional_encoding.scene import Scene

STEP = Step(
    "look back",
    "A head can attend k words back",
    "Build a head by hand. It reads only the position vectors, not the words. Its matrices are W_K = I, the identity "
    "matrix, and W_Q = s · M(−k), the rotation by k steps back times s.",
    asks="Where does this head look?",
    then="Drag k and the first position. Which of them moves the diagonal? Then remove the positions.",
    words="ago ago_row placed sharp start",
)

NEAREST, FURTHEST, LATEST = -3, 6, 60
SHARP = (0, 1, 2, 4, 8, 16, 32)
WITH, WITHOUT = "with", "without"


def draw(page: Page, scene: Scene) -> bool:
    """Draw the map of a head that looks k back, with k and the first position to drag."""
    controls, run, labels = page.controls, page.recipe.run, scene.labels
    variant = page.variant("back")
    question = back_question(labels, scene.d_model, scene.base, variant)
    given = {"sharp": SHARP[-2], "placed": WITH} | asked(labels, variant)
    if not page.ask(question, then=lambda: show_asked(page, variant, **given)):
        return False
    back = controls.number("ago", "Words back k", NEAREST, FURTHEST, 2, 1)
    start = controls.number("start", "First position", 0, LATEST, 0, 1)
    sharp = controls.number("sharp", "Factor s", 0, SHARP[-1], 16, 1)
    sharp = min(SHARP, key=lambda stop: abs(stop - sharp))
    placed = controls.place("placed", "Positions", (WITH, WITHOUT), WITH)
    with page.fields:
        row = controls.pick("ago_row", "Query · row", labels, 4)
    sliders = (
        over_numbers("ago", "Words back k", range(NEAREST, FURTHEST + 1), back),
        over_numbers("start", "First position", range(LATEST + 1), start),
        over_numbers("sharp", "Factor s in W_Q", SHARP, sharp),
    )
    options = (WITH, WITHOUT)
    choice = Options("placed", "Position vectors", options, options.index(placed))
    turns = frequencies(scene.d_model, scene.base).tolist()  # from which the browser computes the weights
    draw_moving("back", page, "back", {"labels": labels, "row": row, "frequencies": turns}, sliders, choice)
    kind = "sinusoidal" if placed == WITH else "none"
    positions = run("positions", added_positions, kind, len(labels), scene.d_model, scene.base, start)
    head = run("head", look_back_head, back, scene.d_model, float(sharp), scene.base)
    cache = run("attention", attend, positions, head)
    run("reached", weights_back, cache.weights, back)
    told = f"W_Q = {sharp} · M({number(-back, 0)}), {placed} positions, from position {start} on."
    chart = attention_heatmap(cache.weights, labels, ROW_SUMS, outline(row), name="look back", sentence=told)
    page.shown.append(chart)  # where the sliders stand, for the files of the page
    column = int(np.clip(row - back, 0, len(labels) - 1))
    page.prints(f"attention weight of {labels[row]} on {labels[column]}", cache.weights, row, column)
    weights, best = cache.weights[row], int(cache.weights[row].argmax())
    told, same = Markup("{} attends most to {}, with weight {}."), np.ptp(weights) < 1e-9
    told = told.format(quoted(labels[row]), quoted(labels[best]), number(float(weights[best])))
    if same:
        told = Markup("All weights of {} are the same: {}.").format(quoted(labels[row]), number(float(weights[0])))
    outside = not same and not 0 <= row - back < len(labels)
    page.write(told + " The position that it looks for is outside the sentence." * outside, "note")
    page.say(
        "**What to notice.** With positions, the query of position t is the vector of position t − k, times s. If s is "
        "above 0, its product is largest with the key at t − k. For the first k queries, or the last −k if k is "
        "negative, the sentence has no such key. Their weights still sum to 1. Without positions, or with s = 0, all "
        "weights are equal. Many trained models have a head that attends to the previous token.",
        "",
    )
    return True


def asked(labels: list[str], variant: int) -> dict[str, int | str]:
    """Return what a variant of the question asks: how many words back, the first position and the query."""
    rng = np.random.default_rng([variant, 36])
    back = min(1 + (variant + 1) % 3, max(0, len(labels) - 1))
    row = int(rng.integers(back, len(labels)))
    return {"ago": back, "start": int(rng.integers(10, LATEST)), "ago_row": labels[row]}


def back_question(labels: list[str], d_model: int, base: float, variant: int) -> Choice:
    """Ask where a word looks after the sentence was shifted."""
    given = asked(labels, variant)
    back, start, row = int(given["ago"]), int(given["start"]), labels.index(str(given["ago_row"]))
    positions = added_positions("sinusoidal", len(labels), d_model, base, start)
    weights = attend(positions, look_back_head(back, d_model, float(SHARP[-2]), base)).weights[row]
    best = int(weights.argmax())
    every = "all words equally"
    reasons = {labels[place]: reason for place, reason in wrong_places(row, back, len(labels)).items()}
    reasons |= {labels[best]: "", every: "You ignored the positions. The head reads them, so the weights differ."}
    right = [labels[best]] + [every] * (len(labels) == 1)
    words = "word" if back == 1 else "words"
    text = prose(
        f"The head has k = {back} and s = {SHARP[-2]}. The sentence {{sentence}} now starts at position {start} "
        f"instead of 0, so {{word}} is at position {start + row}. Which word does it attend to most?",
        sentence=" ".join(labels),
        word=labels[row],
    )
    why = (
        f"Position {start + row} − {back} = {start + row - back}, and there is “{labels[best]}”, {back} {words} back. "
        f"Its weight is {number(float(weights[best]))}, as with a start at 0."
    )
    return Choice.shuffled("back", text, right, why, reasons, variant)


def wrong_places(row: int, back: int, length: int) -> dict[int, str]:
    """Return words that a wrong idea leads to, each with the idea."""
    ideas = {
        row: "You skipped the rotation. M(−k) rotates the query, so it does not match its own position.",
        row + back: "You went forward. M(−k) rotates back, to the vector of an earlier position.",
        0: "You thought that the first position matters. Queries and keys shift together: the offset is the same.",
        length - 1: "You went to the last word. The rotation leads k steps back from the query.",
    }
    return {place: idea for place, idea in ideas.items() if place < min(length, LONGEST)}
