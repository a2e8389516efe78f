"""Points, and the line for the teacher."""

import pytest

from pages.exercises.grading.points import Solved, earned, line_for_teacher, read_line

SOLVED = [Solved("causal_attention", 20, 77), Solved("attention_weights", 13, 812345)]
LINE = line_for_teacher("Ada Lovelace", SOLVED)


@pytest.mark.parametrize(
    ("full", "hints", "solution", "points"),
    [
        (15, 0, False, 15),
        (15, 1, False, 13),
        (15, 3, False, 10),
        (20, 0, False, 20),
        (20, 2, False, 16),
        (20, 0, True, 4),
        (20, 3, True, 4),
        (30, 1, False, 27),
        (10, 3, False, 7),
        (1, 3, True, 1),
    ],
)
def test_help_costs_a_little_and_never_everything(full, hints, solution, points):
    assert earned(full, hints, solution) == points


def test_the_line_can_be_read_by_people():
    assert LINE.startswith(
        "Attention, from scratch · Ada Lovelace · attention_weights 13 (seed 812345) · "
        "causal_attention 20 (seed 77) · 33 points · check "
    )


def test_the_line_is_read_back():
    claim = read_line(LINE)
    assert (claim.name, claim.points, claim.problem) == ("Ada Lovelace", 33, "")
    assert sorted(claim.solved) == sorted(SOLVED)


def test_spaces_and_line_breaks_of_a_paste_do_no_harm():
    assert read_line("  " + LINE.replace(" · ", "  ·\n ") + "\n").problem == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ada", "Eve"),
        ("seed 77", "seed 78"),
        ("causal_attention 20", "causal_attention 21"),
        ("33 points", "35 points"),
        ("attention_weights 13", "attention_weights 15"),
        ("check ", "check a"),
        ("Attention, ", "Attention; "),
        (" · Ada Lovelace", ""),
    ],
)
def test_a_line_that_was_changed_says_so(old, new):
    assert old in LINE
    assert read_line(LINE.replace(old, new)).problem


def test_points_that_cannot_be_had_are_found_out():
    assert read_line(line_for_teacher("A", [Solved("softmax", 900, 1)])).problem
    assert read_line(line_for_teacher("A", [Solved("nothing", 1, 1)])).problem
    assert read_line(line_for_teacher("A", [Solved("softmax", 5, 1), Solved("softmax", 5, 1)])).problem


@pytest.mark.parametrize("line", ["", "·", " · · · ", "x" * 10**5, "\ud800", "Attention, from scratch · a · b · c"])
def test_any_text_may_be_pasted(line):
    assert read_line(line).problem


@pytest.mark.parametrize("name", ["", " ", "a · b", "a\nb\u202e", "\ud800", "é" * 500, "<b>", "Ada · 99 points"])
def test_any_name_gives_a_line_that_can_be_read(name):
    assert read_line(line_for_teacher(name, SOLVED)).problem == ""


def test_no_exercise_is_no_points():
    assert read_line(line_for_teacher("Ada", [])).points == 0
    assert read_line(line_for_teacher("Ada", [])).problem == ""
