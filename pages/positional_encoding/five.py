"""One sentence under five encodings, and what sliding it along changes."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.equations.attention import AttentionCache
from attention_core.experiments.explain import explain_weight
from attention_core.experiments.position_kinds import KINDS, SLOPE, placed_attention
from attention_core.rows import largest_difference
from pages.charts.heatmap import attention_heatmap
from pages.look import cards, thumbnails
from pages.look.html import in_role, number, prose, table
from pages.look.sentences import brightest_cell
from pages.page.page import Page
from pages.page.questions import Choice
from pages.page.steps import Step
from pages.positional_encoding.common import (
    ROUNDING,
    attend_with_positions,
    chosen_cell,
    few_words,
    head_over,
    small_head,
)
from pages.positional_encoding.scene import Scene

STEP = Step(
    "five",
    "Same words, five encodings",
    "One sentence, the same matrices, five ways of telling positions. Slide the whole sentence on, as if other "
    "words stood before it. Which of these maps know where the sentence starts?",
)


def draw(page: Page, scene: Scene) -> bool:
    """Show one sentence under five encodings and the same matrices, and what sliding it along changes."""
    controls, labels = page.controls, scene.labels
    x, head = head_over(page, scene)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        offset = controls.slider("offset", "Slide the sentence on by", 0, 100, 0, 1, width=320)
    asked = offset or 5

    def under_each(when: str, first: int) -> dict[str, AttentionCache]:
        names = {kind: f"{kind.lower()}_{when}" for kind in KINDS}
        return {
            kind: attend_with_positions(page, name, x, head, scene._replace(kind=kind), first)
            for kind, name in names.items()
        }

    at_start, slid = under_each("at_0", 0), under_each("slid", asked)
    changes = {kind: largest_difference(at_start[kind].weights, slid[kind].weights) for kind in slid}
    if not page.ask(stay_question(changes, asked, len(labels), page.variant("stay"))):
        return False
    shown = slid if offset else at_start
    grid = st.grid(3, min_column_width=280, gap="medium")
    row, column = chosen_cell(page, labels)
    for kind in shown:
        with grid.cell():
            now, change = shown[kind].weights, changes[kind]
            told = "stays put" if change < ROUNDING else f"moved by up to {number(change, 3)}"
            page.head(kind, f"· {told}" if offset else "")
            where = np.abs(now - at_start[kind].weights) > ROUNDING
            chart = attention_heatmap(
                now,
                labels,
                name=kind,
                sentence=f"{kind}: {brightest_cell(now, labels)}",
                small=True,
                sums="",
                moved=where if where.any() else None,
                chosen=(row, column),
                clickable=True,
            )
            page.show(chart, lambda i, j: controls.put(q=i + 1, k=j + 1), quiet=True)
    with grid.cell(), st.container(border=True):
        penalty = explain_weight(shown["ALiBi"], row, column).added
        page.write(five_card(shown, labels, row, column, penalty, SLOPE * scene.strength))
    page.say(
        "**What to notice.** What a slide moves is outlined. RoPE and ALiBi tell distances and nothing else. "
        "Sinusoidal rows keep their products p · p, but W_Q and W_K, random here, mix the pairs. A learned table has "
        "another row for every position, and a last one.",
        "note",
    )
    return True


def thumbnail(scene: Scene) -> Markup:
    """Return the small picture of the step."""
    return thumbnails.thumbnail(placed_attention(few_words(scene), small_head(scene), "ALiBi").weights, None)


def five_card(
    shown: dict[str, AttentionCache], labels: list[str], row: int, column: int, penalty: float, slope: float
) -> Markup:
    """Return one weight under all five encodings."""
    lines = [
        (kind, *(number(float(values[row, column])) for values in (cache.scores, cache.weights)))
        for kind, cache in shown.items()
    ]
    note = f"ALiBi adds {number(penalty)} to its scaled score: {number(-slope, 3)} for each step between the two."
    return cards.card(
        Markup("{} → {}").format(in_role(labels[row], "query"), in_role(labels[column], "key")),
        table(("encoding", "scaled score", "weight"), lines),
        Markup('<p class="soft">{}</p>').format(note),
    )


def stay_question(changes: dict[str, float], offset: int, length: int, variant: int) -> Choice:
    """Ask of one encoding whether its weights stay when the sentence slides along."""
    order = np.random.default_rng([variant, 35]).permutation(len(KINDS))
    options = tuple(KINDS[i] for i in order)
    slid = {kind: changes[kind] for kind in options}
    right = tuple(i for i, kind in enumerate(options) if (slid[kind] >= ROUNDING))
    text = prose(
        f"The same sentence, but its first word stands at position {offset} and not at 0: as if {offset} words stood "
        "before it that nobody looks at. Name one encoding under which the weights change."
    )
    largest = ", ".join(f"{options[i]} by up to {number(slid[options[i]], 4)}" for i in right) or "none"
    why = f"Computed with an offset of {offset}, these change: {largest}."
    reasons = {
        "none": "It knows of no position, so it cannot notice a new one.",
        "RoPE": "It turns q and k by their positions, and the angle between them stays.",
        "ALiBi": "It subtracts for the distance between two words, and that stays.",
        "sinusoidal": "Here nothing of it is added, so nothing can change.",
        "learned": "Here nothing of it is added, so nothing can change.",
    }
    if length == 1:
        reasons = dict.fromkeys(KINDS, "A word alone gives itself the whole weight, wherever it stands.")
    mistakes = tuple("" if i in right else reasons[kind] for i, kind in enumerate(options))
    if not right:  # a strength of 0, or one word
        return Choice("stay", text, (*options, "no weight changes"), (len(options),), why, (*mistakes, ""))
    return Choice("stay", text, options, right, why, mistakes)
