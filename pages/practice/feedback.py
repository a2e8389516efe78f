"""Feedback on a run: the likely mistake, the tests, the first wrong number, and what was printed."""

import logging
import re
from typing import TypeGuard

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from pages.charts.chart import rung
from pages.charts.heatmap import ATTENTION_AXES, SCORE_AXES, SMALL, Axes, head_map, heatmap, scale
from pages.exercises.exercise import Exercise
from pages.exercises.faults.sentences import MISTAKES
from pages.exercises.grading.report import NO_VERDICT, Nested, Report, Shown, TestOutcome
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
        failed = next((test for test in report.tests if not test.ok), None)
        if failed is not None and failed.first is not None and failed.problem not in report.message:
            page.write(failed.problem, "note")
    if report.shown is not None and report.shown.inputs:
        page.write(f"Inputs of the test “{report.shown.name}”, to copy:", "note")
        st.code(report.shown.inputs, language="python", wrap_lines=True)
    if report.shown is not None:
        matrices(page, report.shown, with_heads=report.own is None)
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


def test_list(tests: tuple[TestOutcome, ...]) -> Markup:
    """Return the tests with ticks. A problem that several share is said once; wrong numbers follow below."""
    lines, told = [], {""}
    for test in tests:
        problem = "" if test.ok or test.first is not None else test.problem
        more = "" if problem in told else ": " + with_code(problem)
        told.add(problem)
        look, mark = ("right", "✓") if test.ok else ("wrong", "✕")
        lines.append(Markup('<li class="{}"><b>{}</b> {}{}</li>').format(look, mark, test.name, more))
    return Markup('<ul class="tests">{}</ul>').format(Markup("").join(lines))


def matrices(page: Page, drawn: Shown, with_heads: bool) -> None:
    """Draw the returned matrix beside the expected one, and the heads if there are several."""
    want, got = as_array(drawn.want), as_array(drawn.got)
    if want is not None and want.ndim == 2 and max(want.shape) <= MOST_DRAWN:
        pair = [("expected", want)]
        if got is not None and got.ndim == 2 and got.size and max(got.shape) <= MOST_DRAWN:
            pair.insert(0, ("yours", got))
        largest = max(largest_of(array) for _, array in pair)
        are_weights = all(((array >= 0) & (array <= 1)).all() for _, array in pair)
        for column, (name, array) in zip(st.columns(2), pair, strict=False):
            with column:
                matrix(page, f"{name}, {drawn.name}", array, None if are_weights else rung(largest))
    weights = as_array(drawn.weights)
    if are_heads(weights) and with_heads:
        heads(page, weights)


def own_words(page: Page, drawn: Shown) -> None:
    """Draw what the student's code returned for the student's own words, every head of it."""
    weights, output = as_array(drawn.weights), as_array(drawn.got)
    st.subheader("Your code on your words", anchor=False)
    if output is None:
        page.write("It returned no numbers for them.", "note")
        return
    if drawn.told:
        page.write(drawn.told, "note")
    if are_heads(weights):
        heads(page, weights)
    elif drawn.columns and (found := map_of(drawn, weights if weights is not None else output)) is not None:
        own_map(page, drawn, found)
        return
    elif output.size == 1 and not drawn.rows:
        page.write(Markup("<p>Your function returned <b>{}</b>.</p>").format(number(float(output.ravel()[0]), 4)))
        return
    elif output.ndim == 3 and output.size and max(output.shape) <= MOST_DRAWN:
        grid = st.grid(4, min_column_width=150, gap="medium")
        for head, own in enumerate(output):
            with grid.cell():
                matrix(page, f"your head {head}", own, rung(largest_of(output)), drawn.rows)
    elif drawn.columns and output.shape != (len(drawn.rows), len(drawn.columns)):
        page.write("Return the output and the weights to see the attention map here.", "note")
    if output.ndim == 2 and output.size and max(output.shape) <= 2 * MOST_DRAWN:
        matrix(page, "your output", output, rung(largest_of(output)), drawn.rows)


def own_map(page: Page, drawn: Shown, found: Array) -> None:
    """Draw a map of the student's own words: of weights, of scores, or of what the exercise says."""
    fractions = bool(((found >= 0) & (found <= 1)).all())
    axes = Axes(*drawn.axes, words=True) if drawn.axes else ATTENTION_AXES if fractions else SCORE_AXES
    name = f"your {axes.value}s"
    rows, columns = drawn.axes[:2] or ("queries", "keys")
    shape = " × ".join(map(str, found.shape))
    sentence = f"{name.capitalize()}: {shape}. Rows: {rows}. Columns: {columns}."
    limit = None if fractions else rung(largest_of(found))
    page.show(heatmap(found, [*drawn.rows], [*drawn.columns], axes, scale(limit), name=name, sentence=sentence))


def map_of(drawn: Shown, found: Array) -> Array | None:
    """Return an array as the map of the words: a row for each, or the only row; None if it is no such map."""
    found = found[None] if found.ndim == 1 else found
    return found if found.shape == (len(drawn.rows), len(drawn.columns)) and np.isfinite(found).all() else None


def largest_of(array: Array) -> float:
    return float(np.abs(array[np.isfinite(array)]).max(initial=0))


def are_heads(weights: Array | None) -> TypeGuard[Array]:
    """Return whether an array is (H, T, T)."""
    return weights is not None and weights.ndim == 3 and weights.size > 0 and weights.shape[1] == weights.shape[2]


def as_array(values: Nested | None) -> Array | None:
    """Return nested tuples as an array of floats, or None if they are not numbers."""
    if values is None:
        return None
    try:
        return np.array(values, dtype=float)
    except (TypeError, ValueError):
        return None


def matrix(page: Page, name: str, array: Array, limit: float | None, labels: tuple[str, ...] = ()) -> None:
    rows, columns = ([str(i) for i in range(size)] for size in array.shape)
    rows = [*labels] if len(labels) == len(rows) else rows
    sentence = f"{name[0].upper()}{name[1:]}: {' × '.join(map(str, array.shape))}."
    page.show(heatmap(array, rows, columns, PLAIN_AXES, scale(limit), SMALL, name=name, sentence=sentence))


def heads(page: Page, weights: Array) -> None:
    labels = [str(i) for i in range(weights.shape[-1])]
    grid = st.grid(4, min_column_width=150, gap="medium")
    for head, own in enumerate(weights[:12]):
        with grid.cell():
            name = f"your head {head}"
            sentence = f"Attention weights of head {head}, as your code returned them."
            page.show(head_map(np.clip(np.nan_to_num(own), 0, 1), labels, name=name, sentence=sentence), note="")
