"""A head built by hand to look k words back: what the position vectors are good for."""

import numpy as np
from markupsafe import Markup

from attention_core.equations.masks import additive_mask, causal_mask
from attention_core.equations.positions import frequencies
from attention_core.experiments.positions.position_kinds import added_positions, look_back_head
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
    "This head was built by hand. It reads only position vectors, no words, and has the causal mask of lesson 4. Its "
    "matrices are W_K = I, the identity, and W_Q = s · M(−k): the rotation by k steps back, times s.",
    asks="Where does this head look?",
    then="Drag k and see how the diagonal moves. Drag the first position and see that it does not move. Then remove "
    "the position vectors.",
    words="ago_row",
    experiment="ago placed sharp start",
)

FURTHEST, LATEST = 6, 60
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
    back = controls.number("ago", "Words back k", 0, FURTHEST, 2, 1)
    start = controls.number("start", "First position", 0, LATEST, 0, 1)
    sharp = controls.number("sharp", "Factor s", 0, SHARP[-1], 16, 1)
    sharp = min(SHARP, key=lambda stop: abs(stop - sharp))
    placed = controls.place("placed", "Positions", (WITH, WITHOUT), WITH)
    with page.fields:
        row = controls.pick("ago_row", "Query · row", labels, 4)
    sliders = (
        over_numbers("ago", "Words back k", range(FURTHEST + 1), back),
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
    mask = run("mask", additive_mask, run("blocked", causal_mask, len(labels)))
    cache = run("attention", attend, positions, head, mask)
    told = f"W_Q = {sharp} · M({number(-back, 0)}), {placed} positions, from position {start} on."
    chart = attention_heatmap(cache.weights, labels, ROW_SUMS, outline(row), name="look back", sentence=told)
    page.shown.append(chart)  # where the sliders stand, for the files of the page
    column = max(0, row - back)
    page.prints(f"attention weight of {labels[row]} on {labels[column]}", cache.weights, row, column)
    told = Markup("The query of position t is the vector of position t − k, times s. It fits that key best.")
    if row < back:
        told = Markup("{} has no word {} back, but its weights still sum to 1.").format(quoted(labels[row]), back)
    if placed == WITHOUT or not sharp:
        told = Markup("All scores are equal, so each word attends equally to itself and all words before it.")
    page.write(told, "note")
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
    head, mask = look_back_head(back, d_model, float(SHARP[-2]), base), additive_mask(causal_mask(len(labels)))
    weights = attend(positions, head, mask).weights[row]
    best = int(weights.argmax())
    every = "all words equally"
    reasons = {labels[place]: reason for place, reason in wrong_places(row, back, len(labels)).items()}
    reasons |= {labels[best]: "", every: "The head reads the positions, so the weights differ."}
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
        row: "The head has the rotation M(−k) in W_Q, so a query does not match its own position.",
        row + back: "M(−k) rotates back, to an earlier position. A later word is masked.",
        0: "The first position does not count. Queries and keys shift together, so the offset stays.",
        length - 1: "The rotation leads k steps back from the query, and not to the last word.",
    }
    return {place: idea for place, idea in ideas.items() if place < min(length, LONGEST)}
