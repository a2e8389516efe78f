"""Predict, then reveal: what is said of each answer."""

import pytest
from markupsafe import Markup
from streamlit.errors import StreamlitInvalidLayoutContextError

from pages.page.ask import fingerprint
from pages.page.reruns import Part
from pages.questions.kinds import Cell, Choice, Mistake, Number
from tests.app.steps import RecordedPage

REASONS = {"one": "", "two": "Two is even.", "three": "Three is odd.", "four": "Four is even."}


@pytest.mark.parametrize("variant", [*range(9), [3], [3, 1]])
def test_options_in_a_variants_order_keep_their_reasons(variant):
    found = Choice.of("name", "text", ["one", "three"], "Because.", REASONS, variant)
    assert set(found.options) == set(REASONS)
    assert {found.options[place] for place in found.right} == {"one", "three"}
    said = dict(zip(found.options, found.mistakes, strict=True))
    assert said == REASONS
    assert found == Choice.of("name", "text", ["one", "three"], "Because.", REASONS, variant)


def test_a_variant_keeps_its_order_and_each_question_has_its_own():
    orders = [Choice.of("name", "text", ["one"], "", REASONS, variant).options for variant in range(9)]
    assert orders[3] == Choice.of("name", "text", ["one"], "", REASONS, [3, *b"name"]).options
    assert len(set(orders)) > 4
    named = (Choice.of(name, "", "a", "", {"b": "", "c": ""}, 0).right for name in ("parallel", "layers", "raised"))
    assert {*named} == {(0,), (1,), (2,)}


CHOICE = Choice("name", "text", ("one", "two", "three"), (0, 2), "Because.", ("", "Two is even.", ""))


NUMBER = Number(
    "name",
    "text",
    2.0,
    0.25,
    "Because 4 ÷ 2.",
    (Mistake(4.0, "Not divided."), Mistake(-2.0, "The sign."), Mistake(4.25, "Almost."), Mistake(2.125, "Too near.")),
    "Divide again.",
)


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        (
            {"right": 2 * (1 - 2**-52), "tolerance": 0.25 + 2**-52, "mistakes": (Mistake(4 - 2**-50, "Not divided."),)},
            True,
        ),
        ({"right": 2.004}, True),
        ({"right": 2.006}, False),
        ({"right": 2.004, "digits": 3}, False),
        ({"right": -2.0}, False),
        ({"text": "another text"}, False),
        ({"name": "another"}, False),
        ({"why": "Because 6 ÷ 3."}, False),
    ],
)
def test_a_fingerprint_changes_with_what_is_shown_and_not_with_bits_that_nobody_sees(other, is_same):
    assert (fingerprint(NUMBER._replace(**other)) == fingerprint(NUMBER)) is is_same


@pytest.mark.parametrize(
    "other", [{"options": ("two", "one", "three")}, {"right": (0,)}, {"text": "another"}, {"why": "Because, again."}]
)
def test_a_fingerprint_changes_with_options_and_with_which_of_them_are_right(other):
    assert fingerprint(CHOICE._replace(**other)) != fingerprint(CHOICE)


@pytest.mark.parametrize(
    ("given", "verdict"), [(2, "right"), (1.75, "close enough"), (2.25, "close enough"), (2.0001, "right")]
)
def test_a_number_within_the_tolerance_is_right(given, verdict):
    assert NUMBER.judge(given) == (True, f"<b>✓ {given} is {verdict}.</b> Because 4 ÷ 2.")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (4, "<b>✕ Not 4.</b> Not divided."),
        (4.125, "<b>✕ Not 4.125.</b> Not divided."),  # as near to both: the first
        (4.1875, "<b>✕ Not 4.1875.</b> Almost."),
        (-2, "<b>✕ Not −2.</b> The sign."),
        (2.375, "<b>✕ Not 2.375.</b> Too near."),
        (-2.5, "<b>✕ Not −2.5.</b> Divide again."),
        (1e300, "<b>✕ Not 1e+300.</b> Divide again."),
    ],
)
def test_a_wrong_number_gets_the_nearest_explanation_or_the_other_one(given, text):
    assert NUMBER.judge(given) == (False, text)


@pytest.mark.parametrize(
    ("right", "shown"), [(2.0, "2.00"), (-1234.567, "−1,234.57"), (-0.001, "0.00"), (0.125, "0.13")]
)
def test_a_number_is_told_and_what_is_said_of_it_keeps_its_hyphens(right, shown):
    why = Markup('<span class="soft-er">3.5-fold, −1</span>')
    assert NUMBER._replace(right=right, why=why).told == f'<b class="right">✓ Right: {shown}.</b> {why!s}'


CELL = Cell("name", "text", ("the", "cat", "<b>"), (0, 2), "Rows ask.", "Swapped.", "Another one.")


def test_a_cell_on_the_diagonal_is_its_own_mirror_image():
    diagonal = CELL._replace(right=(1, 1))
    assert diagonal.judge((1, 1)).right
    assert "Another one." in diagonal.judge((1, 2)).text


def test_a_step_that_is_drawn_again_alone_has_asked_its_questions_once():
    page = RecordedPage("qkv", {"step": "softmax"})
    question = Choice("ratio", "<p>How many times?</p>", ("2", "3"), (0,), "Because.", ("", "No."))
    part = Part(page, lambda: page.ask(question))
    part.run()
    part.run()
    assert page.asked == [question]


def test_a_mistake_in_the_layout_of_a_step_is_shown_and_runs_nothing_anew():
    def draw():
        raise StreamlitInvalidLayoutContextError("a form in a form")

    part = Part(RecordedPage("qkv", {"step": "softmax"}), lambda: True)
    part.draw, part.drawn = draw, False
    with pytest.raises(StreamlitInvalidLayoutContextError):
        part.run()
