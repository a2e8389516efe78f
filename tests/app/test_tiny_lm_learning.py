"""Lesson 6, how a model learns and what it is made of: every number of these steps is the core's."""

import re
from functools import partial

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import attention_core as core
from attention_core.experiments.gradient_step import gradient_of, loss_along, nudge
from attention_core.experiments.text_loss import examples, followers, loss_of_text, perplexity
from attention_core.rows import row_norms
from attention_core.shipped.models import MODELS, model_at
from attention_core.text.corpora import source_of, split, unigram_loss
from attention_core.text.vocabulary import Vocabulary
from pages.charts.matrix_image import matrix_picture
from pages.page.ask import Answer
from pages.tiny_lm import learning_questions as asked
from pages.tiny_lm.gradient import SIZES, STEPS, VIEWS, axes_of, holding
from pages.tiny_lm.model_in_view import NAMES, PROMPTS, WHEN, Own, visible
from tests.app import visits
from tests.app.bare import printed, run_bare
from tests.app.files import file_of, keeping
from tests.app.test_page import same, some_value
from tests.app.visits import FILES, ROOT, charts, components, heatmap, html_of, press, rerun, reveal, said, shared

STAGES = ("loss", "gradient")
LINKS = [
    {"step": "loss"},
    {"step": "loss", "fresh": "true"},
    *({"step": "gradient", "slopes": view} for view in VIEWS),
]
each_model = pytest.mark.parametrize("label", NAMES)
each_link = pytest.mark.parametrize("link", LINKS, ids=str)
MEOWED = "the big cat saw a red ball near the hat and it meowed"

visit = partial(visits.visit, "tiny_lm")


def shown(**link):
    """Return a page whose questions were waved away."""
    return visit(ask="no", **link)


def the_model(label, when="trained"):
    """Return the model of a link and its source."""
    own = MODELS[NAMES[label]]
    return model_at(own.name, own.stops[WHEN.index(when)]), source_of(own.source)


def the_tokens(label, text=None):
    """Return the prompt of a model as ids."""
    source = the_model(label)[1]
    return source.vocabulary.encode(split(text or PROMPTS[NAMES[label]][1], source.unit))


def own_page(own, **link):
    """Return a page that has a model of the student's own."""
    app = AppTest.from_file(ROOT / FILES["tiny_lm"], default_timeout=30)
    app._bidi_component_manager = components()
    app.session_state["tiny_lm_own"] = own
    app.query_params = {f"tiny_lm_{key}": value for key, value in {"model": "your own", "ask": "no", **link}.items()}
    return rerun(app)


def the_chart(app, title):
    """Return the chart whose sentence begins so."""
    (found,) = [chart for chart in charts(app) if chart.alt.startswith(title)]
    return found


def close(seen, expected):
    np.testing.assert_allclose(seen, expected, rtol=1e-6, atol=1e-9)


# Every model, at every moment


@each_model
@each_link
def test_every_step_works_for_every_model_at_every_moment(label, link):
    for when in WHEN:
        app = shown(model=label, when=when, **link)
        assert charts(app)
        assert "NaN" not in said(app)
        for found in charts(app):
            assert found.alt


@pytest.mark.parametrize("step", STAGES)
@each_model
def test_a_prompt_of_one_token_is_no_exception(label, step):
    field, text = PROMPTS[NAMES[label]]
    first = split(text, the_model(label)[1].unit)[0]
    app = reveal(visit(model=label, step=step, **{field: first}))
    assert "second" in said(app)


@pytest.mark.parametrize(
    "kind",
    [
        {"n_layers": 1, "n_heads": 1, "d_ff": 0, "norm": "post", "positions": "none"},
        {"n_layers": 4, "n_heads": 8, "causal": False, "positions": "alibi"},
        {"n_layers": 2, "n_heads": 4, "d_ff": 7, "norm": "post", "positions": "rope", "activation": "relu"},
        {"n_layers": 3, "n_heads": 2, "positions": "sinusoidal", "dropout": 0.2},
    ],
    ids=str,
)
def test_a_model_of_ones_own_may_be_as_odd_as_it_likes(kind):
    tokens = ["<b>x</b>", "`a`", "*i*", "_", " ", "\n", "␣", "$x$", "a", "b", "é"]
    model = core.init_model(core.Config(len(tokens), 16, max_len=11, **kind), seed=1)
    loud = core.Model.of(model.config, model.flat * np.float32(1000))
    for models, unit in (((loud,), "word"), ((model, loud), "character")):
        own = Own(models, tuple(range(len(models))), Vocabulary(tokens), unit, "<i>says</i>", "a b a `a` é b")
        for link in LINKS:
            app = own_page(own, **link)
            assert "<b>x</b>" not in " ".join(html_of(app))
            assert "<i>says" not in " ".join(html_of(app))


OURS = ["example", "fresh", "slopes", "array", "array_row", "array_column", "eta", "nudge"]


def wandering(step, seed):
    """Return a page on which somebody has set controls of a step at random."""
    rng = np.random.default_rng([seed, STAGES.index(step)])
    app = reveal(visit(step=step, model=str(rng.choice(list(NAMES))), when=str(rng.choice(WHEN))))
    for _ in range(3):
        for name in OURS:
            widget = visits.controls(app).get(f"tiny_lm_{name}")
            if widget is not None and rng.random() < 0.7:
                widget.set_value(some_value(widget, rng))
                reveal(rerun(app))
    return app


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("step", STAGES)
def test_a_link_to_these_steps_shows_the_same_numbers_to_the_last_bit(step, seed):
    app = wandering(step, seed)
    link = shared(app)
    again = visits.opened("tiny_lm", link)
    assert same(reveal(again), reveal(app))
    assert shared(again) == link
    assert "could not be used" not in said(again)


# Files


@pytest.mark.usefixtures("media")
@pytest.mark.parametrize("label", ["small English", "it and the animal"])
def test_the_script_computes_the_losses_again(label):
    app = keeping("tiny_lm", step="loss", model=label, text=MEOWED, fresh="true", example="1 → big")
    numbers = printed(run_bare(file_of(app, "Script").decode()))
    own, tokens = MODELS[NAMES[label]], the_tokens(label, MEOWED)
    found = examples(model_at(own.name), tokens)
    np.testing.assert_allclose(numbers["cases.losses"], found.losses, atol=1e-6)
    first = examples(model_at(own.name, 0), tokens)
    mean = first.mean if label == "small English" else first.losses[-1]
    np.testing.assert_allclose(numbers["mean_untrained"], mean, atol=1e-6)
    assert numbers["following.entropy"] > 1


@pytest.mark.usefixtures("media")
@pytest.mark.parametrize("link", LINKS[2:], ids=str)
def test_every_script_of_these_steps_runs_by_itself(link):
    app = keeping("tiny_lm", model="letters and digits", **link)
    numbers = printed(run_bare(file_of(app, "Script").decode()))
    model, tokens = the_model("letters and digits")[0], the_tokens("letters and digits")
    if link["step"] == "gradient":
        found = gradient_of(model, tokens, "token_embedding")
        np.testing.assert_allclose(numbers["gradient.slopes"], found.slopes, atol=1e-6)
    if link.get("slopes") == VIEWS[1]:
        np.testing.assert_allclose(numbers["losses"], loss_along(model, tokens[:-1], tokens[1:], SIZES), rtol=1e-4)
    if link.get("slopes") == VIEWS[2]:
        assert numbers["tried.measured"] == pytest.approx(nudge(model, tokens, "token_embedding", 0, 0, 0.01).measured)


# Loss


@each_model
@pytest.mark.parametrize("when", ["untrained", "trained"])
def test_every_row_is_drawn_with_its_bet_and_its_loss(label, when):
    model, source = the_model(label, when)
    tokens = the_tokens(label)
    found = examples(model, tokens)
    chart = the_chart(shown(step="loss", model=label, when=when), f"{len(tokens)} {source.unit}s make")
    assert len(chart.data) == len(tokens) - 1
    close(chart.data["loss"], found.losses)
    close(chart.data["probability"], found.target_bets)
    words = [visible(source.vocabulary.tokens[token]) for token in tokens]
    expected = [f"{i + 1} · {words[i]} → {words[i + 1]}" for i in range(len(tokens) - 1)]
    assert chart.data["label"].tolist() == expected
    assert f"{found.losses.max():.2f} nats" in chart.alt


def test_a_click_on_a_row_shows_its_bet_and_how_its_loss_came_about():
    label = next(iter(NAMES))
    tokens = the_tokens(label)
    found = examples(the_model(label)[0], tokens)
    app = shown(step="loss", example="2 → cat")
    bets = the_chart(app, "The bet of the chosen example").data
    row = 1
    order = np.argsort(-found.bets[row], kind="stable")
    close(bets["value"][:6], found.bets[row, order[:6]])
    assert bets["label"].str.contains("cat · target").sum() == 1
    assert bets["value"][bets["label"] == "cat · target"].item() == pytest.approx(found.target_bets[row])
    for value in (found.log_sums[row], found.target_logits[row], found.losses[row]):
        assert f"{value:.2f}" in said(app)
    assert the_chart(app, "12 words make").data["mark"].tolist() == [0, 4] + [0] * 9


def test_a_share_too_small_for_four_digits_is_not_called_nothing():
    app = shown(step="loss", model="letters and digits", example="6 → e")
    cost = examples(the_model("letters and digits")[0], the_tokens("letters and digits")).losses[5]
    digits, power = f"{np.exp(-cost):.1e}".split("e")
    told = said(app).replace("−", "-")
    assert f"-log {digits} · 10{int(power)}" in told
    assert f"the model gave it less than 0.01, and it cost {cost:.2f} nats" in told
    assert "2 words make 1 example." in said(shown(step="loss", text="the cat"))


def test_a_target_that_is_not_among_the_likeliest_is_drawn_as_well():
    app = shown(step="loss", example="3 → saw")
    bets = the_chart(app, "The bet of the chosen example").data
    assert len(bets) == 7
    assert bets["label"].iloc[-1] == "saw · target"
    assert bets["highlight"].tolist() == [False] * 6 + [True]


def test_sentences_do_not_depend_on_the_chosen_row():
    one, two = (shown(step="loss", example=row) for row in ("1 → big", "5 → red"))
    assert [chart.alt for chart in charts(one)] == [chart.alt for chart in charts(two)]
    one, two = (shown(step="gradient", slopes=VIEWS[2], array_row=row) for row in ("2", "7"))
    assert [chart.alt for chart in charts(one)] == [chart.alt for chart in charts(two)]


@each_model
def test_the_mean_stands_beside_its_baselines_and_the_other_moments(label):
    own, (_, source) = MODELS[NAMES[label]], the_model(label)
    tokens = the_tokens(label)
    chart = the_chart(shown(step="loss", model=label, when="early"), "The mean of the rows")
    expected = [np.log(len(source.vocabulary)), unigram_loss(source, own.plan.config.max_len)]
    expected += [loss_of_text(model_at(own.name, step), tokens) for step in own.stops]
    close(chart.data["value"], expected)
    assert chart.data["label"].tolist()[2:] == [word + " ◂" * (word == "early") for word in WHEN]


def test_where_only_some_rows_count_both_means_are_told():
    app = shown(step="loss", model="it and the animal", text=MEOWED)
    model, source = the_model("it and the animal")
    found = examples(model, the_tokens("it and the animal", MEOWED))
    chart = the_chart(app, "13 words make")
    assert chart.data["counted"].tolist() == [False] * 11 + [True]
    assert source.vocabulary.tokens[found.targets[-1]] == "meowed"
    assert f"Their mean is {found.losses[-1]:.2f} nats, that of all rows {found.mean:.2f}" in said(app)
    assert the_chart(app, "The mean of the rows that count").data["value"].iloc[-1] == pytest.approx(found.losses[-1])
    assert np.argmax(chart.data["mark"]) == 11  # the row that counts is the one that stands open


def test_a_text_in_which_something_counts_is_one_click_away():
    for label, n_counted in (("it and the animal", 1), ("letters and digits", 2)):
        app = shown(step="loss", model=label)
        assert not charts(app)[0].data["counted"].any()
        press(app, "A text in which some count")
        assert charts(app)[0].data["counted"].sum() == n_counted
        assert not [button for button in app.button if button.label == "A text in which some count"]


def test_a_model_trained_here_on_the_same_task_counts_the_same_rows():
    source = source_of("pronoun")
    model = the_model("it and the animal")[0]
    app = own_page(Own((model,), (300,), source.vocabulary, "word", source.says, MEOWED), step="loss")
    assert charts(app)[0].data["counted"].tolist() == [False] * 11 + [True]


def test_a_mask_hides_what_comes_and_a_model_without_one_has_read_it():
    assert "to the last digit" in said(shown(step="loss"))
    model = core.init_model(core.Config(3, 8, 2, 2, 9, causal=False), seed=0)
    app = own_page(Own((model,), (0,), Vocabulary("abc"), "character", "nothing", "abcab"), step="loss")
    assert "This model has no mask" in said(app)


def test_fresh_texts_tell_how_little_anybody_could_lose():
    app = shown(step="loss", fresh="true", example="1 → big")
    source = source_of("english")
    rows = source.draw(np.random.default_rng(1), 4000, 1).rows
    follow = np.bincount(rows[rows[:, 0] == source.vocabulary.encode(["the"])[0], 1], minlength=len(source.vocabulary))
    expected = followers(follow)
    chart = the_chart(app, "What came next in")
    close(chart.data["value"], np.sort(expected.shares)[::-1][:6])
    assert f"is {expected.entropy:.2f} nats" in said(app)
    assert expected.entropy > 2
    press(shown(step="loss", fresh="true", example="9 → hat"), "Example 1")
    assert "too few to say" in said(shown(step="loss", fresh="true", example="9 → hat"))


# Gradient


@each_model
def test_an_array_and_its_gradient_are_drawn_side_by_side(label):
    model, tokens = the_model(label)[0], the_tokens(label)
    heads = model.config.n_heads
    for array, blocks in (("token_embedding", 1), ("blocks.0.attention.w_q", heads), ("final_norm.gain", 1)):
        found = gradient_of(model, tokens, array)
        pictures = charts(shown(step="gradient", model=label, array=array))[:2]
        for picture, values in zip(pictures, (found.values, found.slopes), strict=True):
            limit = holding(values)
            assert np.abs(values).max() <= limit < 2 * np.abs(values).max() + 1e-12
            height = max(60, min(320, 12 * len(values)))
            same = matrix_picture(
                values, axes_of(array, ""), limit=limit, height=height, name="", sentence="", first=1, blocks=blocks
            )
            assert picture.data["light"].tolist() == same.data["light"].tolist()
            assert picture.spec["height"] == height
            assert f"from {values.min():.3f} to {values.max():.3f}".replace("-", "−") in picture.alt


def test_rows_of_words_that_do_not_occur_have_a_gradient():
    label = next(iter(NAMES))
    tokens = the_tokens(label)
    lengths = row_norms(gradient_of(the_model(label)[0], tokens, "token_embedding").slopes)
    chart = the_chart(shown(step="gradient"), "All 113 rows have a gradient")
    vocabulary = the_model(label)[1].vocabulary
    for word, value, kept in zip(chart.data["label"], chart.data["value"], chart.data["kept"], strict=True):
        token = vocabulary.encode([word])[0]
        assert value == pytest.approx(lengths[token] / lengths.max())
        assert kept == (token in tokens)
    assert sorted(chart.data["kept"]) == [False] * 7 + [True] * 7


@each_model
def test_the_length_of_every_gradient_is_told(label):
    model = the_model(label)[0]
    found = gradient_of(model, the_tokens(label), "token_embedding")
    (block,) = [block for block in html_of(shown(step="gradient", model=label)) if 'class="lengths"' in block]
    seen = re.findall(r'class="n">([\d.]+)', block)
    assert sorted(seen) == sorted(f"{norm:.3f}" for norm in found.norms)
    assert block.count("layer ") == model.config.n_layers


@each_model
def test_the_loss_along_the_step_is_that_of_steps_really_taken(label):
    model, tokens = the_model(label)[0], the_tokens(label)
    expected = loss_along(model, tokens[:-1], tokens[1:], SIZES)
    for eta in (STEPS[0], STEPS[-1]):
        app = shown(step="gradient", slopes=VIEWS[1], model=label, eta=eta)
        (chart,) = charts(app)
        line = chart.data[chart.data["series"] == "after"].query("kind == 'line'")
        close(line["value"], expected)
        close(line["x"], SIZES)
        place = STEPS.index(eta)
        assert f"to {expected[place]:.2f}" in said(app).replace("\u202f", "")
        assert chart.data.query("kind == 'here'")["x"].item() == SIZES[place]
    assert expected[-1] > expected.min()


@pytest.mark.parametrize("array", ["token_embedding", "blocks.0.attention.w_o", "final_norm.bias"])
def test_a_nudged_number_measures_its_own_gradient(array):
    label = next(iter(NAMES))
    model, tokens = the_model(label)[0], the_tokens(label)
    n_rows, n_columns = np.atleast_2d(core.named_arrays(model)[array]).shape
    for row, column in ((1, 1), (n_rows, n_columns), (99999, 99999)):
        app = shown(step="gradient", slopes=VIEWS[2], array=array, array_row=str(row), array_column=str(column))
        row, column = (1, 1) if row == 99999 else (row, column)  # out of the field's bounds: the usual one stands
        found = nudge(model, tokens, array, row - 1, column - 1, 0.01)
        for value in (found.up, found.down, found.measured, found.slope):
            assert f"{value:.8f}".replace("-", "−") in said(app)
        window = heatmap(charts(app)[0])
        top, start = (row - 1) // 8 * 8, (column - 1) // 8 * 8
        expected = gradient_of(model, tokens, array).slopes[top : top + 8, start : start + 8]
        close(window.values, expected)


def test_a_click_on_a_slope_chooses_its_number():
    app = shown(step="gradient", slopes=VIEWS[2], array_row="11", array_column="4")
    visits.click(app, 2, 6)
    assert shared(app) == {
        "tiny_lm_step": "gradient",
        "tiny_lm_slopes": VIEWS[2],
        "tiny_lm_array_row": "11",
        "tiny_lm_array_column": "7",
        "tiny_lm_ask": "no",
    }
    press(app, "The steepest")
    slopes = gradient_of(the_model("small English")[0], the_tokens("small English"), "token_embedding").slopes
    row, column = np.unravel_index(np.abs(slopes).argmax(), slopes.shape)
    assert (app.number_input(key="tiny_lm_array_row").value, app.number_input(key="tiny_lm_array_column").value) == (
        row + 1,
        column + 1,
    )


# Questions


def judged(question, given):
    """Return what is said of an answer."""
    return question.judge(given)


@pytest.mark.parametrize("variant", range(5))
def test_questions_know_their_answers_and_the_likely_mistakes(variant):
    numbers = [asked.hesitation_question(2.0, 113), asked.descent_question(1.5, 158.0, variant)]
    assert numbers[0].right == pytest.approx(perplexity(2.0))
    for question in numbers:
        assert judged(question, question.right).right
        for mistake in question.mistakes:
            if abs(mistake.value - question.right) > question.tolerance:
                verdict = judged(question, mistake.value)
                assert not verdict.right
                assert mistake.text in verdict.text
    for slope, right in ((0.3, "down"), (-0.3, "up"), (0.0, "not at all")):
        question = asked.direction_question("w", 0.5, slope)
        assert question.options[question.right[0]] == right


@pytest.mark.parametrize(
    ("link", "name"),
    [
        ({"step": "loss"}, "examples"),
        ({"step": "gradient"}, "rows"),
        ({"step": "gradient", "slopes": VIEWS[1]}, "descent"),
        ({"step": "gradient", "slopes": VIEWS[2]}, "direction"),
    ],
)
def test_a_question_stands_before_the_picture_that_gives_it_away(link, name):
    app = visit(**link)
    assert not charts(app)
    press(app, "Just show me")
    assert charts(app)
    assert isinstance(app.session_state["answers"][f"tiny_lm_{name}"], Answer)


def test_the_first_answer_of_the_lesson_on_losses_is_counted():
    app = visit(step="loss")
    app.number_input(key="tiny_lm_examples_given").set_value(11.0)
    press(app, "Check")
    assert "11 it is" in said(app)
    assert "tiny_lm_examples" in app.session_state["answered"]
