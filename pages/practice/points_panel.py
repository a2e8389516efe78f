"""Points on the home page: what was solved, lesson by lesson."""

import streamlit as st
from markupsafe import Markup

from pages.exercises.catalogue import EXERCISES, POINTS, tasks_of
from pages.links.course import LESSONS
from pages.look.html import table
from pages.page.page import Page
from pages.practice.hand_in_panel import offer_hand_in
from pages.practice.progress import solved


def standing(page: Page) -> None:
    label = f"Your points: {sum(solved().values())} of {sum(POINTS.values())}"
    key = f"{page.name}_points"
    with st.expander(label, icon=":material/task_alt:", key=key, on_change="rerun") as expander:
        if expander.open:
            page.write(points_table())
            offer_hand_in()
            page.write("“Hand in” saves a file to send. This tab keeps your points until it is closed.", "note")


def points_table() -> Markup:
    """Return all exercises by lesson, and its tasks in one row, with points earned and points possible."""
    rows = []
    for lesson in LESSONS:
        for exercise in EXERCISES.values():
            if exercise.lesson == lesson.name:
                rows.append((lesson.title, exercise.title, ticked(exercise.id), str(exercise.points)))
        tasks = [task.id for task in tasks_of(lesson.name)]
        rows.append((lesson.title, f"tasks: {len(tasks)}", ticked(*tasks), str(sum(POINTS[name] for name in tasks))))
    return table(("lesson", "exercise", "points", "maximum"), rows, left=2)


def ticked(*names: str) -> Markup | str:
    """Return the points for exercises, with a tick if there are any."""
    points = sum(solved().get(name, 0) for name in names)
    return Markup("<b>✓ {}</b>").format(points) if points else "–"
