"""The same scores masked in five ways, three of them mistakes."""

from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from attention_core.experiments.qkv.wrong_on_purpose import (
    soft_capped_after_mask,
    softmax_of_zeroed_scores,
    zero_after_softmax,
    zero_and_renormalise,
)
from attention_core.experiments.scaling.head_metrics import weight_on_blocked
from attention_core.rows import largest_difference
from pages.causal_mask.common import cell_of, first_masked, name_weight, shows, varied
from pages.causal_mask.scene import Masked
from pages.charts.heatmap import CLICK, ROW_SUMS, SMALL, Layer, attention_heatmap, frame, hide, outline, write
from pages.look import cards
from pages.look.facts import as_shown, change
from pages.look.html import in_role, number, prose, residual, table, tiny
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.teaching.lecture import on_stage

STEP = Step(
    "5 ways",
    "Mask first, then softmax",
    "Here the same scores are masked in five ways. All five run without an error, but three of them are wrong.",
    asks="What do five ways to mask do?",
    then="A **soft-cap** (50 in the model Gemma 2) makes a score cap · tanh(score ÷ cap). After the mask it maps −∞ "
    "to −cap: the standard ONNX had this mistake until April 2026.",
    experiment="cap",
)
CAPS = ("1", "2", "5", "10", "50")
TOLD = ("Beside each row: its sum.", "Beside each row: its sum. A thin outline is a masked cell with weight.")
UNSEEN = "With this soft-cap masked words keep up to {} each: wrong, but too little to be seen in a map. "
CLEAR = 0.02  # of a row, so that a question is about what one sees


def draw(page: Page, scene: Masked) -> bool:
    run, scores, blocked = page.recipe.run, scene.plain.scores, scene.blocked
    ways = {
        "−∞ before softmax": scene.masked.weights,
        "scores × 0 or 1": run("multiplied", softmax_of_zeroed_scores, scores, blocked),
        "0 after softmax": run("zeroed", zero_after_softmax, scores, blocked),
        "0 after, renormalised": run("divided", zero_and_renormalise, scores, blocked),
    }
    names = list(ways)
    cell = cell_of(page, scene)

    def draw_map(name: str, row: int, column: int, small: bool = False, click: bool = False) -> None:
        """Draw the attention weights of one way to mask; the cells of five maps have no room for their numbers."""
        page.head(name)
        last = not small or (not large and name == [*ways][-1])
        leaks = scene.blocked & (as_shown(ways[name]) > 0)
        layers = (
            ROW_SUMS,
            outline(row, column),
            frame(leaks),
            hide(scene.blocked & ~leaks),
            small and write(np.full(leaks.shape, "", dtype=object)),
            click and CLICK,
            SMALL,
            Layer({"legend": last, "named": click or not small}),
        )
        chart = attention_heatmap(ways[name], scene.labels, *layers, name=name, sentence=TOLD[name != names[0]])
        page.show(chart, cell.choose if click else None, quiet=not last)

    multiplied = page.question("multiplied", partial(multiplied_question, scene))
    summed = page.question("sums", partial(sums_question, scene))
    asking = any(question and not page.answer_to(question) for question in (multiplied, summed))
    large = None if on_stage() else names[2]
    side = place = st.container()  # on the stage five maps need the width
    if large or asking:
        with st.container(key=f"{page.name}_ways_asking"):  # beside one map, which an answer does not move
            side, place = st.columns([1, 1.18], gap="medium")
    for question, shown in ((multiplied, names[0]), (summed, names[1])):
        with side:
            answered = page.ask(question, then=shows(page, cell, question))
        if not answered:
            with place:
                draw_map(shown, *((question and question.place) or (0, 0)))
            return False
    with side:
        page.tell_on()
    with side if large else page.fields, st.container(horizontal=True, key=f"{page.name}_ways_more"):
        row, column = cell.fields()
    cap = float(CAPS[page.controls.picked("cap", CAPS, 1)])
    capped = run("capped_scores", soft_capped_after_mask, scores, blocked, cap)
    ways["soft-cap after −∞"] = run("capped", softmax, capped)
    name_weight(page, scene, row, column)
    with st.container(key=f"{page.name}_ways_row"):  # on a phone one scrolls along it
        grid = st.grid(4 if large else 3, min_column_width=150, gap="small")
    for name in ways:
        with place if name == large else grid.cell():
            draw_map(name, row, column, name != large, name == (large or names[0]))
    with side if large else grid.cell(), st.container(key=f"{page.name}_cap_fields"):
        page.controls.choice("cap", "Soft-cap", CAPS, CAPS[1])
    with st.container(border=True, key="causal_mask_laboratory_worked"):
        page.write(ways_table(scene, ways, float(capped[row, column]), row, column))
    gap = largest_difference(ways[names[3]], ways[names[0]], list(scene.positions))
    kept = float(ways["soft-cap after −∞"].max(initial=0, where=blocked))
    unseen = UNSEEN.format(tiny(kept)) * bool(blocked.any() and not as_shown(kept))
    told = Markup("Renormalised weights are those of −∞ before softmax (gap {}): the sum over all keys cancels. {}{}")
    page.write(told.format(residual(gap), unseen, scene.origin), "note")
    return True


def ways_table(scene: Masked, ways: dict[str, Array], capped: float, row: int, column: int) -> Markup:
    blocked = bool(scene.blocked[row, column])
    keep = 0 if blocked else 1
    score = number(float(scene.plain.scores[row, column]))
    plain = number(float(scene.plain.weights[row, column]))
    left = float(ways["0 after softmax"][row].sum())
    first, times, _, _, late = (number(float(weights[row, column])) for weights in ways.values())
    rows = {
        "softmax reads": ["−∞" if blocked else score, number(0) if blocked else score, score, score, number(capped)],
        "softmax returns": [first, times, plain, plain, late],
        "afterwards": ["", "", f"× {keep}", Markup("× {}, ÷ {}").format(keep, tiny(left)), ""],
        "attention weight": [number(float(weights[row, column])) for weights in ways.values()],
        "weight on masked keys": [
            number(float(weight_on_blocked(weights, scene.blocked)[row])) for weights in ways.values()
        ],
    }
    title = Markup("{} → {}, {}, in five ways").format(
        in_role(scene.labels[row], "query"), in_role(scene.labels[column], "key"), "masked" if blocked else "allowed"
    )
    lines = [(name, *cells) for name, cells in rows.items()]
    return cards.card(title, table(("", *ways), lines, bold=list(rows).index("attention weight"), folds=True))


def multiplied_question(scene: Masked, variant: int) -> Choice | None:
    """Ask what multiplying scores by 0 and 1 leaves on the masked keys."""
    multiplied = weight_on_blocked(softmax_of_zeroed_scores(scene.plain.scores, scene.blocked), scene.blocked)
    usual = weight_on_blocked(scene.plain.weights, scene.blocked)
    clear = np.flatnonzero(abs(as_shown(as_shown(multiplied) - as_shown(usual))) > CLEAR)
    if not len(clear):
        return None
    row = varied(variant, multiplied, clear)
    after, before, n_masked = float(multiplied[row]), float(usual[row]), int(scene.blocked[row].sum())
    total = float(np.exp(scene.plain.scores[row, scene.blocked[row]]).sum())
    masked = "{masked}" if n_masked == 1 else f"{n_masked} words"
    text = prose(
        f"Without a mask, {{word}} gives **{number(before)}** of its attention to {masked}, which the mask should "
        f"block: the sum of the exponentials there is {number(total)}. Now multiply the scores there by 0, then apply "
        "softmax. How much attention is left there?",
        word=scene.labels[row],
        masked=scene.labels[first_masked(scene, row)],
    )
    less, more = "Less than without a mask, but something", "As much as without a mask, or more"
    why = f"Each masked word still adds e⁰ = 1 to the sum of the row: {number(after)} of it in all."
    wrong = {
        "Nothing": "You thought that a score of 0 blocks a key. Only −∞ blocks, and 0 is an ordinary score.",
        less: "You expected lower scores. Before, their exponentials were at most 1 on average; now each is 1.",
        more: "You kept their old scores. Before, their exponentials were above 1 on average; now each is only 1.",
    }
    right = less if change(before, after) == "falls" else more
    return Choice.of("multiplied", text, right, why, wrong, place=(row, first_masked(scene, row)))


def sums_question(scene: Masked, variant: int) -> Choice | None:
    """Ask how a row differs from the masked one when its masked cells are set to 0 after softmax."""
    removed = weight_on_blocked(scene.plain.weights, scene.blocked)
    rows = np.flatnonzero(as_shown(removed) > CLEAR)
    if not len(rows):
        return None
    row = varied(variant, -removed, rows)
    text = prose(
        "Now apply softmax to all words first, then set the weights of the masked words to 0. How does the row of "
        "{word} differ from the one with −∞ before softmax?",
        word=scene.labels[row],
    )
    right = "Its weights are too small"
    wrong = {
        "Not at all": "Softmax divided by a sum that includes the masked words. Setting them to 0 comes too late.",
        "Its weights have other ratios": "Softmax divided all of them by the same sum, so their ratios are right.",
        "Masked words still have weight": "Their weights are set to 0. What the others have is the mistake.",
    }
    why = f"The row sums to {number(1 - float(removed[row]))}: what the masked words had is missing."
    return Choice.of("sums", text, right, why, wrong, variant, place=(row, first_masked(scene, row)))
