"""Feedback on a run: the likely mistake, the tests, the first wrong number, and what was printed."""

import logging
import re
from collections.abc import Callable
from typing import TypeGuard

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from pages.charts.chart import rung
from pages.charts.heatmap import ATTENTION_AXES, SCORE_AXES, SMALL, Axes, head_map, heatmap, scale
from pages.exercises.exercise import Case, Exercise
from pages.exercises.faults.sentences import MISTAKES
from pages.exercises.grading.report import NO_VERDICT, Outcome, Report
from pages.exercises.runner.protocol import Value
from pages.exercises.tasks import NOT_YET
from pages.look.html import inline, number
from pages.page.page import Page
from pages.practice.progress import solved

MOST_DRAWN = 12  # rows or columns of a matrix that is drawn
CODE = re.compile("`([^`]+)`")
PLAIN_AXES = Axes("row", "column", "value")
UNDRAWN = "The rest of this report cannot be shown. Your text is safe. Change it, or press Run again."


def feedback(page: Page, exercise: Exercise, report: Report, stale: bool = False) -> None:
    """Draw a report. If that fails the page goes on: the report would fail it at every rerun."""
    try:
        draw_report(page, exercise, report, stale)
    except Exception:
        logging.getLogger(__name__).exception("a report could not be shown")
        page.write(UNDRAWN, "note")


def draw_report(page: Page, exercise: Exercise, report: Report, stale: bool = False) -> None:
    if stale:
        page.write("You changed the text since this run.", "note")
    page.write(verdict(report.status == "passed", headline(exercise, report)), "")
    if report.tests:
        page.write(test_list(report.tests))
        if failed := report.failed:
            if failed.numbers and failed.problem not in report.message:
                page.write(failed.problem, "note")
            page.write(f"Inputs of the test “{failed.case.name}”, to copy:", "note")
            st.code(exercise.call(failed.case), language="python", wrap_lines=True)
        matrices(page, report.failed or report.tests[0], with_heads=report.own is None)
    if report.own is not None:
        own_words(page, report.own)
    if report.warnings:
        lines = Markup("").join(Markup("<li>line {}: {}</li>").format(line, text) for line, text in report.warnings)
        page.write(Markup("NumPy warnings:<ul>{}</ul>").format(lines), "note")
    if report.prints:
        page.write("Your code printed:", "note")
        st.code(report.prints, language=None, wrap_lines=True)


def verdict(right: bool, text: str) -> Markup:
    look = "right" if right else "wrong"
    return Markup('<div class="course verdict {}" role="status">{}</div>').format(look, text)


def headline(exercise: Exercise, report: Report) -> Markup:
    if report.status == "passed":
        won = solved().get(exercise.id)
        points = f" {won} of {exercise.points} points." if won else ""
        return Markup("<b>✓ All tests pass.</b>{}").format(points)
    if told := [MISTAKES[mistake] for mistake in report.mistakes if mistake in MISTAKES]:
        return NOT_YET.format(inline(" ".join(told)))
    message = with_code(report.message)
    return message if report.status in NO_VERDICT else NOT_YET.format(message)


def with_code(text: str) -> Markup:
    """Return a message with `backticks` as code. No other mark counts, since the message may quote a student."""
    parts = CODE.split(text)
    return Markup("").join(Markup("<code>{}</code>").format(part) if i % 2 else part for i, part in enumerate(parts))


def test_list(tests: tuple[Outcome, ...]) -> Markup:
    """Return the tests with ticks. A problem that several share is said once; wrong numbers follow below."""
    lines, told = [], {""}
    for test in tests:
        problem = "" if test.numbers else test.problem
        more = "" if problem in told else ": " + with_code(problem)
        told.add(problem)
        look, mark = ("wrong", "✕") if test.problem else ("right", "✓")
        lines.append(Markup('<li class="{}"><b>{}</b> {}{}</li>').format(look, mark, test.case.name, more))
    return Markup('<ul class="tests">{}</ul>').format(Markup("").join(lines))


def matrices(page: Page, drawn: Outcome, with_heads: bool) -> None:
    """Draw the returned matrix beside the expected one, and the heads if there are several."""
    want, weights = drawable(drawn.want), drawable(drawn.second)
    if is_small(want):
        pair = {"yours": drawable(drawn.value), "expected": want}
        found = {name: array for name, array in pair.items() if is_small(array)}
        limit = None if all(map(are_fractions, found.values())) else rung(max(map(largest_of, found.values())))
        for column, (name, array) in zip(st.columns(2), found.items(), strict=False):
            with column:
                matrix(page, f"{name}, {drawn.case.name}", array, limit)
    if with_heads and are_heads(weights):
        heads(page, weights)


def own_words(page: Page, drawn: Outcome) -> None:
    """Draw what the student's code returned for the student's own words, every head of it."""
    weights, output, case = drawable(drawn.second), drawable(drawn.value), drawn.case
    st.subheader("Your code on your words", anchor=False)
    if output is None:
        page.write("It returned no numbers for them.", "note")
        return
    if case.told:
        page.write(case.told, "note")
    if are_heads(weights):
        heads(page, weights)
    elif case.columns and (found := map_of(case, output if weights is None else weights)) is not None:
        own_map(page, case, found)
        return
    elif output.size == 1 and not case.rows:
        page.write(Markup("<p>Your function returned <b>{}</b>.</p>").format(number(float(output.ravel()[0]), 4)))
        return
    elif output.ndim == 3 and max(output.shape) <= MOST_DRAWN:
        each_head(output, lambda head, own: matrix(page, head, own, rung(largest_of(output)), case.rows))
    elif weights is None and case.columns and drawn.want.shape != (len(case.rows), len(case.columns)):
        page.write("Return the output and the weights to see the attention map here.", "note")
    if is_small(output, 2 * MOST_DRAWN):
        matrix(page, "your output", output, rung(largest_of(output)), case.rows)


def own_map(page: Page, case: Case, found: Array) -> None:
    """Draw a map of the student's own words: of weights, of scores, or of what the exercise says."""
    axes = Axes(*case.axes, words=True) if case.axes else ATTENTION_AXES if are_fractions(found) else SCORE_AXES
    name = f"your {axes.value}s"
    rows, columns = case.axes[:2] or ("queries", "keys")
    sentence = f"{name.capitalize()}: {sizes(found)}. Rows: {rows}. Columns: {columns}."
    limit = None if are_fractions(found) else rung(largest_of(found))
    page.show(heatmap(found, [*case.rows], [*case.columns], axes, scale(limit), name=name, sentence=sentence))


def map_of(case: Case, found: Array) -> Array | None:
    """Return an array as the map of the words: a row for each, or the only row; None if it is no such map."""
    found = np.atleast_2d(found)
    return found if found.shape == (len(case.rows), len(case.columns)) and np.isfinite(found).all() else None


def drawable(value: Value | None) -> Array | None:
    """Return an array of real numbers, a single one as a row; None for all else, also without a cell."""
    if not isinstance(value, np.ndarray) or not value.size or value.dtype.kind == "c":
        return None
    return np.atleast_1d(value.astype(float))


def is_small(array: Array | None, most: int = MOST_DRAWN) -> TypeGuard[Array]:
    """Return whether an array is a matrix that can be drawn."""
    return array is not None and array.ndim == 2 and max(array.shape) <= most


def are_fractions(array: Array) -> bool:
    return bool(((array >= 0) & (array <= 1)).all())


def sizes(array: Array) -> str:
    return " × ".join(map(str, array.shape))


def largest_of(array: Array) -> float:
    return float(np.abs(array[np.isfinite(array)]).max(initial=0))


def are_heads(weights: Array | None) -> TypeGuard[Array]:
    """Return whether an array is (H, T, T)."""
    return weights is not None and weights.ndim == 3 and weights.shape[1] == weights.shape[2]


def matrix(page: Page, name: str, array: Array, limit: float | None, labels: tuple[str, ...] = ()) -> None:
    rows, columns = ([str(i) for i in range(size)] for size in array.shape)
    rows = [*labels] if len(labels) == len(rows) else rows
    sentence = f"{name[0].upper()}{name[1:]}: {sizes(array)}."
    page.show(heatmap(array, rows, columns, PLAIN_AXES, scale(limit), SMALL, name=name, sentence=sentence))


def heads(page: Page, weights: Array) -> None:
    labels = [str(i) for i in range(weights.shape[-1])]

    def show(name: str, own: Array) -> None:
        sentence = f"Attention weights of {name}, as your code returned them."
        page.show(head_map(np.clip(np.nan_to_num(own), 0, 1), labels, name=name, sentence=sentence), note="")

    each_head(weights, show)


def each_head(arrays: Array, show: Callable[[str, Array], None]) -> None:
    """Show the matrix of each head, the first 12, with its name."""
    grid = st.grid(4, min_column_width=150, gap="medium")
    for head, own in enumerate(arrays[:MOST_DRAWN]):
        with grid.cell():
            show(f"your head {head}", own)
