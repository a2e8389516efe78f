"""Points on the home page: what was solved, a line that shows it to a teacher, and a field that checks one."""

from html import escape

import streamlit as st

from pages.exercises.catalogue import EXERCISES
from pages.exercises.grading.points import LONGEST_NAME, line_for_teacher, read_line
from pages.page.course import LESSONS
from pages.page.page import Page
from pages.practice.progress import solved


def standing(page: Page) -> None:
    """Draw the points of this visit, and what a teacher may do with a line."""
    done = solved()
    points, most = sum(one.points for one in done.values()), sum(one.points for one in EXERCISES.values())
    key = f"{page.name}_points"
    label = f"Your points: {points} of {most}"
    with st.expander(label, icon=":material/task_alt:", key=key, on_change="rerun") as expander:
        if not expander.open:
            return
        page.write(table())
        page.write("They are kept while this page is open, and nowhere else.", "note")
        name = st.text_input("Your name, for your teacher", max_chars=LONGEST_NAME, key=f"{key}_name")
        if done:
            st.code(line_for_teacher(name, list(done.values())), language=None, wrap_lines=True)
        line = st.text_input("For teachers: a line that a student sent", max_chars=2000, key=f"{key}_line")
        if line:
            page.write(said_of(line), "note")


def table() -> str:
    """Return all exercises, lesson by lesson, with the points had and the points there are."""
    rows = []
    for lesson in LESSONS:
        for exercise in EXERCISES.values():
            if exercise.lesson == lesson.name:
                own = solved().get(exercise.id)
                had = f"<b>✓ {own.points}</b>" if own else "–"
                rows.append(
                    f"<tr><td>{lesson.title}</td><td>{escape(exercise.title)}</td><td>{had}</td>"
                    f"<td>{exercise.points}</td></tr>"
                )
    return f"<table><tr><th>lesson</th><th>exercise</th><th>points</th><th>of</th></tr>{''.join(rows)}</table>"


def said_of(line: str) -> str:
    """Return what a line says, or what is wrong with it."""
    claim = read_line(line)
    if claim.problem:
        return f"<b>✕</b> {escape(claim.problem)}"
    parts = ", ".join(
        f"{escape(EXERCISES[one.exercise].title)} {one.points} (tests of seed {one.seed})" for one in claim.solved
    )
    return (
        f"<b>✓ {escape(claim.name)}: {claim.points} points.</b> {parts}. The check shows that the line is whole; it is "
        "no proof against somebody who reads the source. To be sure, ask for the program too: with the seed it meets "
        "the same tests."
    )
