"""Without the mask: which of the kept keys and values are no longer valid."""

import numpy as np

from attention_core.experiments.language.kv_cache_proof import check_cache_validity
from pages.charts.chart import rung
from pages.charts.heatmap import Axes, heatmap, scale
from pages.look.html import quoted
from pages.page.fields.buttons import put_button
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.tiny_lm.architecture_note import USUAL
from pages.tiny_lm.model_in_view import Subject

SHOWN = 12  # positions in the map of what moved
MOVED_AXES = Axes("layer", "position", "largest change", words=True)
MASKS = ("off", "on")


def draw_without_mask(page: Page, subject: Subject, next_token: int) -> None:
    """Remove the mask, and show which of the kept keys and values are no longer valid."""
    model, unit, locked = subject.model, subject.unit, "model" in page.controls.locked
    if model.config.max_len < 2:
        page.write("The context length of this model is 1, so there is nothing to keep.", "note")
        return
    page.heading("The cache relies on the causal mask", small=True)
    open_ = page.recipe.run_once("open", check_cache_validity, model, subject.tokens, next_token, False)
    if not page.ask(ahead_question(model.config.n_layers, open_.holds, unit)):
        return
    mask = page.controls.choice("mask", "Causal mask", MASKS, MASKS[0])
    seen = open_
    if mask == MASKS[1]:
        seen = page.recipe.run_once("masked", check_cache_validity, model, subject.tokens, next_token, True)
    moved = np.stack([seen.keys, seen.values, seen.outputs], axis=1).reshape(-1, seen.keys.shape[-1])[:, -SHOWN:]
    limit = rung(float(max(part.max() for part in open_[:3])))
    rows = [f"{layer + 1} · {kind}" for layer in range(model.config.n_layers) for kind in ("K", "V", "out")]
    chart = heatmap(
        moved,
        rows,
        subject.labels[-seen.keys.shape[-1] :][-SHOWN:],
        MOVED_AXES,
        scale(limit, amounts=True),
        name="what moved",
        sentence=f"With the causal mask {mask}, one more {unit} changes keys and values by up to "
        f"{max(seen.keys.max(), seen.values.max()):.2f}, and layer outputs by up to {seen.outputs.max():.2f}.",
    )
    page.show(
        chart,
        note=f"Each cell: the largest change of a number at a position once "
        f"{quoted(subject.token(next_token))} follows: in its key (K), its value (V) and the layer’s output (out).",
    )
    if model.config.n_layers == 1:
        page.write(
            "With one layer, nothing uses the outputs at earlier positions, so this model could keep its cache even "
            "without a mask. A second layer would use them.",
            "note",
        )
        put_button(page, f"Open {USUAL}", {"model": USUAL}, "two_layers", disabled=locked)


def ahead_question(n_layers: int, true: np.ndarray, unit: str) -> Choice:
    """Ask in which layers keys and values stay valid when a model without a mask reads one more token."""
    first, every, none = "In layer 1 alone", "In every layer", "In no layer"
    if n_layers == 1:
        first, every = "In its only layer", "In a second layer, if it had one"
    right = first if true[0] and not true[1:].any() else every if true.all() else none
    why = {
        first: f"Layer 1 computes each key and value from one {unit} alone; its output depends on the new {unit}.",
        every: f"We computed it: no kept key or value changes visibly when the next {unit} is read.",
        none: f"We computed it: kept keys and values change in every layer when the next {unit} is read.",
    }[right]
    mistakes = {
        first: "You kept layer 1 alone. Check it in the map below, which is computed for this model.",
        every: f"Without a mask, earlier positions attend to the new {unit} too, so the output of layer 1 changes.",
        none: f"In layer 1, keys and values depend only on a {unit} and its position, not on other {unit}s.",
    }
    text = (
        f"Remove the causal mask, so that every position attends to later ones too. Then one more {unit} is read. In "
        "which layers do the kept keys and values stay correct?"
    )
    return Choice.shuffled("ahead", text, [right], why, {right: ""} | mistakes, 0)
