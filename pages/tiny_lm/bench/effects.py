"""The effect of every head at every position: which of them carry what the prediction needs."""

import numpy as np

from attention_core.experiments.inside.patching import patch_effects
from pages.charts.chart import rung
from pages.charts.heatmap import CLICK, NO_LEGEND, SMALL, Axes, heatmap, outline, scale
from pages.look.facts import largest, ordered
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.tiny_lm.bench.changes import HOW, WAYS, Bench
from pages.tiny_lm.common import SORTED
from pages.tiny_lm.model_in_view import Subject

EFFECT_AXES = Axes("head", "position", "change of the difference", words=True)
ONE = "One head {how} at one position: the change of the logit of {token} minus that of {rival}, {lead} now."
CLICKED = "Click a cell to change that head at that position alone."
ZERO = " Training never made an output 0, so an effect may be too large. Compare the mean."


def draw_effects(page: Page, subject: Subject, bench: Bench) -> None:
    """Draw how far each head, changed at one position alone, moves the logit of the prediction against its rival's."""
    token, rival = rivals(bench)
    run, logits = page.recipe.run_once, bench.before.logits[-1]
    found = run("effects", patch_effects, subject.model, subject.tokens, bench.instead, token, rival)
    values = found.reshape(len(bench.names), -1)
    chosen = (bench.heads[0], bench.position) if len(bench.heads) == 1 and bench.position is not None else (None, None)
    layers = scale(rung(float(np.abs(values).max()))), outline(*chosen), CLICK, SMALL, NO_LEGEND
    tokens = {"token": quoted(subject.token(token)), "rival": quoted(subject.token(rival))}
    said = ONE.format(how=HOW[bench.way], lead=number(float(logits[token] - logits[rival])), **tokens)
    chart = heatmap(
        values, bench.names, subject.labels, EFFECT_AXES, *layers, name="effect of each head", sentence=said
    )

    def pick(i: int, j: int) -> None:
        page.controls.put(cut=str(i + 1), spot=subject.labels[j])

    page.show(chart, pick, CLICKED + ZERO * (bench.way == WAYS[2]))


def rivals(bench: Bench) -> tuple[int, int]:
    """Return the prediction, and the token it is compared with: that of the other prompt, or else the runner-up."""
    order = ordered(bench.before.logits[-1], SORTED)
    other = largest(bench.beside.logits[-1], SORTED).first
    return order[0], other if other != order[0] else order[min(1, len(order) - 1)]
