"""softmax: weights, and how two of them compare."""

import math
import re
from functools import partial

import numpy as np
import pytest

from attention_core.equations.attention import attention_forward
from pages.qkv.softmax import ratio_question
from tests.app.qkv.heads import (
    VARIANTS,
    assert_sound,
    equal_rows,
    every_sentence,
    heads_of_every_origin,
    named,
    random_heads,
    with_and_without_a_mask,
)
from tests.app.qkv.scene import (
    arcs,
    card,
    choose,
    close,
    columns,
    computed,
    each_kind,
    every_scene,
    products,
    read,
    shown,
)
from tests.app.steps import step
from tests.app.visits import click, heatmap, main, sent_to, visit

show = partial(step, "qkv", "softmax", weights="random")


@every_scene
@pytest.mark.promise("tutorial 5")
def test_the_weights_of_every_row_sum_to_1(link):
    close(heatmap(main(show(**link))).values.sum(axis=1), 1)


def test_a_column_may_get_much_or_little_but_without_a_mask_never_nothing():
    trained = heatmap(main(show(weights="trained"))).values
    assert trained.sum(axis=0).max() > 2
    assert 0 < trained.sum(axis=0).min() < 0.1


@pytest.mark.parametrize("head", "1234")
def test_a_trained_head_gives_nothing_to_what_comes_later(head):
    weights = heatmap(main(show(weights="trained", head=head))).values
    assert (weights[np.triu_indices(len(weights), 1)] == 0).all()
    assert (weights[np.tril_indices(len(weights))] > 0).all()


@each_kind
def test_the_words_that_attend_to_themselves_are_counted(link):
    weights = computed(**link).softmax
    own = int((weights.diagonal() >= weights.max(axis=1) - 1e-9).sum())
    assert f" {own} of 10 words attend" in main(show(**link)).alt


@each_kind
@pytest.mark.parametrize("cell", [(3, 2), (2, 7)])
@pytest.mark.promise("page 3", "pitfall 11", "tutorial 3")
def test_a_weight_is_derived_from_its_products(link, cell):
    expected = computed(**link)
    place = row, column = cell[0] - 1, cell[1] - 1
    seen = expected.masked[row]
    shift = seen.max() if seen.max() > 40 else 0
    title, rows, lines = card(show(**choose("softmax", *cell), **link))
    named = columns("q", link) if link["weights"] == "hand-made" else None
    assert rows == products(expected.q[row], expected.k[column], named)
    values = [value for _, value in lines]
    assert title == f"How {expected.labels[row]} → {expected.labels[column]} became {values[-1]}"
    assert values[:2] == [shown(expected.scores[place]), shown(expected.scaled[place])]
    assert values[-1] == shown(expected.softmax[place])
    if seen[column] == -np.inf:
        assert lines[2:] == [("mask this key is masked", "−∞"), ("weight", "0.00")]
        return
    middle = dict(lines[2:])
    if shift:
        assert middle[f"− {shown(shift)} largest score of the row"] == shown(seen[column] - shift)
    power = f"{seen[column] - shift:.4f}".replace("-", "−")
    assert middle[f"e{power}"] == shown(math.exp(seen[column] - shift))
    assert abs(math.exp(float(power.replace("−", "-"))) / math.exp(seen[column] - shift) - 1) < 1e-4
    (total,) = [value for what, value in lines if what.startswith("÷ row sum")]
    assert total == shown(np.exp(seen - shift).sum())


@each_kind
@pytest.mark.parametrize("variant", range(4))
def test_the_weights_compared_are_those_of_the_scene(link, variant):
    expected = computed(**link)
    question = show(variants={"ratio": variant}, **link).question("ratio")
    row, first, second, *_ = named(question.text, expected.labels)
    ratio = math.exp(expected.scaled[row, first] - expected.scaled[row, second])
    said = said_factor(question.options[question.right[0]])
    assert ratio > 1e4 - 50 if said is None else said == near(ratio)


EQUAL, LARGE = "equally large", "more than 10,000"
OF_DIFFERENCE = "You took the difference of the scores"
OF_RATIO = "You divided the scores."
OF_NEGATIVE_RATIO = "You divided the scores, but a weight is never negative."
OF_EQUAL = "Only equal scores get equal weights."
KINDS = (OF_NEGATIVE_RATIO, OF_RATIO, OF_DIFFERENCE, OF_EQUAL)


def said_factor(option):
    """Return the number that an option says, or None if it says that it is very large."""
    if option == EQUAL:
        return 1
    number = option.removesuffix(" times as large")
    return None if number == LARGE else read(number.removeprefix("about "))


def near(factor):
    """Return what a factor may be called that follows from two digits of two scores, and is told with two digits."""
    return pytest.approx(factor, abs=0.061, rel=0.065)


def kind_of(mistake):
    """Return which mistake an explanation explains: how it begins."""
    return next((kind for kind in KINDS if mistake.startswith(kind)), mistake)


def assert_ratio(head, cache, variant):
    """Require of a question for a ratio that it agrees with the head, and that its mistakes are those one makes."""
    question = ratio_question(cache, head.labels, asking := variant % len(head.labels), variant)
    seen = head.masked.round(2)  # as the map shows the scores
    gaps = seen.max(axis=-1, keepdims=True) - seen
    telling = np.isfinite(gaps) & (np.exp(gaps.clip(max=700)) >= 1.05)
    if not telling[asking].any():
        assert question is None
        return
    assert_sound(question)
    row, first, second, *again = named(question.text, head.labels)
    assert question.place == (row, first)
    assert row == asking
    assert EQUAL not in [question.options[i] for i in question.right]
    assert again == [first, second]
    higher, lower = head.masked[row, first], head.masked[row, second]
    assert np.isfinite([higher, lower]).all()
    assert head.softmax[row, first] == pytest.approx(head.softmax[row].max())  # a weight that can be seen
    assert (first != second) == (len(head.labels) > 1)  # never a row in which a mask leaves a single key
    said = [read(number) for number in re.findall("<b>(.*?)</b>", question.text)]
    assert said == [read(shown(value)) for value in (higher, lower)]  # two digits, as the map has them
    (right,) = (said_factor(question.options[i]) for i in question.right)
    if right is None:
        assert higher - lower > np.log(1e4) - 0.01
        assert question.why.endswith(f" is {LARGE}.")
    else:
        assert head.softmax[row, second] > 0
        assert right == near(head.softmax[row, first] / head.softmax[row, second])
        assert said_factor(question.why.rpartition(" is ")[2].removesuffix(".")) == right
    first, second, gap, power = map(read, re.findall(r"−?[\d,,]+\.\d+", question.why.partition(" is ")[0]))
    assert [first, second] == said
    assert gap == power == pytest.approx(first - second, abs=1e-9)  # as a pocket calculator has it
    assert right is None or right == pytest.approx(math.exp(gap), abs=0.051, rel=0.055)
    for option, mistake in zip(question.options, map(kind_of, question.mistakes), strict=True):
        if mistake == OF_DIFFERENCE:
            assert said_factor(option) == near(higher - lower)
        elif mistake in (OF_RATIO, OF_NEGATIVE_RATIO):
            assert said_factor(option) == near(read(shown(higher)) / read(shown(lower)))
            assert (said_factor(option) < 0) == (mistake == OF_NEGATIVE_RATIO)
        else:
            assert (option, mistake) == (EQUAL, OF_EQUAL) or mistake == ""


@every_sentence
@with_and_without_a_mask
def test_how_weights_compare_is_asked(sentence, masked):
    for head in random_heads(sentence, masked):
        cache = head.cache()
        for variant in VARIANTS:
            assert_ratio(head, cache, variant)


@every_sentence
def test_how_weights_compare_is_asked_of_heads_made_by_hand_and_trained(sentence):
    for head in heads_of_every_origin(sentence):
        cache = head.cache()
        for variant in VARIANTS:
            assert_ratio(head, cache, variant)


@pytest.mark.parametrize(
    ("scores", "right", "mistakes"),
    [
        ((3, 1), "7.4", {EQUAL: OF_EQUAL, "2.0": OF_DIFFERENCE, "3.0": OF_RATIO}),  # e² = 7.39
        ((1, 3), "7.4", {EQUAL: OF_EQUAL, "2.0": OF_DIFFERENCE, "3.0": OF_RATIO}),
        ((4, 2), "7.4", {EQUAL: OF_EQUAL, "2.0": OF_DIFFERENCE}),  # their difference is their ratio
        ((2, 1), "2.7", {EQUAL: OF_EQUAL, "2.0": OF_RATIO}),
        ((2, -0.5), "12", {EQUAL: OF_EQUAL, "2.5": OF_DIFFERENCE, "−4.0": OF_NEGATIVE_RATIO}),
        ((-1, -3), "7.4", {EQUAL: OF_EQUAL, "2.0": OF_DIFFERENCE, "0.3": OF_RATIO}),
        ((0, -2), "7.4", {EQUAL: OF_EQUAL, "2.0": OF_DIFFERENCE}),
        ((2, 0), "7.4", {EQUAL: OF_EQUAL, "2.0": OF_DIFFERENCE}),  # no one divides by 0
        ((2, 0.004), "7.4", {EQUAL: OF_EQUAL, "2.0": OF_DIFFERENCE}),  # nor by what reads 0.00
        ((2, -0.004), "7.4", {EQUAL: OF_EQUAL, "2.0": OF_DIFFERENCE}),
        ((800, -700), LARGE, {EQUAL: OF_EQUAL, "1500": OF_DIFFERENCE, "−1.1": OF_NEGATIVE_RATIO}),
        ((1e6, 50), LARGE, {EQUAL: OF_EQUAL}),
        ((1e6, -50), LARGE, {EQUAL: OF_EQUAL}),
        ((300, 0.02), LARGE, {EQUAL: OF_EQUAL, "300": OF_DIFFERENCE}),
        ((9.2, 0), "9900", {EQUAL: OF_EQUAL, "9.2": OF_DIFFERENCE}),
    ],
)
def test_how_two_weights_compare_worked_by_hand(scores, right, mistakes):
    higher = "ab"[int(np.argmax(scores))]
    for variant in VARIANTS:
        question = ratio_question(equal_rows(*scores), ["a", "b"], 0, variant)
        assert_sound(question)
        options = [option.removesuffix(" times as large").removeprefix("about ") for option in question.options]
        plain = [option if option == LARGE else re.sub("[,,]", "", option) for option in options]
        assert dict(zip(plain, map(kind_of, question.mistakes), strict=True)) == {right: ""} | mistakes
        assert f"How large will the weight of <i>{higher}</i> be" in question.text


@pytest.mark.parametrize("scores", [(3, 3), (0, 0), (-2, -2), (3.02, 3)])
def test_equal_weights_are_not_worth_a_question(scores):
    assert all(ratio_question(equal_rows(*scores), ["a", "b"], 0, variant) is None for variant in VARIANTS)


@pytest.mark.parametrize(
    ("scores", "keys"),
    [
        ((-40, 80, 78.9, 79.9), ["b", "c"]),
        ((5, 5, 3.9), ["a", "c"]),
        ((-40, 0, 80), ["c", "b"]),
    ],
)
def test_the_best_key_is_compared_with_one_about_1_below(scores, keys):
    labels = list("abcd"[: len(scores)])
    for asks in range(len(labels)):
        question = ratio_question(equal_rows(*scores), labels, asks, 0)
        assert question.place[0] == asks
        assert re.findall("<i>(.)</i>", question.text)[1:3] == keys


def test_where_every_row_has_a_single_key_none_is_compared():
    alone = attention_forward(*np.ones((3, 2, 1)), np.where(np.eye(2) == 1, 0, -np.inf))
    for variant in VARIANTS:
        assert ratio_question(alone, ["a", "b"], 0, variant) is None


def test_the_row_of_the_chosen_query_is_drawn_as_arcs_above_the_map():
    app = visit("qkv", step="softmax", ask="no", weights="random", q="cat")
    for asks in (1, 3):
        drawn = arcs(app)
        close(drawn["weights"], computed().softmax.round(4))
        assert drawn["asks"] == asks
        assert set(main(app).data.query("mark >= 4")["i"]) == {asks}
        click(app, 3, 0)


def test_no_arc_gives_away_what_is_asked():
    app = visit("qkv", step="softmax")
    assert not sent_to(app, "attention_arcs")


@pytest.mark.parametrize("weights", ["hand-made", "trained"])
def test_of_a_single_word_nothing_is_compared_and_nothing_masked(weights):
    told = main(show(weights=weights, text="cat")).alt
    assert "attends only to" in told
    assert "of 1" not in told
    assert "mask" not in told
