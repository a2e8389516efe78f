"""Lesson 2: every line, band, bar and word is that of the draws, and a claim stands or falls by them."""

import html
import json
import math
import re

import numpy as np
import pytest

from attention_core.experiments.overflow import remedies
from attention_core.experiments.random_scores import DIVISORS, WIDTHS, divisor, one_draw, one_table, over_widths, tried
from pages.page.course import LESSONS
from pages.scaling.claims import CLAIMS, holds
from pages.scaling.questions import (
    claim_question,
    constant_question,
    d_v_question,
    grows_question,
    more_question,
    nudge_question,
    two_question,
    variance_question,
)
from tests.app.visits import charts as every_chart
from tests.app.visits import controls, html_of, press, reveal, said, shared, visit

STEPS = ["spread", "scores", "largest", "entropy", "gradient", "claims", "d_v", "overflow", "constant"]
OVER_D_K = {"spread": "variance", "largest": "largest_in_row", "entropy": "entropy", "gradient": "jacobian"}
SEED = 895
FEW = {"length": "4", "draws": "100"}  # what is quick to draw


def opened(**link):
    """Return a page whose question was waved away, so that its picture stands."""
    return reveal(visit("scaling", **link))


def charts(app):
    return [(shown.spec, shown.data) for shown in every_chart(app)]


def matrix(data):
    shape = (data["i"].max() + 1, data["j"].max() + 1)
    return data.iloc[:, 2].to_numpy().reshape(shape)


def shares(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def products(d_k=64, length=8, seed=SEED):
    table = one_table(d_k, length, seed, 0)
    return table.q @ table.k.T


def line(data, name, column="value"):
    part = data[(data["kind"] == "line") & (data["series"] == name)].sort_values("x")
    return part[column].to_numpy()


def widget(app, name):
    return controls(app)[f"scaling_{name}"]


def shown(value, digits=2):
    return f"{abs(value):,.{digits}f}".replace(",", "\u202f")


# Every chart


@pytest.mark.parametrize("chosen", DIVISORS)
@pytest.mark.parametrize("step", OVER_D_K)
def test_lines_and_bands_are_those_of_the_draws(step, chosen):
    data = charts(opened(step=step, divide=chosen, **FEW))[0][1]
    expected = over_widths(OVER_D_K[step], WIDTHS, 4, 100, SEED)
    for i, name in enumerate(DIVISORS):
        np.testing.assert_array_equal(line(data, f"÷ {name}"), expected.mean[i])
        np.testing.assert_array_equal(line(data, f"÷ {name}", "low"), expected.low[i])
        np.testing.assert_array_equal(line(data, f"÷ {name}", "high"), expected.high[i])
    assert data.loc[data["kind"] == "line", "series"].iloc[-1] == f"÷ {chosen}"  # on top
    theories = data[data["kind"] == "theory"]
    if step == "spread":
        exact = [width / divisor(name, width) ** 2 for name in DIVISORS for width in WIDTHS]
        np.testing.assert_allclose(theories["value"], exact)
    else:
        assert theories.empty


def test_what_reaches_the_query_is_the_median_draw():
    data = charts(opened(step="gradient", up="to the query", **FEW))[0][1]
    expected = over_widths("reach", WIDTHS, 4, 100, SEED)
    for i, name in enumerate(DIVISORS):
        np.testing.assert_array_equal(line(data, f"÷ {name}"), expected.middle[i])


@pytest.mark.parametrize("step", OVER_D_K)
def test_axes_stay_whatever_is_chosen(step):
    def axes(**link):
        found = json.dumps(charts(opened(step=step, **link))[0][0])
        return re.findall(r'"domain": (\[[^\]]*\])', found.replace('"domain": ["', '"names": ["'))

    scenes = [FEW, {**FEW, "seed": "3", "d_k": "512"}, {**FEW, "length": "16", "divide": "nothing", "d_k": "1"}]
    first, *others = [axes(**scene) for scene in scenes]
    assert first
    assert all(other == first for other in others)


@pytest.mark.parametrize("d_k", [1, 64, 512])
def test_the_card_beside_the_lines_has_their_numbers(d_k):
    text = said(opened(step="largest", d_k=str(d_k), **FEW))
    spread = over_widths("largest_in_row", WIDTHS, 4, 100, SEED)
    for mean in spread.mean[:, WIDTHS.index(d_k)]:
        assert f"{mean:.2f}" in text


@pytest.mark.parametrize("named", DIVISORS)
@pytest.mark.parametrize("d_k", [1, 64, 512])
def test_the_histogram_counts_scores_and_the_map_is_their_softmax(d_k, named):
    (_, bars), (_, cells) = charts(opened(step="scores", d_k=str(d_k), divide=named))
    np.testing.assert_allclose(matrix(cells), shares(products(d_k) / divisor(named, d_k)), atol=1e-12)
    counted = bars[bars["kind"] == "bin"]
    assert counted["share"].sum() == pytest.approx(1)
    assert (counted["start"].min(), counted["end"].max()) == (-60, 60)
    middles = (counted["start"] + counted["end"]) / 2
    deviation = math.sqrt(d_k) / divisor(named, d_k)
    if 1 <= deviation < 10:
        assert math.sqrt((counted["share"] * middles**2).sum()) == pytest.approx(deviation, rel=0.1)
    theory = bars[bars["kind"] == "theory"]
    peak = 1 / (deviation * math.sqrt(2 * math.pi))
    assert theory["share"].max() == pytest.approx(peak)  # bins are 1 wide, so a density is a share


def test_the_card_of_a_weight_goes_from_product_to_share():
    text = said(opened(step="scores", q="3", k="5"))
    score = products()[2] / 8
    assert f"How q₃ → k₅ became {shown(shares(score)[4])}" in re.sub(r"\s+", " ", text)
    for value in (products()[2, 4], score[4], math.exp(score[4]), np.exp(score).sum()):
        assert shown(value) in text


@pytest.mark.parametrize("named", DIVISORS)
def test_the_slopes_are_those_of_softmax(named):
    found = charts(opened(step="gradient", divide=named, q="2", **FEW))
    weights = shares(products(length=4) / divisor(named, 64))
    np.testing.assert_allclose(matrix(found[1][1]), weights, atol=1e-12)
    row = weights[1]
    np.testing.assert_allclose(matrix(found[2][1]), np.diag(row) - np.outer(row, row), atol=1e-12)


@pytest.mark.parametrize("d_v", [4, 64, 512])
def test_dividing_by_the_wrong_width_hides_while_both_are_equal(d_v):
    (_, good), (_, bad) = charts(opened(step="d_v", d_v=str(d_v)))
    np.testing.assert_allclose(matrix(good), shares(products() / 8), atol=1e-12)
    np.testing.assert_allclose(matrix(bad), shares(products() / math.sqrt(d_v)), atol=1e-12)
    text = said(opened(step="d_v", d_v=str(d_v)))
    assert f"{0 if d_v == 64 else 64} of 64 weights differ" in text


@pytest.mark.parametrize(
    ("link", "change", "expected"),
    [
        ({"q": "2"}, lambda scores: scores + 2 * (np.arange(8) == 1)[:, None], 0),
        ({"experiment": "add to a column", "k": "3", "amount": "-1.5"}, lambda s: s - 1.5 * (np.arange(8) == 2), 64),
        ({"experiment": "multiply all", "times": "¼"}, lambda scores: scores / 4, 64),
    ],
)
def test_constants_move_what_they_move(link, change, expected):
    app = opened(step="constant", **link)
    (_, before), (_, after) = charts(app)
    np.testing.assert_allclose(matrix(before), shares(products() / 8), atol=1e-12)
    np.testing.assert_allclose(matrix(after), shares(change(products() / 8)), atol=1e-12)
    assert after["moved"].sum() == expected
    assert f"{expected} of 64 weights have moved" in said(app)


# Overflow and saturation


def panels(app):
    (board,) = [block for block in html_of(app) if "divide and subtract" in block]
    text = html.unescape(re.sub("<[^>]*>", " ", board))
    found = re.split(r"\b(?:neither|divide and subtract|divide|subtract)\b", text)[1:]
    return [("overflow" in part, "saturated" in part, "a choice left open" in part) for part in found]


def test_each_switch_mends_its_own_trouble():
    assert panels(opened(step="overflow")) == [
        (True, False, False),
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]


def test_without_a_constant_nothing_overflows_and_saturation_stays():
    assert panels(opened(step="overflow", add="0")) == [
        (False, True, False),
        (False, False, True),
        (False, True, False),
        (False, False, True),
    ]


def test_powers_that_round_to_0_have_not_overflowed():
    app = opened(step="overflow", add="-150")
    assert panels(app)[:2] == [(False, False, False)] * 2
    assert said(app).count("✕ underflowall powers round to 0") == 2
    with np.errstate(under="ignore"):
        assert not np.exp((products()[0] - 150).astype(np.float32)).any()


def test_a_short_key_overflows_without_being_saturated():
    neither, divided, subtracted, both = panels(opened(step="overflow", d_k="1"))
    assert neither == divided == (True, False, False)
    assert subtracted == both == (False, False, True)


@pytest.mark.parametrize("divide", ["", "true"])
@pytest.mark.parametrize("subtract", ["", "true"])
def test_the_table_shows_the_way_of_the_chosen_switches(divide, subtract):
    link = {name: "true" for name, on in (("divided", divide), ("subtract", subtract)) if on}
    (table,) = [block for block in html_of(opened(step="overflow", **link)) if "score s" in block]
    scores = products()[0] / (8 if divide else 1) + 100
    for value in scores:
        assert shown(value) in table
    assert ("NaN" in table) == (not subtract)
    if subtract:
        for share in shares(scores):
            assert shown(share) in table


# Claims


@pytest.mark.parametrize("name", CLAIMS)
def test_one_draw_lies_over_the_band_of_many(name):
    claim = CLAIMS[name]
    data = charts(opened(step="claims", claim=name, draw="7", draws="100"))[0][1]
    trial = tried(claim.measure, claim.divisor, claim.rises, claim.widths, 4, 100, SEED)
    np.testing.assert_array_equal(line(data, "mean of 100"), trial.mean)
    np.testing.assert_array_equal(line(data, "mean of 100", "low"), trial.low)
    single = one_draw(claim.measure, claim.divisor, claim.widths, 4, SEED, 6)
    np.testing.assert_array_equal(line(data, "draw 7"), single)


@pytest.mark.parametrize(
    ("name", "verdict", "words"),
    [
        ("it rises", "all", "It holds."),
        ("it falls", "not", "These draws do not show it."),
        ("64 sharp", "average", "A little of it is true"),
        ("1 flat", "average", "A little of it is true"),
    ],
)
def test_what_thousands_of_draws_say_to_each_claim(name, verdict, words):
    claim = CLAIMS[name]
    for seed in (SEED, 1, 2):
        trial = tried(claim.measure, claim.divisor, claim.rises, claim.widths, 4, 4000, seed)
        assert holds(trial, claim) == verdict
    app = opened(step="claims", claim=name)
    trial = tried(claim.measure, claim.divisor, claim.rises, claim.widths, 4, 100, SEED)
    assert words in said(app)
    assert f"In {trial.agreeing} of 100 draws" in said(app)


@pytest.mark.parametrize(("n_draws", "verdict"), [(10, "not"), (100, "not"), (4000, "average")])
def test_what_chance_may_do_to_two_means_shows_nothing(n_draws, verdict):
    found = tried("largest", "√d_k", True, (4, 512), 4, n_draws, SEED)
    trial = found._replace(change=0.2 * found.apart, agreeing=n_draws // 2)
    assert holds(trial, CLAIMS["it rises"]) == verdict


@pytest.mark.parametrize(("step", "idle"), [("claims", "length"), *((step, "draws") for step in STEPS[-3:])])
def test_a_step_has_no_control_that_moves_nothing(step, idle):
    assert f"scaling_{idle}" not in controls(visit("scaling", step=step))


def test_a_single_draw_is_no_evidence():
    app = opened(step="claims", draws="1", draw="5")
    assert "One draw cannot tell." in said(app)
    assert "The mean goes from" not in said(app)
    assert set(charts(app)[0][1]["series"]) >= {"draw 5", "mean of 1"}


def test_drawing_again_takes_the_next_draw_and_the_many_stay():
    app = opened(step="claims", draws="100")
    before = charts(app)[0][1]
    press(app, "Draw again")
    after = charts(app)[0][1]
    assert widget(app, "draw").value == 2
    np.testing.assert_array_equal(line(before, "mean of 100"), line(after, "mean of 100"))
    expected = one_draw("largest", "√d_k", (4, 16, 64, 256, 512), 4, SEED, 1)
    np.testing.assert_array_equal(line(after, "draw 2"), expected)


def test_the_first_draw_of_the_page_falls_as_the_printed_one_did_and_says_how_rare_that_is():
    assert (np.diff(one_draw("largest", "√d_k", (4, 16, 64, 256, 512), 4, SEED, 0)) < 0).all()
    trial = tried("largest", "√d_k", False, (4, 16, 64, 256, 512), 4, 1000, SEED)
    assert f"They do so in {trial.in_order} of 1000 draws." in said(opened(step="claims", draws="1000"))
    assert trial.in_order < 30


# Questions


def questions(variant):
    table = products()
    scores = table / 8
    largest = over_widths("largest_in_row", WIDTHS, 8, 100, SEED)
    found = {
        "variance": variance_question(variant),
        "grows": grows_question(largest, variant),
        "more": more_question(largest, 8, variant),
        "nudge": nudge_question(table, 64, variant),
        "d_v": d_v_question(64, variant),
        "two": two_question(remedies(table, 0, 100.0, 8.0), 100, 64, variant),
        "constant": constant_question(scores, shares(scores), variant),
    }
    for claim in CLAIMS.values():
        trial = tried(claim.measure, claim.divisor, claim.rises, claim.widths, 4, 400, SEED)
        found[f"claim_{claim.name}"] = claim_question(claim, trial, variant)
    return found


@pytest.mark.parametrize("variant", range(6))
def test_every_right_answer_is_right_and_every_mistake_is_explained(variant):
    for name, question in questions(variant).items():
        if hasattr(question, "options"):
            for option in range(len(question.options)):
                verdict = question.judge(option)
                assert verdict.right == (option in question.right), name
                assert verdict.right or question.mistakes[option], (name, option)
        else:
            assert question.judge(question.right).right
            for mistake in question.mistakes:
                if abs(mistake.value - question.right) > question.tolerance:
                    assert not question.judge(mistake.value).right, name


def test_the_answers_are_those_of_the_draws():
    right = {variant: questions(variant) for variant in range(3)}
    assert [right[i]["grows"].right for i in range(3)] == [(2,), (0,), (1,)]  # undivided, by d_k, by its root
    assert all(right[i]["more"].right == (0,) for i in range(3))
    assert [right[i]["two"].right for i in range(2)] == [(0,), (1,)]
    assert [right[i]["constant"].right for i in range(3)] == [(0,), (1,), (2,)]
    assert right[0]["variance"].right == 16
    assert right[2]["variance"].right == 1
    assert right[0]["d_v"].right == 4


def test_at_a_width_of_1_both_rows_are_the_same_and_every_mistake_says_so():
    question = nudge_question(products(1), 1, 0)
    assert question.options[question.right[0]] == "In both alike"
    assert [mistake for mistake in question.mistakes if mistake] == ["√1 is 1: the two rows are the same."] * 2


def test_a_rare_draw_is_not_said_to_be_none():
    claim = next(claim for claim in CLAIMS.values() if claim.name == "sharp")
    trial = tried(claim.measure, claim.divisor, claim.rises, claim.widths, 4, 400, SEED)
    assert 0 < trial.in_order < 4
    assert (
        claim_question(claim, trial, 1).why == f"It is so in {trial.in_order} of 400 draws, {trial.in_order / 400:.1%}."
    )


def test_the_question_on_overflow_tells_the_order_by_which_it_does():
    question = two_question(remedies(products(), 0, 100.0, 8.0), 100, 64, 0)
    assert "is divided by √d<sub>k</sub>, then 100 is added to each" in question.text
    assert question.options[question.right[0]].startswith("NaN")
    with np.errstate(over="ignore"):
        assert np.isinf(np.exp((products()[0] / 8 + 100).astype(np.float32))).any()
    assert np.isfinite(np.exp(((products()[0] + 100) / 8).astype(np.float32))).all()  # the other way round


@pytest.mark.parametrize("step", [step for step in STEPS if step != "scores"])
def test_no_picture_is_shown_before_its_question_is_answered(step):
    app = visit("scaling", step=step, **FEW)
    assert charts(app) == []
    assert not any("divide and subtract</div>" in block for block in html_of(app))
    press(app, "Just show me")
    assert charts(app) or panels(app)


def test_the_course_lists_every_question():
    (lesson,) = [lesson for lesson in LESSONS if lesson.name == "scaling"]
    assert set(lesson.questions) == {question.name for question in questions(0).values()}


def test_a_right_answer_counts_and_another_is_asked():
    app = visit("scaling", **FEW)
    app.number_input(key="scaling_variance_given").set_value(16.0)
    press(app, "Check")
    assert "✓ 16 it is." in said(app)
    assert "scaling_variance" in app.session_state["answered"]
    press(app, "Ask me another")
    assert "have 64 numbers each" in re.sub(r"\s+", " ", said(app))


# Links


def test_the_link_brings_back_what_was_set():
    app = opened(step="scores", divide="d_k", length="5", seed="3", q="2", d_k="256")
    link = shared(app)
    assert link == {
        "scaling_step": "scores",
        "scaling_divide": "d_k",
        "scaling_length": "5",
        "scaling_seed": "3",
        "scaling_q": "2",
        "scaling_d_k": "256",
    }
    again = opened(**{name.removeprefix("scaling_"): value for name, value in link.items()})
    for (_, first), (_, second) in zip(charts(app), charts(again), strict=True):
        assert first.equals(second)


def test_what_a_teacher_locked_is_disabled():
    app = opened(step="claims", draws="100", lock="draw.claim.step")
    assert widget(app, "draw").disabled
    assert widget(app, "claim").disabled
    assert next(button for button in app.button if button.label == "Draw again").disabled
    assert "Set by your teacher" in said(app)


@pytest.mark.parametrize("step", STEPS)
def test_the_same_link_gives_the_same_numbers_and_another_seed_others(step):
    first, again, other = (opened(step=step, **FEW, seed=seed) for seed in ("5", "5", "6"))
    assert [data.to_json() for _, data in charts(first)] == [data.to_json() for _, data in charts(again)]
    assert html_of(first) == html_of(again)
    assert html_of(first) != html_of(other)


def test_every_picture_says_that_its_numbers_are_random():
    for step in STEPS:
        if step != "overflow":
            assert f"Random numbers (seed {SEED}): they stand for no words." in said(opened(step=step, **FEW))
