"""gradient: its heatmaps, one step against it, and one parameter nudged are the core's."""

import re
from functools import partial

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.language.gradient_step import central_difference, gradient_of, line_search
from attention_core.experiments.language.text_loss import loss_of_text
from attention_core.model.optimizer import AdamW, adamw_update
from attention_core.rows import row_norms
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import n_grams_of, split
from attention_core.text.n_grams import n_gram_losses
from attention_core.text.vocabulary import Vocabulary
from pages.charts.matrix_image import matrix_picture
from pages.tiny_lm.gradient import VIEWS
from pages.tiny_lm.gradient.arrays import axes_of, limit_for
from pages.tiny_lm.gradient.central_difference import direction_question
from pages.tiny_lm.gradient.heatmaps import MOST_DRAWN
from pages.tiny_lm.gradient.one_step import ETAS, SIZES
from pages.tiny_lm.model_in_view import NAMES, PROMPTS, WHEN, Own
from tests.app.every_page import same
from tests.app.steps import step
from tests.app.tiny_lm.scene import (
    chart_of,
    each_model,
    each_variant,
    model_of,
    printed_by_script,
    prompt_of,
    step_of_own,
    vocabulary_of,
    wandering,
)
from tests.app.visits import click, heatmap, html_of, opened, press, reveal, said, shared, visit

HEATMAPS, STEP_DOWN, NUDGED = VIEWS
LABEL = "Toy English"
ODD = [
    {"n_layers": 1, "n_heads": 1, "d_ff": 0, "norm": "post", "positions": "none"},
    {"n_layers": 4, "n_heads": 8, "causal": False, "positions": "alibi"},
    {"n_layers": 2, "n_heads": 4, "d_ff": 7, "norm": "post", "positions": "rope", "activation": "relu"},
    {"n_layers": 3, "n_heads": 2, "positions": "sinusoidal", "dropout": 0.2},
]
show = partial(step, "tiny_lm", "gradient")


def close(seen, expected):
    np.testing.assert_allclose(seen, expected, rtol=1e-6, atol=1e-9)


@each_model
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("moments", [(WHEN[0], WHEN[-1]), pytest.param(WHEN[1:-1], marks=pytest.mark.nightly)])
def test_it_works_for_every_model_at_every_moment(label, view, moments):
    for when in moments:
        seen = show(model=label, when=when, slopes=view)
        assert seen.charts
        assert "NaN" not in said(seen)
        assert all(chart.alt for chart in seen.charts)


@each_model
def test_a_prompt_of_one_token_is_no_exception(label):
    field, text = PROMPTS[NAMES[label]]
    seen = show(model=label, **{field: split(text, model_of(label)[1].unit)[0]})
    assert "second" in said(seen)
    assert not seen.charts


@pytest.mark.parametrize("kind", ODD, ids=str)
def test_a_model_of_ones_own_may_be_as_odd_as_it_likes(kind):
    tokens = ["<b>x</b>", "`a`", "*i*", "_", " ", "\n", "␣", "$x$", "a", "b", "é"]
    model = core.init_model(core.Config(len(tokens), 16, max_len=11, **kind), seed=1)
    loud = core.Model.of(model.config, model.flat * np.float32(1000))
    for models, unit in (((loud,), "word"), ((model, loud), "character")):
        own = Own(models, tuple(range(len(models))), Vocabulary(tokens), unit, "<i>says</i>", "a b a `a` é b")
        assert step_of_own(own, "loss", fresh="true").charts
        for view in VIEWS:
            assert step_of_own(own, "gradient", slopes=view).charts


@each_model
def test_an_array_and_its_gradient_are_drawn_side_by_side(label):
    model, tokens = model_of(label)[0], prompt_of(label)
    heads = model.config.n_heads
    for array, blocks in (("token_embedding", 1), ("blocks.0.attention.w_q", heads), ("final_norm.gain", 1)):
        found = gradient_of(model, tokens, array)
        pictures = show(model=label, array=array).charts[:2]
        for picture, values in zip(pictures, (found.values, found.slopes), strict=True):
            limit = limit_for(values)
            assert np.abs(values).max() <= limit < 2 * np.abs(values).max() + 1e-12
            assert f"from {values.min():.3f} to {values.max():.3f}".replace("-", "−") in picture.alt
            if len(values) > MOST_DRAWN:  # as words, tested below
                continue
            height = max(60, min(320, 12 * len(values)))
            alike = matrix_picture(
                values, axes_of(array, ""), limit=limit, height=height, name="", sentence="", first=1, blocks=blocks
            )
            assert picture.data["light"].tolist() == alike.data["light"].tolist()
            assert picture.spec["height"] == height


def test_of_a_large_vocabulary_the_rows_with_the_longest_gradients_are_drawn_with_their_tokens():
    label = next(iter(NAMES))
    tokens, vocabulary = prompt_of(label), vocabulary_of(label)
    found = gradient_of(model_of(label)[0], tokens, "token_embedding")
    lengths = row_norms(found.slopes)
    for picture, values in zip(show(model=label).charts[:2], (found.values, found.slopes), strict=True):
        shown = heatmap(picture)
        ids = vocabulary.encode([word.replace("␣", " ") for word in shown.rows])
        assert [token in tokens for token in ids] == [True] * 7 + [False] * 7
        assert lengths[ids[:7]].tolist() == sorted(lengths[np.unique(tokens)], reverse=True)[:7]
        assert lengths[ids[7:]].tolist() == sorted(np.delete(lengths, np.unique(tokens)), reverse=True)[:7]
        np.testing.assert_allclose(shown.values, values[ids], rtol=1e-6)


def test_rows_of_words_that_do_not_occur_have_a_gradient():
    tokens = prompt_of(LABEL)
    lengths = row_norms(gradient_of(model_of(LABEL)[0], tokens, "token_embedding").slopes)
    chart = chart_of(show(), "All 113 rows have a gradient")
    vocabulary = model_of(LABEL)[1].vocabulary
    for word, value, kept in zip(chart.data["label"], chart.data["value"], chart.data["kept"], strict=True):
        token = vocabulary.encode([word])[0]
        assert value == pytest.approx(lengths[token] / lengths.max())
        assert kept == (token in tokens)
    assert sorted(chart.data["kept"]) == [False] * 7 + [True] * 7


@each_model
def test_the_length_of_every_gradient_is_told(label):
    model = model_of(label)[0]
    found = gradient_of(model, prompt_of(label), "token_embedding")
    (block,) = [block for block in html_of(show(model=label)) if 'class="lengths"' in block]
    seen = re.findall(r'class="n">([\d.]+)', block)
    assert sorted(seen) == sorted(f"{norm:.3f}" for norm in found.norms)
    assert block.count("layer ") == model.config.n_layers


@each_model
@pytest.mark.promise("tiny_lm 4")
def test_the_loss_along_the_step_is_that_of_steps_really_taken(label):
    (model, source), tokens = model_of(label), prompt_of(label)
    counts = n_grams_of(source, model.config.max_len)
    baselines = n_gram_losses(counts, tokens[None])._asdict()  # on this very text
    expected = line_search(model, tokens[:-1], tokens[1:], SIZES)
    for eta in (ETAS[0], ETAS[-1]):
        seen = show(slopes=STEP_DOWN, model=label, eta=eta)
        (chart,) = seen.charts
        line = chart.data[chart.data["series"] == "after the step"].query("kind == 'line'")
        close(line["value"], expected)
        close(line["x"], SIZES)
        place = ETAS.index(eta)
        assert f"to {expected[place]:.2f}" in re.sub("[,,]", "", said(seen))
        assert chart.data.query("kind == 'here'")["x"].item() == SIZES[place]
        ends = chart.data.query("kind == 'end'").set_index("series")["value"]
        close([ends[name] for name in baselines], list(baselines.values()))
    assert expected[-1] > expected.min()


@pytest.mark.parametrize("array", ["token_embedding", "blocks.0.attention.w_o", "final_norm.bias"])
def test_a_nudged_parameter_measures_its_own_gradient(array):
    model, tokens = model_of(LABEL)[0], prompt_of(LABEL)
    n_rows, n_columns = np.atleast_2d(core.named_arrays(model)[array]).shape
    for row, column in ((1, 1), (n_rows, n_columns), (99999, 99999)):
        seen = show(slopes=NUDGED, array=array, array_row=row, array_column=column)
        row, column = (1, 1) if row == 99999 else (row, column)  # out of the field's bounds: the usual one stands
        found = central_difference(model, tokens, array, row - 1, column - 1, 0.01)
        for value in (found.up, found.down, found.measured, found.slope):
            assert f"{value:.8f}".replace("-", "−") in said(seen)
        window = heatmap(seen.charts[0])
        top, start = (row - 1) // 8 * 8, (column - 1) // 8 * 8
        close(window.values, gradient_of(model, tokens, array).slopes[top : top + 8, start : start + 8])


def test_sentences_do_not_depend_on_the_chosen_row():
    one, two = ([chart.alt for chart in show(slopes=NUDGED, array_row=row).charts] for row in ("2", "7"))
    assert one == two


def test_a_click_on_a_slope_chooses_its_number():
    app = visit("tiny_lm", step="gradient", model=LABEL, slopes=NUDGED, array_row="11", array_column="4", ask="no")
    click(app, 2, 6)
    link = {"step": "gradient", "model": LABEL, "slopes": NUDGED, "array_row": "11", "array_column": "7", "ask": "no"}
    assert shared(app) == {f"tiny_lm_{word}": value for word, value in link.items()}
    press(app, "Choose the steepest")
    slopes = gradient_of(model_of(LABEL)[0], prompt_of(LABEL), "token_embedding").slopes
    row, column = np.unravel_index(np.abs(slopes).argmax(), slopes.shape)
    chosen = [app.number_input(key=f"tiny_lm_{field}").value for field in ("array_row", "array_column")]
    assert chosen == [row + 1, column + 1]


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.nightly)])
def test_a_link_shows_the_same_numbers_to_the_last_bit(seed):
    app = wandering("gradient", ["slopes", "array", "array_row", "array_column", "eta", "nudge"], seed)
    link = shared(app)
    again = opened("tiny_lm", link)
    assert same(reveal(again), reveal(app))
    assert shared(again) == link
    assert "could not be used" not in said(again)


@pytest.mark.parametrize("view", VIEWS)
def test_the_script_of_each_view_runs_by_itself(view):
    label = "Copy task"
    numbers = printed_by_script(show(model=label, slopes=view))
    model, tokens = model_of(label)[0], prompt_of(label)
    found = gradient_of(model, tokens, "token_embedding")
    np.testing.assert_allclose(numbers["gradient.slopes"], found.slopes, atol=1e-6)
    if view == STEP_DOWN:
        np.testing.assert_allclose(numbers["losses"], line_search(model, tokens[:-1], tokens[1:], SIZES), rtol=1e-4)
    if view == NUDGED:
        assert numbers["tried.measured"] == pytest.approx(
            central_difference(model, tokens, "token_embedding", 0, 0, 0.01).measured
        )


# Questions


@pytest.mark.parametrize(("view", "name"), [(HEATMAPS, "rows"), (STEP_DOWN, "descent"), (NUDGED, "direction")])
def test_a_question_stands_before_the_picture_that_gives_it_away(view, name):
    seen = show(slopes=view, unanswered="all")
    assert [question.name for question in seen.page.asked] == [name]
    assert not seen.charts


def test_every_word_has_a_gradient_in_its_row():
    question = show().question("rows")
    assert [question.options[place] for place in question.right] == ["Yes"]


@pytest.mark.parametrize("variant", range(3))
def test_the_loss_after_a_small_step_is_what_the_slope_promises(variant):
    found = gradient_of(model_of(LABEL)[0], prompt_of(LABEL), "token_embedding")
    question = each_variant("gradient", variant + 1, slopes=STEP_DOWN)[variant].question("descent")
    size = float(re.search(r"η = ([\d.e-]+)\?", question.text)[1])
    assert found.loss == pytest.approx(loss_of_text(model_of(LABEL)[0], prompt_of(LABEL)), rel=1e-5)
    assert question.right == pytest.approx(found.loss - size * found.squared, rel=1e-3)
    for mistake in question.mistakes:
        if abs(mistake.value - question.right) > question.tolerance:
            verdict = question.judge(mistake.value)
            assert not verdict.right
            assert mistake.text in verdict.text


@pytest.mark.parametrize(("slope", "right"), [(0.3, "down"), (-0.3, "up"), (0.0, "not at all")])
def test_a_step_of_gradient_descent_moves_a_parameter_against_its_slope(slope, right):
    question = direction_question("w", 0.5, slope)
    assert [question.options[place] for place in question.right] == [right]
    assert "plain gradient descent" in question.text
    assert "plain gradient descent" in question.why


def test_adamw_may_move_a_parameter_against_plain_gradient_descent_and_both_are_named():
    model = core.init_model(core.Config(5, 4, 2, 1, 3), seed=0)
    state, up = AdamW.of(model), np.ones_like(model.flat)
    adamw_update(model, state, up, 0.01, decay=0.0)
    before = model.flat.copy()
    adamw_update(model, state, -0.1 * up, 0.01, decay=0.0)  # the slope is below 0 now: plain descent would move up
    assert (model.flat < before).all()
    before = model.flat.copy()
    adamw_update(model, AdamW.of(model), 0 * up, 0.01, decay=1.0)  # a slope of 0, and all matrices shrink
    np.testing.assert_allclose(model.flat[: model.n_matrix], 0.99 * before[: model.n_matrix], rtol=1e-6)
    for view in (STEP_DOWN, NUDGED):
        text = said(show(slopes=view))
        assert "AdamW" in text
    assert "plain gradient descent" in said(show(slopes=STEP_DOWN))
    assert "AdamW" in said(step("tiny_lm", "train"))


def test_the_steps_of_the_runs_are_those_of_the_models_that_ship():
    steps = [MODELS[name].plan.steps for name in NAMES.values()]
    assert f"in {min(steps):,} to {max(steps):,} small steps" in said(show(slopes=STEP_DOWN))
