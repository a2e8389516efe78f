"""effect: weight, contribution and effect of a key."""

from functools import partial

import numpy as np

from attention_core.equations.attention import attention_forward
from attention_core.equations.multi_head import head_writes
from attention_core.experiments.scaling.head_metrics import removal_effects
from pages.look.sentences import first_query
from pages.multi_head.matters import missed_rows
from tests.app.multi_head.scene import LABELS, SENTENCE, close, every_kind, expected, page, step
from tests.app.visits import charts, heatmap, press, shared, to_step, visit

show = partial(step, "matters")


def measures_of(app):
    """Return weight, contribution and effect of every key of the row in view."""
    (chart,) = [chart for chart in charts(app) if "shade" in chart.data]
    assert heatmap(chart).rows == ["weight", "contribution", "effect"]
    return heatmap(chart).values


@every_kind
def test_weight_contribution_and_effect_are_those_of_the_row_in_view(link):
    found = expected(**link)
    a, w_o = found.attention, found.heads.w_o
    weights, added, effects = measures_of(show(head=3, q="warm", k="cat", **link))
    close(weights, a.weights[2, 5])
    close(added, a.weights[2, 5] * np.linalg.norm(head_writes(a.v, w_o)[2], axis=-1))
    for key in range(7):
        removed = np.where(np.arange(7) == key, -np.inf, 0 if a.mask is None else a.mask)
        moved = head_writes(attention_forward(a.q, a.k, a.v, removed).output - a.output, w_o)[2, 5]
        np.testing.assert_allclose(effects[key], np.linalg.norm(moved), atol=1e-9)


def test_the_preset_leads_to_a_bright_cell_that_is_not_missed():
    link = {"heads": "8", "seed": "578"}
    found = shared(press(page(step="matters"), "Large weight, little effect"))
    wanted = {**link, "head": "5", "k": "mat"}
    assert {name: found[f"multi_head_{name}"] for name in wanted} == wanted
    seen = show(head=5, q="sat", k="mat", **link)
    weights, _, effects = measures_of(seen)
    assert weights.argmax() == 6
    assert weights[6] > 0.5
    assert effects[6] < 0.01 * effects.max()


def test_after_the_answer_the_cell_that_was_asked_about_is_in_view():
    app = visit("multi_head", step="matters", weights="random", text=SENTENCE)
    a = expected().attention
    head, row = missed_rows(a.weights, removal_effects(a.q, a.k, a.v, expected().heads.w_o), first_query(LABELS))[0]
    press(app, "Just show me")
    assert shared(app)["multi_head_head"] == str(head + 1)
    assert app.selectbox(key="multi_head_q").value == LABELS[row]
    assert not {"multi_head_head", "multi_head_q"} & shared(to_step(app, "writes")).keys()  # the lesson keeps its own
