"""Lesson 4: what the masks hide is hidden, what they move moves, and every number is computed here once more."""

from itertools import cycle

import numpy as np
import pytest

from attention_core.hand_set import JOBS
from attention_core.words import position_labels
from pages.shared.recipe import Recipe
from pages.shared.script import script
from tests.app.bare import printed, run_bare
from tests.app.masked import (
    MASKS,
    SENTENCE,
    STEPS,
    blocked_by,
    close,
    every_mask,
    every_scene,
    expected,
    named,
    page,
    shares,
    weights_shown,
)
from tests.app.visits import (
    charts,
    domain,
    heatmap,
    html_of,
    main,
    opened,
    reveal,
    said,
    shared,
    visit,
)


@every_scene
@every_mask
def test_with_and_without_stand_side_by_side(scene, mask):
    blocked, plain, masked = expected(**scene, **mask)
    app = page(step="see", **scene, **mask)
    without, under = weights_shown(app)
    close(without, plain[1])
    close(under, masked[1])
    hidden = charts(app)[1].data["hidden"].to_numpy().reshape(blocked.shape)
    np.testing.assert_array_equal(hidden, blocked)
    assert f"{blocked.sum()} of {blocked.size} cells are hidden." in charts(app)[1].alt


@every_mask
def test_a_row_with_nothing_to_look_at_is_zero_and_said_so(mask):
    blocked = blocked_by(7, **mask)
    app = page(step="see", **mask)
    empty = [position_labels(SENTENCE.split())[i] for i in np.flatnonzero(blocked.all(axis=1))]
    assert ("Nothing to look at" in charts(app)[1].alt) == bool(empty)
    assert all(label in charts(app)[1].alt for label in empty[:4])
    assert np.isfinite(weights_shown(app)[1]).all()
    assert "NaN" not in said(app)


@every_mask
def test_the_mask_is_shown_in_all_its_forms(mask):
    blocked, (scores, _, _), (_, weights, _) = expected(**mask)
    additive = np.where(blocked, -np.inf, 0)
    wanted = {
        "True / False": blocked.astype(float),
        "0 / −∞": additive,
        "score + mask": scores + additive,
        "weights": weights,
    }
    for form, values in wanted.items():
        app = page(step="added", form=form, **mask)
        close(heatmap(main(app)).values, values)
        if form in ("True / False", "0 / −∞"):
            texts = main(app).data["text"].to_numpy().reshape(blocked.shape)
            on, off = form.split(" / ")
            yes, no = (on, off) if form == "True / False" else (off, on)
            np.testing.assert_array_equal(texts, np.where(blocked, yes, no))


def test_a_hidden_cell_is_followed_to_its_weight():
    app = page(step="added", q="sat", k="warm")
    (card,) = [block for block in html_of(app) if "How" in block and "chain" in block]
    assert "blocked" in card
    assert card.count("−∞") >= 3
    app = page(step="added", q="sat", k="cat")
    assert "allowed" in said(app)


def test_the_maximum_that_is_taken_off_large_scores_is_shown():
    (_, (scores, _, _), (_, weights, _)) = expected(weights="hand-set", job=JOBS[3])
    maximum, score = scores[2, :3].max(), scores[2, 1]
    assert maximum > 40
    told = said(page(step="added", weights="hand-set", job=JOBS[3], q="sat", k="cat")).replace("−", "-")
    assert f"score + mask {score:.2f}- {maximum:.2f} the row’s maximum{score - maximum:.2f}" in told
    assert f"How sat → cat became {weights[2, 1]:.2f}" in told


def test_a_share_too_small_for_two_digits_is_not_called_nothing():
    (_, (_, plain, _), _) = expected()
    left = f"{plain[2, 2]:.1e}".partition("e")[0]
    assert float(left) > 0
    link = {"mask": "sliding window", "window": 1, "q": "sat", "k": "sat"}
    assert f"What stays is divided by the {left} · 10−3 that is left" in said(page(step="see", **link))
    assert f"× 1, ÷ {left} · 10−3" in said(page(step="laboratory", **link))
    assert "nothing is left to divide" in said(page(step="laboratory", q="the₁", paint="1"))


@every_scene
@pytest.mark.parametrize("mask", [MASKS["causal"], MASKS["window"], MASKS["nothing left"]])
def test_the_laboratory_masks_the_same_scores_in_four_ways(scene, mask):
    blocked, (scores, weights, _), (_, masked, _) = expected(**scene, **mask)
    none = np.zeros_like(blocked)
    zeroed = np.where(blocked, 0, weights)
    sums = zeroed.sum(axis=1, keepdims=True)
    divided = np.divide(zeroed, sums, out=np.zeros_like(zeroed), where=sums > 0)
    multiplied = shares(scores * ~blocked, none)
    app = page(step="laboratory", **scene, **mask)
    for seen, wanted in zip(weights_shown(app), (masked, multiplied, zeroed, divided), strict=True):
        close(seen, wanted)
    close(divided, masked)
    text = [chart.alt for chart in charts(app)]
    most = np.where(blocked, multiplied, 0).sum(axis=1).max()
    assert (f"up to {most:.2f} of a row" if most >= 0.005 else "less than 0.01 of a row") in text[1]
    low, high = zeroed.sum(axis=1).min(), zeroed.sum(axis=1).max()
    assert f"{low:.2f}" in text[2]
    assert f"{high:.2f}" in text[2]
    np.testing.assert_array_equal(
        charts(app)[1].data["moved"].to_numpy().reshape(blocked.shape), blocked & (multiplied > 0)
    )


@pytest.mark.parametrize("bits", ["64", "32"])
def test_a_large_number_hides_nothing_where_everything_is_hidden(bits):
    _, (_, weights, _), _ = expected()
    app = page(step="added", bits=bits, q="on")
    plain, infinite, large = (chart.data["value"].to_numpy() for chart in charts(app)[1:])
    close(plain, weights[3])
    np.testing.assert_array_equal(infinite, np.zeros(7))
    np.testing.assert_allclose(large, weights[3] if bits == "64" else np.full(7, 1 / 7), atol=1e-6)


def test_with_a_key_left_the_large_number_is_as_good():
    _, _, (_, masked, _) = expected()
    app = page(step="added", row_has="its usual keys", q="on")
    _, infinite, large = (chart.data["value"].to_numpy() for chart in charts(app)[1:])
    close(infinite, masked[3])
    close(large, masked[3])


def test_zero_times_infinity_is_shown_as_what_it_is():
    app = page(step="added", closer="0 · −∞")
    mask, weights = named(app, "query", "key", "NaN")
    np.testing.assert_array_equal(heatmap(mask).values == 1, ~blocked_by(7))
    assert (heatmap(weights).values == 1).all()
    assert set(weights.data["text"]) == {"NaN"}
    assert "49 of 49 weights are NaN" in weights.alt


@pytest.mark.parametrize("step", STEPS)
def test_colours_stay_where_they_are_while_cells_and_seeds_change(step):
    scenes = ({}, {"q": "mat", "k": "cat"}, {"seed": "1"}, {"paint": "1"})
    if step in ("leak", "layers", "shuffle"):
        scenes = ({}, {"changed": "on", "layer": "2", "word": "cat"}, {"paint": ""})
    found = [[domain(chart) for chart in charts(page(step=step, **scene)) if "i" in chart.data] for scene in scenes]
    assert found == [found[0]] * len(scenes)


def test_a_link_brings_back_the_view():
    link = {"step": "leak", "mask": "block", "block": "2", "seed": "5", "changed": "cat", "new": "moon", "paint": "2.1"}
    app = page(**link)
    query = shared(app)
    assert query == {f"causal_mask_{name}": value for name, value in link.items()}
    again = reveal(opened("causal_mask", query))
    np.testing.assert_array_equal(heatmap(main(app)).values, heatmap(main(again)).values)


@pytest.mark.parametrize(("step", "weights"), [*zip(STEPS, cycle(["hand-set", "trained"]), strict=False)])
def test_the_script_of_a_view_prints_its_numbers(step, weights, monkeypatch):
    recipes = []
    monkeypatch.setattr("pages.shared.frame.Recipe", lambda: recipes.append(Recipe()) or recipes[-1])
    page(step=step, weights=weights, mask="prefix", paint="2", closer="0 · −∞")
    recipe = recipes[-1]
    found = printed(run_bare(script(recipe, "title", "link", "masked.weights")))
    arrays = recipe.arrays()
    assert {"masked.weights", "masked.output"} <= arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_allclose(found[name], array.astype(float), atol=1e-6, err_msg=name)


@pytest.mark.parametrize("place", range(len(STEPS)))
def test_a_stage_shows_its_small_picture_once_its_questions_are_answered(place):
    def drawn(app):
        return sum('class="thumb"' in block for block in html_of(app))

    asked = visit("causal_mask", step=STEPS[place])
    assert drawn(asked) == place + (STEPS[place] == "added")
    assert drawn(reveal(asked)) == place + 1
