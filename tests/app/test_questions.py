"""Predict, then reveal: what is said of each answer, and that every question of the first lesson knows the truth."""

import re
from html.parser import HTMLParser
from typing import NamedTuple

import numpy as np
import pytest

from attention_core.equations.attention import AttentionCache, attention_forward
from attention_core.experiments.english_heads import trained_head
from attention_core.experiments.one_head import JOBS, HeadMatrices, attend, hand_set_embedding, hand_set_head
from attention_core.experiments.perturb import reaches
from attention_core.text.characters import split_words
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.page.matrices import Scene
from pages.page.questions import Cell, Choice, Mistake, Number
from pages.qkv.mix.one_number import reach_question
from pages.qkv.q import shape_question
from pages.qkv.scaled import scale_question
from pages.qkv.scores import cell_question
from pages.qkv.softmax import ratio_question
from pages.qkv.softmax.constants import shift_question

D = 8
HOSTILE = [
    "<b>",
    "</div>",
    "&",
    "&lt;",
    '"',
    "'",
    "<script>alert(1)</script>",
    "{asks}",
    "{0}",
    "**a**",
    ":key[a]",
    "<!--",
]
SENTENCES = {
    "one word": "cat",
    "two words": "cat sat",
    "three words": "tea is hot",
    "repeated words": "the cat the cat the",
    "as many words as dimensions": "one two three four five six seven eight",
    "24 words": " ".join(f"word{i}" for i in range(24)),
    "right to left": "مرحبا بالعالم الجميل",
    "emoji": "👩‍👩‍👧 sees 🇫🇷 ❤️",
}
VARIANTS = range(8)
every_sentence = pytest.mark.parametrize("sentence", SENTENCES.values(), ids=SENTENCES)
with_and_without_a_mask = pytest.mark.parametrize("masked", [False, True], ids=["all seen", "masked"])


# a few answers to choose from

CHOICE = Choice("name", "text", ("one", "two", "three"), (0, 2), "Because.", ("", "Two is even.", ""))


def test_a_right_choice_is_right_and_each_of_two_as_good():
    assert CHOICE.judge(0) == (True, "<b>✓ You predicted “one”.</b> Because.")
    assert CHOICE.judge(2) == (True, "<b>✓ You predicted “three”.</b> Because.")


def test_a_wrong_choice_is_explained():
    assert CHOICE.judge(1) == (False, "<b>✕ Not “two”.</b> Two is even. Because.")


def test_a_choice_is_told():
    assert CHOICE.told == "<b>“one”.</b> Because."


# a number

NUMBER = Number(
    "name",
    "text",
    2.0,
    0.25,
    "Because 4 ÷ 2.",
    (Mistake(4.0, "Not divided."), Mistake(-2.0, "The sign."), Mistake(4.25, "Almost."), Mistake(2.125, "Too near.")),
    "Divide again.",
)


@pytest.mark.parametrize("given", [2, 1.75, 2.25, 2.125])
def test_a_number_within_the_tolerance_is_right(given):
    assert NUMBER.judge(given) == (True, f"<b>✓ {given} it is.</b> Because 4 ÷ 2.")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (4, "<b>✕ Not 4.</b> Not divided."),
        (3.75, "<b>✕ Not 3.75.</b> Not divided."),
        (4.125, "<b>✕ Not 4.125.</b> Not divided."),  # as near to both: the first
        (4.1875, "<b>✕ Not 4.1875.</b> Almost."),
        (4.5, "<b>✕ Not 4.5.</b> Almost."),
        (-2, "<b>✕ Not −2.</b> The sign."),
        (-2.25, "<b>✕ Not −2.25.</b> The sign."),
        (2.375, "<b>✕ Not 2.375.</b> Too near."),
        (1.625, "<b>✕ Not 1.625.</b> Divide again."),
        (4.75, "<b>✕ Not 4.75.</b> Divide again."),
        (-2.5, "<b>✕ Not −2.5.</b> Divide again."),
        (0, "<b>✕ Not 0.</b> Divide again."),
        (1e300, "<b>✕ Not 1e+300.</b> Divide again."),
    ],
)
def test_a_wrong_number_gets_the_nearest_explanation_or_the_other_one(given, text):
    assert NUMBER.judge(given) == (False, f"{text} Because 4 ÷ 2.")


@pytest.mark.parametrize(
    ("right", "shown"), [(2.0, "2.00"), (-1234.567, "−1\u202f234.57"), (-0.001, "0.00"), (0.125, "0.12")]
)
def test_a_number_is_told_and_what_is_said_of_it_keeps_its_hyphens(right, shown):
    why = '<span class="soft-er">3.5-fold, −1</span>'
    assert NUMBER._replace(right=right, why=why).told == f"<b>{shown}</b>. {why}"


# a cell of a matrix

CELL = Cell("name", "text", ("the", "cat", "<b>"), (0, 2), "Rows ask.", "Swapped.", "Another one.")


@pytest.mark.parametrize(
    ("given", "right", "text"),
    [
        ((0, 2), True, "<b>✓ Yes: row “the”, column “&lt;b&gt;”.</b> Rows ask."),
        ([0, 2], True, "<b>✓ Yes: row “the”, column “&lt;b&gt;”.</b> Rows ask."),
        ((2, 0), False, "<b>✕ Not row “&lt;b&gt;”, column “the”.</b> Swapped. Rows ask."),
        ((0, 1), False, "<b>✕ Not row “the”, column “cat”.</b> Another one. Rows ask."),
        ((2, 2), False, "<b>✕ Not row “&lt;b&gt;”, column “&lt;b&gt;”.</b> Another one. Rows ask."),
    ],
)
def test_a_cell_is_right_swapped_or_another(given, right, text):
    assert CELL.judge(given) == (right, text)


def test_a_cell_on_the_diagonal_is_its_own_mirror_image():
    assert CELL._replace(right=(1, 1)).judge((1, 1)).right
    assert "Another one." in CELL._replace(right=(1, 1)).judge((1, 2)).text


def test_a_cell_is_told():
    assert CELL.told == "<b>Row “the”, column “&lt;b&gt;”.</b> Rows ask."


# the questions of the first lesson


class Head(NamedTuple):
    """A head over a sentence, computed by plain NumPy, and what the core made of it."""

    labels: list
    x: np.ndarray
    matrices: HeadMatrices
    products: np.ndarray
    masked: np.ndarray
    weights: np.ndarray
    cache: AttentionCache

    @property
    def scene(self):
        """The head as the page has it."""
        return Scene(self.labels, self.x, self.matrices, self.products, self.cache, "by hand")


def shares(scores):
    """Return softmax as the formula stands, with the maximum subtracted."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def random_heads(sentence, masked):
    """Yield heads over a sentence: of several seeds, and several widths, one of them the number of words."""
    words = split_words(sentence)
    for seed in range(3):
        for d_k in (1, 2, 4, 32, len(words)):
            x = word_vectors(words, D, seed)
            rng = np.random.default_rng([seed, d_k, 11])
            matrices = [rng.standard_normal((D, width)) / np.sqrt(D) for width in (d_k, d_k, (3, d_k, 1)[seed])]
            yield computed(words, x, HeadMatrices(*matrices), causal(len(words)) if masked else None)


def causal(length):
    """Return the mask that hides what comes later."""
    return np.where(np.tri(length) == 1, 0, -np.inf)


def computed(words, x, matrices, mask=None):
    """Return a head, computed by plain NumPy and by the core."""
    products = np.einsum("id,de,fe,jf->ij", x, matrices.w_q, matrices.w_k, x)
    scores = products / matrices.w_q.shape[1] ** 0.5 + (0 if mask is None else mask)
    return Head(position_labels(words), x, matrices, products, scores, shares(scores), attend(x, matrices, mask))


def heads_of_every_origin(sentence):
    """Yield the heads that the page can show over a sentence, beside random ones: set by hand, or trained."""
    words = split_words(sentence)
    for job in JOBS:
        for head in (hand_set_head(job, 16, 8), hand_set_head(job, 16, 8)._replace(w_k=hand_set_head(job, 16, 8).w_q)):
            yield computed(words, hand_set_embedding(words, 16), head)
    known = ["the", "cat", "sat", "the", "cat"][: len(words)]
    for number in range(4):
        trained = trained_head(known, number)
        matrices = HeadMatrices(*(matrix.astype(float) for matrix in trained.matrices))
        yield computed(known, trained.x.astype(float), matrices, causal(len(known)))


def named(text, labels):
    """Return which words a question names, in order."""
    return [labels.index(word) for word in re.findall("<i>(.*?)</i>", text)]


def shown(value, digits=2):
    """Return a number as a page writes it, by other means."""
    text = f"{abs(value):,.{digits}f}".replace(",", "\u202f")
    return f"−{text}" if value < 0 and text.strip("0.") else text


def assert_sound(question):
    """Require of a choice that its options differ, and that exactly the wrong ones have an explanation."""
    assert len(set(question.options)) == len(question.options)
    assert len(question.mistakes) == len(question.options)
    assert question.right
    for i, mistake in enumerate(question.mistakes):
        right, text = question.judge(i)
        assert right == (i in question.right) == (not mistake)
        assert mistake in text
        assert question.why in text
    assert question.options[question.right[0]]


def products_of(head):
    """Return the two factors of each product that is asked for, in turn, by the names that they have on the page."""
    x, (w_q, w_k, w_v) = head.x, head.matrices
    return (
        ("X", x, "W<sub>Q</sub>", w_q),
        ("X", x, "W<sub>V</sub>", w_v),
        ("Q", x @ w_q, "Kᵀ, which is K turned over,", (x @ w_k).T),
        ("The table of weights", head.weights, "V", x @ w_v),
    )


def by(shape):
    """Return a shape as an option says it."""
    return " × ".join(map(str, shape))


@every_sentence
def test_the_shapes_of_four_products_are_asked_in_turn(sentence):
    for head in random_heads(sentence, masked=False):
        for variant in VARIANTS:
            question = shape_question(head.scene, variant)
            assert_sound(question)
            left, first, right, second = products_of(head)[variant % 4]
            assert f"{left} is {by(first.shape)} (rows × columns), {right} is {by(second.shape)}." in question.text
            assert [question.options[i] for i in question.right] == [by((first @ second).shape)]
            wrong = {first.shape, second.shape, (first @ second).T.shape, (first.shape[1],) * 2}
            assert set(map(by, wrong)) <= set(question.options)
            assert len(question.options) >= 2
            assert f"the {first.shape[1]} in the middle" in question.why


def test_the_right_shape_is_not_always_at_the_same_place():
    (head,) = [head for head in random_heads("tea is hot", masked=False) if head.matrices.w_v.shape == (D, 1)][:1]
    places = [shape_question(head.scene, variant).right for variant in range(0, 32, 4)]
    assert len(set(places)) > 1


@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("d_model", [1, 2, 3])
@pytest.mark.parametrize("d_k", [1, 2, 3])
@pytest.mark.parametrize("d_v", [1, 3])
def test_shapes_can_be_asked_where_sizes_are_equal(length, d_model, d_k, d_v):
    matrices = HeadMatrices(np.ones((d_model, d_k)), np.ones((d_model, d_k)), np.ones((d_model, d_v)))
    head = computed(["a"] * length, np.ones((length, d_model)), matrices)
    for variant in VARIANTS:
        question = shape_question(head.scene, variant)
        assert_sound(question)
        _, first, _, second = products_of(head)[variant % 4]
        assert question.options[question.right[0]] == by((first @ second).shape)
        assert len(question.options) >= 2


def test_each_wrong_shape_is_explained():
    words, rng = ["a"] * 3, np.random.default_rng(0)
    matrices = HeadMatrices(*(rng.standard_normal((5, width)) for width in (2, 2, 7)))
    question = shape_question(computed(words, rng.standard_normal((3, 5)), matrices).scene, 0)
    assert dict(zip(question.options, question.mistakes, strict=True)) == {
        "3 × 2": "",
        "2 × 3": "That is the answer lying on its side: the rows come from the left.",
        "3 × 5": "That is the shape of the left one itself.",
        "5 × 2": "That is the shape of the right one itself.",
        "5 × 5": "That is twice the number that vanishes: the 5 in the middle is summed away.",
    }
    assert question.why == "(3 × 5) · (5 × 2) = 3 × 2: the 5 in the middle is summed away."


def test_where_all_sizes_are_one_number_the_wrong_answer_adds_them():
    matrices = HeadMatrices(*np.ones((3, 3, 3)))
    question = shape_question(computed(["a"] * 3, np.ones((3, 3)), matrices).scene, 1)
    assert sorted(question.options) == ["3 × 3", "3 × 6"]


@every_sentence
def test_the_cell_of_a_score_is_asked(sentence):
    labels = position_labels(split_words(sentence))
    asked = set()
    for variant in range(37):
        question = cell_question(labels, variant)
        asks, answers = named(question.text, labels)
        assert question.right == (asks, answers)
        assert (asks != answers) or len(labels) == 1
        assert question.judge((asks, answers)).right
        asked.add((asks, answers))
        for row, column in np.ndindex(len(labels), len(labels)):
            right, text = question.judge((row, column))
            assert right == ((row, column) == (asks, answers))
            assert (question.transposed in text) == ((row, column) == (answers, asks) and not right)
        assert named(question.transposed, labels) == [answers, asks]
    assert len(asked) > 1 or len(labels) == 1


@every_sentence
@with_and_without_a_mask
def test_a_score_is_asked(sentence, masked):
    for head in random_heads(sentence, masked):
        d_k = head.matrices.w_q.shape[1]
        for variant in VARIANTS:
            question = scale_question(head.products, head.cache, head.labels, variant)
            asks, answers = named(question.text, head.labels)
            product = head.products[asks, answers]
            assert question.right == pytest.approx(product / d_k**0.5, abs=1e-9)
            assert f"<b>{shown(product)}</b>" in question.text
            assert f"is {d_k}." in question.text
            assert question.judge(round(product / d_k**0.5, 2)).right  # what a student works out to two digits
            assert shown(product / d_k**0.5) in question.told
            likely = [product, product / d_k, product * d_k**0.5, -product / d_k**0.5]
            np.testing.assert_allclose([mistake.value for mistake in question.mistakes], likely, atol=1e-9)
            for value in likely:
                right, text = question.judge(value)
                assert right == (abs(value - question.right) <= question.tolerance)
                assert right or any(mistake.text in text for mistake in question.mistakes)


EQUAL = "as large as the other"
OF_DIFFERENCE = "That is how much higher the score is; the exponential turns a difference into a factor."
OF_RATIO = "That is the ratio of the scores; softmax goes by their difference."
OF_NEGATIVE_RATIO = "That is the ratio of the scores, but no weight is below 0; softmax goes by their difference."
OF_EQUAL = "Only equal scores get equal weights."


def said_factor(option):
    """Return the number that an option says, or None if it says that it is very large."""
    if option == EQUAL:
        return 1
    number = option.removesuffix(" times as large").replace("−", "-").replace("\u202f", "")
    return None if number == "more than 10 000" else float(number)


def assert_ratio(head, variant):
    """Require of a question for a ratio that it agrees with the head, and that its mistakes are those one makes."""
    question = ratio_question(head.cache, head.labels, variant)
    assert_sound(question)
    assert len(question.options) >= 2
    row, first, second, *again = named(question.text, head.labels)
    assert again == [first, second]
    higher, lower = head.masked[row, first], head.masked[row, second]
    assert np.isfinite([higher, lower]).all()
    assert head.weights[row, first] == pytest.approx(head.weights[row].max())  # a share that can be seen
    assert (first != second) == (len(head.labels) > 1)  # never a row in which a mask leaves a single key
    assert [shown(higher), shown(lower)] == re.findall("<b>(.*?)</b>", question.text)
    (right,) = (said_factor(question.options[i]) for i in question.right)
    if right is None:
        assert higher - lower > np.log(1e4) - 0.01
        assert "is more than 10 000." in question.why
    else:
        assert head.weights[row, second] > 0
        assert right == pytest.approx(head.weights[row, first] / head.weights[row, second], abs=0.051)
        assert question.why.endswith(f" is {right:,.1f}.".replace(",", "\u202f"))
    assert f"The score is {shown(higher - lower, 3)} higher" in question.why
    for option, mistake in zip(question.options, question.mistakes, strict=True):
        if mistake == OF_DIFFERENCE:
            assert said_factor(option) == pytest.approx(higher - lower, abs=0.051)
        elif mistake in (OF_RATIO, OF_NEGATIVE_RATIO):
            assert said_factor(option) == pytest.approx(higher / lower, abs=0.051, rel=1e-6)
            assert (said_factor(option) < 0) == (mistake == OF_NEGATIVE_RATIO)
        else:
            assert (option, mistake) == (EQUAL, OF_EQUAL) or mistake == ""
    return question


@every_sentence
@with_and_without_a_mask
def test_how_shares_compare_is_asked(sentence, masked):
    for head in random_heads(sentence, masked):
        for variant in VARIANTS:
            assert_ratio(head, variant)


@every_sentence
def test_how_shares_compare_is_asked_of_heads_set_by_hand_and_trained(sentence):
    for head in heads_of_every_origin(sentence):
        for variant in VARIANTS:
            assert_ratio(head, variant)


def equal_rows(*scores):
    """Return attention in which every query finds these scores."""
    keys = np.array(scores, dtype=float)[:, None]
    return attention_forward(np.ones_like(keys), keys, keys)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    ("scores", "right", "mistakes"),
    [
        ((3, 1), "7.4", {EQUAL: OF_EQUAL, "2.0": OF_DIFFERENCE, "3.0": OF_RATIO}),  # e² = 7.39
        ((1, 3), "7.4", {EQUAL: OF_EQUAL, "2.0": OF_DIFFERENCE, "3.0": OF_RATIO}),
        ((4, 2), "7.4", {EQUAL: OF_EQUAL, "2.0": OF_DIFFERENCE}),  # their difference is their ratio
        ((2, 1), "2.7", {EQUAL: OF_EQUAL, "2.0": OF_RATIO}),
        ((2, -0.5), "12.2", {EQUAL: OF_EQUAL, "2.5": OF_DIFFERENCE, "−4.0": OF_NEGATIVE_RATIO}),
        ((-1, -3), "7.4", {EQUAL: OF_EQUAL, "2.0": OF_DIFFERENCE, "0.3": OF_RATIO}),
        ((0, -2), "7.4", {EQUAL: OF_EQUAL, "2.0": OF_DIFFERENCE, "0.0": OF_RATIO}),
        ((2, 0), "7.4", {EQUAL: OF_EQUAL, "2.0": OF_DIFFERENCE}),  # no one divides by 0
        ((2, 0.004), "7.4", {EQUAL: OF_EQUAL, "2.0": OF_DIFFERENCE}),  # nor by what reads 0.00
        ((2, -0.004), "7.4", {EQUAL: OF_EQUAL, "2.0": OF_DIFFERENCE}),
        ((3, 3), EQUAL, {"0.0": OF_DIFFERENCE}),
        ((0, 0), EQUAL, {"0.0": OF_DIFFERENCE}),
        ((-2, -2), EQUAL, {"0.0": OF_DIFFERENCE}),
        ((3.02, 3), EQUAL, {"0.0": OF_DIFFERENCE}),
        ((800, -700), "more than 10 000", {EQUAL: OF_EQUAL, "1\u202f500.0": OF_DIFFERENCE, "−1.1": OF_NEGATIVE_RATIO}),
        ((1e6, 50), "more than 10 000", {EQUAL: OF_EQUAL}),
        ((1e6, -50), "more than 10 000", {EQUAL: OF_EQUAL}),
        ((300, 0.02), "more than 10 000", {EQUAL: OF_EQUAL, "300.0": OF_DIFFERENCE}),
        ((9.2, 0), "9\u202f897.1", {EQUAL: OF_EQUAL, "9.2": OF_DIFFERENCE}),
    ],
)
def test_how_two_shares_compare_worked_by_hand(scores, right, mistakes, variant):
    question = ratio_question(equal_rows(*scores), ["a", "b"], variant)
    assert_sound(question)
    options = [option.removesuffix(" times as large") for option in question.options]
    expected = {right: ""} | mistakes
    assert dict(zip(options, question.mistakes, strict=True)) == expected
    higher = "ab"[int(np.argmax(scores))]
    assert f"How large will the weight of <i>{higher}</i> be" in question.text or len(set(scores)) == 1


@pytest.mark.parametrize(
    ("scores", "keys"),
    [
        ((-40, 80, 78.9, 79.9), ["b", "c"]),
        ((5, 5, 3.9), ["a", "c"]),
        ((-40, 0, 80), ["c", "b"]),
        ((2, 2, 2), ["a", "b"]),
    ],
)
def test_the_best_key_is_compared_with_one_about_1_below(scores, keys):
    labels = list("abcd"[: len(scores)])
    for variant in VARIANTS:
        question = ratio_question(equal_rows(*scores), labels, variant)
        assert re.findall("<i>(.)</i>", question.text)[1:3] == keys


def test_where_every_row_has_a_single_key_it_is_compared_with_itself():
    alone = attention_forward(*np.ones((3, 2, 1)), np.where(np.eye(2) == 1, 0, -np.inf))
    for variant in VARIANTS:
        question = ratio_question(alone, ["a", "b"], variant)
        assert_sound(question)
        assert question.options[question.right[0]] == EQUAL


# what a number of a matrix reaches

MOVES = {
    "X": ("Q", "K", "V", "the weights", "the output"),
    "W_Q": ("Q", "the weights", "the output"),
    "W_K": ("K", "the weights", "the output"),
    "W_V": ("V", "the output"),
}


def test_what_a_number_reaches_worked_by_hand():
    question = reach_question(MOVES, "W_V")
    assert_sound(question)
    assert "One number of W<sub>V</sub> is changed." in question.text
    assert dict(zip(question.options, question.mistakes, strict=True)) == {
        "Q, K, V, the weights and the output": "That is what a number of X moves.",
        "Q, the weights and the output": "That is what a number of W<sub>Q</sub> moves.",
        "K, the weights and the output": "That is what a number of W<sub>K</sub> moves.",
        "V and the output": "",
    }
    assert question.why == "Computed here: one number of W<sub>V</sub> moves V and the output."


@pytest.mark.parametrize("matrix", MOVES)
@every_sentence
def test_what_a_number_reaches_is_asked(sentence, matrix):
    heads = [*random_heads(sentence, masked=False), *random_heads(sentence, masked=True)]
    for head in [*heads, *heads_of_every_origin(sentence)]:
        moves = reaches(head.x, head.matrices, head.cache.mask)
        question = reach_question(moves, matrix)
        assert_sound(question)
        assert len(question.options) == len(set(moves.values()))
        assert question.options[question.right[0]].replace(" and ", ", ").split(", ") == list(moves[matrix])


@pytest.mark.parametrize("matrix", MOVES)
@pytest.mark.parametrize("names", [(), ("Q",)])
def test_what_a_number_reaches_can_be_asked_where_every_matrix_does_the_same(names, matrix):
    question = reach_question(dict.fromkeys(MOVES, names), matrix)
    assert_sound(question)
    assert question.options == ("Q" if names else "nothing", "W_K alone")
    assert question.right == (0,)


def test_two_matrices_that_move_the_same_are_named_together():
    question = reach_question(MOVES | {"W_K": (), "W_Q": ()}, "X")
    assert_sound(question)
    assert question.options[1] == "nothing"
    assert question.mistakes[1] == "That is what a number of W<sub>Q</sub> or W<sub>K</sub> moves."


# what a constant does


@every_sentence
@with_and_without_a_mask
def test_what_a_constant_does_is_asked(sentence, masked):
    for head in random_heads(sentence, masked):
        for variant in VARIANTS:
            question = shift_question(head.cache, head.labels, variant)
            assert_sound(question)
            (place,) = named(question.text, head.labels)
            raised = head.masked.copy()
            if variant % 2:
                raised[:, place] += 1
                assert "in every row" in question.text
            else:
                raised[place] += 1
                assert "in the row of" in question.text
            n_moved = int((np.abs(shares(raised) - head.weights) > 1e-9 * (1 + shares(raised))).sum())
            assert (n_moved > 0) == (variant % 2 == 1 and len(head.labels) > 1)
            assert question.right == ((2,) if n_moved else (0,))
            assert f" {n_moved} of {len(head.labels) ** 2} weights have moved." in question.why


def test_where_every_share_is_as_good_as_0_or_1_a_constant_moves_none():
    head = attention_forward(np.eye(2) * 100, np.eye(2), np.eye(2))
    question = shift_question(head, ["a", "b"], variant=1)
    assert_sound(question)
    assert question.right == (0,)
    assert question.why.endswith("0 of 4 weights have moved. Every weight is as good as 0 or 1 here, and stays so.")
    assert question.mistakes[2] == "Here the weights have no room for it."


def makers(labels):
    """Return every question that names words, made of a head over as many words as there are labels."""
    rng = np.random.default_rng(7)
    q, k, v = rng.standard_normal((3, len(labels), 3))
    caches = [attention_forward(q, k, v), attention_forward(q, k, v, np.where(np.tri(len(labels)) == 1, 0, -np.inf))]
    questions = [cell_question(labels, variant) for variant in range(37)]
    for cache in caches:
        for variant in VARIANTS:
            questions.append(scale_question(q @ k.T, cache, labels, variant))
            questions.append(ratio_question(cache, labels, variant))
            questions.append(shift_question(cache, labels, variant))
    return questions


def texts(question):
    """Return everything that a question says as HTML, to any answer."""
    found = [question.text, question.told, question.why]
    if isinstance(question, Choice):
        found += [*question.mistakes, *(question.judge(i).text for i in range(len(question.options)))]
    elif isinstance(question, Cell):
        n_words = len(question.labels)
        found += [question.transposed, question.otherwise]
        found += [question.judge(place).text for place in np.ndindex(n_words, n_words)]
    else:
        values = [question.right, 1e6, *(mistake.value for mistake in question.mistakes)]
        found += [question.otherwise, *(question.judge(value).text for value in values)]
    return found


class Events(HTMLParser):
    """What a browser makes of HTML: tags with their attributes, and the text between them."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, attributes))

    def handle_endtag(self, tag):
        self.found.append(("/" + tag, []))

    def handle_data(self, data):
        self.found.append(("text", data))

    def handle_comment(self, data):
        self.found.append(("comment", data))


def test_no_word_arrives_as_markup():
    harmless = [f"word{i:02}" for i in range(len(HOSTILE))]
    for usual, hostile in zip(makers(harmless), makers(HOSTILE), strict=True):
        for plain, other in zip(texts(usual), texts(hostile), strict=True):
            expected = []
            for kind, content in Events(plain).found:
                text = kind == "text"
                expected.append(
                    (kind, re.sub(r"word(\d\d)", lambda m: HOSTILE[int(m[1])], content) if text else content)
                )
            assert Events(other).found == expected


def test_a_question_made_again_is_the_same_question():
    labels = ["the₁", "cat", "the₃"]
    assert makers(labels) == makers(labels)
    first, again = (next(random_heads("tea is hot", masked=False)).scene for _ in range(2))
    assert shape_question(first, 1) == shape_question(again, 1)
    assert reach_question(MOVES, "X") == reach_question(dict(MOVES), "X")


@every_sentence
def test_heads_set_by_hand_and_trained_can_be_asked_about(sentence):
    for head in heads_of_every_origin(sentence):
        n_words = len(head.labels)
        for variant in VARIANTS:
            assert_sound(shape_question(head.scene, variant))
            question = shift_question(head.cache, head.labels, variant)
            assert_sound(question)
            (place,) = named(question.text, head.labels)
            raised = head.masked.copy()
            raised[:, place] += variant % 2
            moved = np.abs(shares(raised) - head.weights) > 1e-9 * (1 + shares(raised))
            assert question.right == ((2,) if moved.any() else (0,))
            question = scale_question(head.products, head.cache, head.labels, variant)
            asks, answers = named(question.text, head.labels)
            expected = head.products[asks, answers] / head.matrices.w_q.shape[1] ** 0.5
            assert question.judge(expected).right
            assert n_words > 1 or (asks, answers) == (0, 0)
