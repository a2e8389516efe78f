"""One sentence under four encodings, and what a shift of it changes."""

import streamlit as st

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.experiments.positions.position_kinds import SLOPE, placed_attention
from attention_core.rows import largest_difference
from pages.charts.heatmap import NO_LEGEND, SMALL, attention_heatmap, frame
from pages.look.facts import differs, largest
from pages.look.html import number, prose, tiny
from pages.look.sentences import brightest_cell
from pages.page.page import Page
from pages.page.steps import Step
from pages.positional_encoding.common import attend_with_positions, head_over, show_asked
from pages.positional_encoding.scene import PositionScene
from pages.questions.kinds import Choice

STEP = Step(
    "compare",
    "RoPE and ALiBi ignore where a sentence starts",
    "Sinusoids and a **learned** table of vectors are added to the words. RoPE rotates q and k. **ALiBi** subtracts a "
    f"penalty from each score: {SLOPE} × the distance of the two words. All four use one set of random matrices.",
    asks="What does a shift of the sentence change?",
    then="Added vectors pass through W_Q and W_K, and a score multiplies them with words too. So it can change.",
    experiment="offset",
)

CHANGED, STAYED = "changed: {}", "same"
SHIFTS = (40, 5, 12, 77)  # that are asked about, by variant
USED_BY = {
    "sinusoidal": "transformer of 2017",
    "learned": "GPT-2, BERT",
    "RoPE": "Llama, Qwen, Gemma",
    "ALiBi": "BLOOM, MPT",
}


def draw(page: Page, scene: PositionScene) -> bool:
    """Show one sentence under four encodings and the same matrices, and what a shift of it changes."""
    x, head = head_over(page, scene)
    variant = page.variant("stay")
    asked = SHIFTS[variant % len(SHIFTS)]

    def weights_at(kind: str, start: int) -> Array:
        return placed_attention(x, head, kind, scene.base, start, seed=scene.seed).weights

    def under_each(when: str, first: int) -> dict[str, AttentionCache]:
        kinds = {kind: (f"{kind.lower()}_{when}", scene._replace(kind=kind)) for kind in USED_BY}
        return {kind: attend_with_positions(page, name, x, head, own, first) for kind, (name, own) in kinds.items()}

    def make(variant: int) -> Choice:
        shift = SHIFTS[variant % len(SHIFTS)]
        after = {kind: largest_difference(weights_at(kind, 0), weights_at(kind, shift)) for kind in USED_BY}
        return stay_question(after, shift, len(scene.labels), variant)

    maps = st.container()
    answered = page.ask(page.question("stay", make), then=lambda: show_asked(page, variant, offset=asked))
    with page.fields:
        offset = page.controls.slider("offset", "Shift, in positions", 0, 100, 0, 1, width=260) if answered else 0
    at_start = under_each("at_0", 0)
    shown = under_each("shifted", offset) if offset else at_start
    best = shown["RoPE"].weights[-1]
    page.prints("largest weight, RoPE", shown["RoPE"].weights, len(best) - 1, largest(best).first)
    with maps:
        places = st.columns(len(USED_BY), gap="small")
    for place, kind in zip(places, USED_BY, strict=True):
        before, now = at_start[kind].weights, shown[kind].weights
        changed = differs(before, now)
        moved = (CHANGED if changed.any() else STAYED).format(tiny(largest_difference(before, now)))
        legend, cells = kind == list(USED_BY)[-1] or NO_LEGEND, frame(changed)
        with place:
            page.head(kind, f"· {moved}" if offset else "")
            told = f"{kind}: {brightest_cell(now, scene.labels)}"
            chart = attention_heatmap(shown[kind], scene.labels, cells, SMALL, legend, name=kind, sentence=told)
            page.show(chart, quiet=True)
            page.write(USED_BY[kind], "note")
    if answered:
        with maps:
            page.write("Outlined, if any: weights that changed. The learned table is random, as if untrained.", "note")
    return answered


def stay_question(changes: dict[str, float], offset: int, length: int, variant: int) -> Choice:
    """Ask for an encoding whose attention weights a shift of the sentence changes."""
    text = prose(
        f"The sentence starts at position {offset} instead of 0, as if masked words came first. With which encoding do "
        "attention weights change? (If there are several, name one.)"
    )
    right: list[str] = [kind for kind in USED_BY if differs(0.0, changes[kind])]
    each = ", ".join(f"{kind} by up to {number(changes[kind], 3)}" for kind in right)
    why = f"Computed with a shift of {offset}: {each or 'no attention weight changes'}."
    reasons = {
        "RoPE": "The query rotates further, but the key rotates by the same extra angle, so q · k stays.",
        "ALiBi": "ALiBi uses only the distances, and a shift keeps all of them.",
        "sinusoidal": "",
        "learned": "",
    }
    if length == 1:
        reasons = dict.fromkeys(reasons, "A single word gives itself an attention weight of 1 at any position.")
        right, reasons["with none of them"] = ["with none of them"], ""
    return Choice.of("stay", text, right, why, reasons, [variant, 35])
