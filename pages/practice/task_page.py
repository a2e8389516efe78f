"""The tasks before free code: a number, an expression for a gap, lines in order; each ticked when it is right."""

import streamlit as st
from markupsafe import Markup

from pages.exercises.catalogue import exercise as exercise_named
from pages.exercises.catalogue import tasks_of
from pages.exercises.runner.service import mode
from pages.exercises.tasks import Blank, Lines, Prediction, Task
from pages.motion.line_order import line_order
from pages.page.ask import answers, ask, variant
from pages.page.page import Page
from pages.practice.feedback import feedback, verdict
from pages.practice.progress import Ordering, note_task
from pages.practice.rate_limit import rate_limit
from pages.questions.kinds import Choice, Number


def work_out(page: Page, task: Task) -> None:
    """Draw a task that is answered without writing code."""
    if isinstance(task, Lines):
        order_lines(page, task)
        return
    if isinstance(task, Blank):
        st.code(task.excerpt, language="python", wrap_lines=True)
    place = f"{page.name}_{task.question.name}"
    if not ask(page.name, task.question, has_more=lambda: not is_right(task.question, place), again="Try again"):
        return
    if is_right(task.question, place):
        note_task(task.id, first=variant(page.name, task.question.name) == 0 and answers()[place].tries == 1)
    if isinstance(task, Prediction):
        return
    given = answers()[place].given
    choice = task.question.right[0] if given is None else given
    try_program(page, task.exercise, task.filled(choice), f"blank_{task.question.name}_{choice}")


def questions_of_tasks(lesson: str) -> list[Choice | Number]:
    """Return the tasks of a lesson that are questions by themselves: lines to be put in order are none."""
    tasks = [task for task in tasks_of(lesson) if not isinstance(task, Lines)]
    return [with_excerpt(task.question, task.excerpt) if isinstance(task, Blank) else task.question for task in tasks]


def with_excerpt(question: Choice, excerpt: str) -> Choice:
    """Return a question for a gap in a program, with the lines around it, and its options as code."""
    code = Markup("<code>{}</code>")
    text = Markup("{}<pre>{}</pre>").format(question.text, excerpt)
    return question._replace(text=text, options=tuple(map(code.format, question.options)))


def is_right(question: Number | Choice, place: str) -> bool:
    given = answers()[place].given
    return given is not None and question.judge(given).right


def order_lines(page: Page, task: Lines) -> None:
    page.write(task.text)
    orders = st.session_state.setdefault("exercises_orders", {})
    work = orders.setdefault(task.id, Ordering(list(task.shuffled(0))))
    line_order(task.lines, work.order, f"{page.name}_{task.id}_lines", lambda order: setattr(work, "order", order))
    st.button("Check", key=f"{page.name}_check", on_click=judge_order, args=(work,))
    if work.judged == work.order:
        judged = task.judge(tuple(work.order))
        page.write(verdict(judged.right, judged.text))
        if judged.right:
            note_task(task.id, first=work.checks == 1)
        name = f"{task.id}_{'.'.join(map(str, work.order))}"
        try_program(page, task.exercise, task.source(tuple(work.order)), name)


def judge_order(work: Ordering) -> None:
    work.checks += work.judged != work.order
    work.judged = list(work.order)


def try_program(page: Page, exercise: str, source: str, key: str) -> None:
    """Offer to run a program that was put together, on the tests of its exercise."""
    if mode() == "none":
        return
    reports, limit = st.session_state.setdefault("exercises_tried", {}), rate_limit()
    label, fixed = "Run it on the tests", limit.paused()
    if st.button(label, key=f"{page.name}_try", icon=":material/play_arrow:", disabled=fixed):
        reports[key] = limit.run(source, exercise)
    if key in reports:
        feedback(page, exercise_named(exercise), reports[key])
