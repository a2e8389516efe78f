"""The exercises at the end of a lesson: tasks and programs, one at a time, with feedback on each run."""

from collections.abc import Iterator
from functools import partial
from math import inf
from typing import Any, NamedTuple

import streamlit as st
from markupsafe import Markup

from pages.exercises.catalogue import exercise as exercise_named
from pages.exercises.catalogue import exercises_of, tasks_of
from pages.exercises.continuation import TEMPERATURE, TOP_K, Written, write_on
from pages.exercises.exercise import Case, Exercise
from pages.exercises.lessons.parts import OWN_WORDS
from pages.exercises.runner.service import mode
from pages.exercises.sandbox.source_limits import MAX_CHARS
from pages.exercises.tasks import TASK_POINTS, Task
from pages.heads.matrices import SENTENCE
from pages.look.html import plain, prose
from pages.look.typed import words_of
from pages.page.fields.pills import pills
from pages.page.page import Page
from pages.practice.editor import editor
from pages.practice.feedback import feedback
from pages.practice.progress import TRIES, Work, next_hint, note, solved, work_on
from pages.practice.rate_limit import rate_limit
from pages.practice.task_page import work_out

MOST_WORDS = 12
CLOSED = "none"
TICK = ":material/check: "
LOCAL = "On this computer, code runs without the kernel’s locks. Run only your own code."


class Offer(NamedTuple):
    """A task or a program as its button says it."""

    name: str  # in the link
    label: str
    step: str  # of the lesson
    what: Task | Exercise


def practise(page: Page) -> None:
    """Draw buttons for the tasks and exercises of a lesson, and the one that is chosen."""
    offers = {one.name: one for one in offers_of(page.name)}
    controls, here = page.controls, page.controls.last("step", "")
    fresh = "exercise" not in controls.known and controls.key("step") not in controls.given
    chosen = offers.get(
        controls.bare_text("exercise", "Exercise", CLOSED, lambda name: name == CLOSED or name in offers)
    )
    if fresh and chosen:
        controls.put(step=chosen.step)
        st.rerun()  # at the step of what the link names
    fixed = "exercise" in controls.locked
    if chosen and not (fixed or page.at_end or chosen.step == here):
        controls.put(exercise=CLOSED)  # it is closed again on another step
        chosen = None
    steps = {here, *(page.near if page.at_end else ())}
    shown = [one for one in offers.values() if one.step in steps or one is chosen]
    if not shown:
        return
    st.header("Practise", anchor=False)
    top = st.container()
    if chosen is None:
        more = " Choose one." * (len(shown) > 1)
        page.write(f"A task takes a minute, for up to {TASK_POINTS} points. A program takes longer.{more}", "note")
    elif isinstance(chosen.what, Exercise):
        write_code(page, chosen.what)
    else:
        work_out(page, chosen.what)
    with top:  # drawn last, so that what was solved just now has its tick
        row = {TICK * (one.what.id in solved()) + plain(one.label): one.name for one in shown}
        open_one = next((label for label, name in row.items() if chosen and name == chosen.name), None)
        text = "All of this path" if page.at_end else "For this step"
        pills(text, row, partial(choose, page), f"{page.name}_exercises", open_one, fixed)


def offers_of(lesson: str) -> Iterator[Offer]:
    for number, task in enumerate(tasks_of(lesson), start=1):
        yield Offer(f"task{number}", f"Task {number}", task.step or exercise_named(task.exercise).step, task)
    for exercise in exercises_of(lesson):
        yield Offer(exercise.id, f"{exercise.title} · {exercise.points} points", exercise.step, exercise)


def choose(page: Page, name: str | None) -> None:
    """Open a task or an exercise; None closes it."""
    page.controls.put(exercise=name or CLOSED)


def write_code(page: Page, exercise: Exercise) -> None:
    """Draw an exercise: the task, the editor, its buttons, and feedback on the last run."""
    work = work_on(exercise)
    page.write(prose(exercise.prompt) + Markup('<p class="soft">{} points</p>').format(exercise.points))
    how = mode()
    if how == "local":
        page.write(LOCAL, "note")
    key = f"{page.name}_code_{exercise.id}"
    editor(exercise.id, f"Your {exercise.signature}", work.text, work.version, key)
    take(work, key)
    listen(work, key)
    st.session_state[f"{key}_version"] = work.version
    if how == "none":
        at_home(page, work)
    else:
        buttons(page, exercise, work, key)
    if work.report is not None:
        feedback(page, exercise, work.report, stale=work.ran != work.text)
    if work.wrote is not None and work.report is not None and work.report.status == "passed":
        written(page, work.wrote)
    help_with(page, exercise, work)


def take(work: Work, key: str) -> None:
    """Copy the editor's text, unless the editor is about to get another."""
    match st.session_state.get(key):
        case {"text": str(typed)} if st.session_state.get(f"{key}_version", work.version) == work.version:
            work.text = typed[: MAX_CHARS + 1]  # whoever forges it may send much more


def listen(work: Work, key: str) -> None:
    """Request a run if the editor asked for one. Its state keeps the last request, so compare times."""
    match st.session_state.get(key):
        case {"run": [int() | float() as asked, str(text)]} if asked != work.asked and abs(asked) < inf:
            work.asked, work.wanted = asked, text[: MAX_CHARS + 1]


def want(work: Work, key: str) -> None:
    take(work, key)
    work.wanted = work.text


def buttons(page: Page, exercise: Exercise, work: Work, key: str) -> None:
    """Draw Run and Reset; run if a button or the editor requested it."""
    own = own_case(page, exercise) if exercise.own or exercise.writes else None
    with st.container(horizontal=True):
        pressed = st.button(
            "Run", key=f"{page.name}_run", icon=":material/play_arrow:", on_click=want, args=(work, key)
        )
        st.button(
            "Reset",
            key=f"{page.name}_begin",
            icon=":material/restart_alt:",
            help="Replaces your code by the code that the exercise starts with.",
            type="tertiary",
            on_click=replace_text,
            args=(work, exercise.starter),
        )
    if pressed:  # also where the button was there before this session, which then knew nothing of what it calls
        want(work, key)
    done, limit = solved(), rate_limit()
    if work.wanted is not None and limit.paused():
        work.wanted, rest = None, f"{limit.waiting():.0f} seconds"
        page.write(f"Several runs in a row did not end. You can start the next one in {rest}.", "note")
    if work.wanted is None and not work.running.locked():
        return
    with st.spinner("Running"), work.running:  # typing starts the page anew, which then waits here
        if work.wanted is not None:
            text, work.wanted = work.wanted, None
            report = limit.run(text, exercise.id, own)
            if exercise.writes:
                words = words_of(page.controls.last("own_words", OWN_WORDS), OWN_WORDS)[0][:MOST_WORDS]
                work.wrote = write_on(text, exercise.entry, words) if report.status == "passed" else None
            note(exercise, work, text, report, done)


def own_case(page: Page, exercise: Exercise) -> Case | None:
    """Let a student choose words, and some a width and a number of heads; return the test on them if there is one."""
    controls, make = page.controls, exercise.own
    if not exercise.own_sizes:
        text = controls.text("own_words", "Your code also runs on these words", OWN_WORDS, width=480)
        own = make(words_of(text, OWN_WORDS)[0][:MOST_WORDS], 8, 2) if make else None
        if own is not None and own.skips:
            page.write("Toy English skips the words that it does not know.", "note")
        return own
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = controls.text("own_words", "Your code also runs on these words", SENTENCE, width=320)
        width = int(controls.select("own_width", "d_model of your words", ["4", "8", "12", "16"], "8", width=150))
        n_heads = int(controls.select("own_heads", "Heads for your words", ["1", "2", "3", "4"], "2", width=150))
    if width % n_heads:
        page.write(f"d_model = {width} is no multiple of {n_heads} heads. The tests run without your words.", "note")
        return None
    return make(words_of(text, SENTENCE)[0][:MOST_WORDS], width, n_heads) if make else None


def written(page: Page, text: Written) -> None:
    """Show what a model wrote with the student's own sampler."""
    st.subheader("Toy English writes with your code", anchor=False)
    page.write(Markup("<p>{} <b>{}</b></p>").format(" ".join(text.prompt), " ".join(text.new)))
    page.write(f"Temperature {TEMPERATURE:g}, top_k {TOP_K}: your function chose each word in bold.", "note")


def replace_text(work: Work, text: str) -> None:
    work.text, work.version, work.report, work.wanted = text, work.version + 1, None, None


def at_home(page: Page, work: Work) -> None:
    """Explain how to run the code elsewhere, where this server cannot run it."""
    page.say(
        "Your code cannot run safely here, so it does not run. Copy the code below into a notebook of your own. The "
        "tasks still work here.",
        "note",
    )
    text = work.text.encode("utf-8", "replace").decode()  # half of a character cannot be sent back
    st.code("import numpy as np\n\n" + text, language="python", wrap_lines=True)


def help_with(page: Page, exercise: Exercise, work: Work) -> None:
    """Draw the hints given so far, and buttons for more and for the solution."""
    if work.hints:
        items = Markup("").join(Markup("<li>{}</li>").format(prose(exercise.hints[hint])) for hint in work.hints)
        page.write(Markup("<ol>{}</ol>").format(items))
    done = exercise.id in solved()  # its points are earned: a hint would cost none and tell nothing
    with st.container(horizontal=True):
        left = len(exercise.hints) - len(work.hints)
        if not done:
            label = f"Show a hint ({left} left)" if left else "No hints left"
            gives: Any = {"on_click": give_hint, "args": (exercise, work), "icon": ":material/lightbulb:"}
            st.button(label, f"{page.name}_hint", type="tertiary", disabled=not left, **gives)
        label = "Show a solution" if done or work.tries >= TRIES else "Show a solution anyway"
        gives = {"on_click": lambda: setattr(work, "solution", True), "icon": ":material/visibility:"}
        st.button(label, f"{page.name}_solution", type="tertiary", **gives)
    if work.solution:
        st.code(exercise.solution, language="python", wrap_lines=True)
    if not done:
        page.write(
            "Each hint costs 10 % of the points. After the solution, 20 % remain. Points are rounded down.", "note"
        )


def give_hint(exercise: Exercise, work: Work) -> None:
    hint = next_hint(exercise, work)
    if hint is not None:
        work.hints.append(hint)
