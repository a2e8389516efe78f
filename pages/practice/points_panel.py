"""Points on the home page: what was solved, a line for the teacher, and a field that checks one."""

import streamlit as st
from markupsafe import Markup

from pages.exercises.catalogue import EXERCISES, POINTS, tasks_of
from pages.exercises.grading.points import LONGEST_NAME, NOBODY, Claim, Solved, line_for_teacher, read_line
from pages.look.html import table
from pages.page.links.course import LESSONS
from pages.page.page import Page
from pages.practice.progress import solved


def standing(page: Page) -> None:
    """Draw the points of this visit, and the field that checks a student's line."""
    done = solved()
    points, most = sum(one.points for one in done.values()), sum(POINTS.values())
    key = f"{page.name}_points"
    label = f"Your points: {points} of {most}"
    with st.expander(label, icon=":material/task_alt:", key=key, on_change="rerun") as expander:
        if not expander.open:
            return
        page.write(points_table())
        page.write(
            "Points are kept in this tab of your browser until you close it. To go on elsewhere or later, keep the "
            "line with your points, and paste it into the last field.",
            "note",
        )
        name = st.text_input("Your name (for teachers)", max_chars=LONGEST_NAME, key=f"{key}_name")
        if done:
            st.code(line_for_teacher(name, list(done.values())), language=None, wrap_lines=True)
        line = st.text_input("A line with points, yours or a student’s", max_chars=2000, key=f"{key}_line")
        if line:
            claim = read_line(line)
            page.write(explain_claim(claim), "note")
            if not claim.problem and gained(claim):
                st.button("Take these points over", key=f"{key}_take", on_click=take_over, args=(claim, key))


def points_table() -> Markup:
    """Return all exercises by lesson, and its tasks in one row, with points earned and points possible."""
    rows = []
    for lesson in LESSONS:
        for exercise in EXERCISES.values():
            if exercise.lesson == lesson.name:
                own = solved().get(exercise.id)
                had = Markup("<b>✓ {}</b>").format(own.points) if own else "–"
                rows.append((lesson.title, exercise.title, had, str(exercise.points)))
        tasks = [task.id for task in tasks_of(lesson.name)]
        points = sum(solved()[name].points for name in tasks if name in solved())
        had = Markup("<b>✓ {}</b>").format(points) if points else "–"
        rows.append((lesson.title, f"{len(tasks)} tasks", had, str(sum(POINTS[name] for name in tasks))))
    return table(("lesson", "exercise", "points", "maximum"), rows, left=2)


def gained(claim: Claim) -> dict[str, Solved]:
    """Return what a line has more points for than this visit."""
    had = {name: one.points for name, one in solved().items()}
    return {one.exercise: one for one in claim.solved if one.points > had.get(one.exercise, 0)}


def take_over(claim: Claim, key: str) -> None:
    """Add the points of a line to those of this visit, and fill in its name; the panel stays open."""
    solved().update(gained(claim))
    st.session_state[key] = True
    if claim.name != NOBODY:
        st.session_state[f"{key}_name"] = claim.name


def explain_claim(claim: Claim) -> Markup:
    """Return what a line claims, or what is wrong with it."""
    if claim.problem:
        return Markup("<b>✕</b> {}").format(claim.problem)
    titles = {name: exercise.title for name, exercise in EXERCISES.items()}
    programs = [one for one in claim.solved if one.exercise in titles]
    parts = ", ".join(f"{titles[one.exercise]} {one.points} (tests of seed {one.seed})" for one in programs)
    if n_tasks := len(claim.solved) - len(programs):
        points = claim.points - sum(one.points for one in programs)
        parts = f"{parts}, {n_tasks} task{'s' * (n_tasks > 1)} {points}".lstrip(", ")
    return Markup(
        "<b>✓ {}: {} points.</b> {}. The check finds slips, but anyone who reads the source code can make such a line. "
        "To be sure, ask for the program too. With the seed, it runs on the same tests again."
    ).format(claim.name, claim.points, parts)
