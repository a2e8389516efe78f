"""The sections of the home page below its picture: lessons, glossary, reading list."""

from contextlib import suppress
from functools import cache
from pathlib import Path

import streamlit as st
from markupsafe import Markup
from streamlit.errors import StreamlitAPIException

from pages.links.course import LESSONS, Evening, Lesson
from pages.look.glossary import TERMS
from pages.look.html import inline, plain, table
from pages.page.ask import outcomes
from pages.page.carried import queries
from pages.page.page import Page
from pages.page.remember import last_visited

WORDS = "head seed text weights"  # of a link to the home page, each for a control

READING = Path(__file__).with_name("reading.md").read_text("utf-8")


def start(page: Page) -> None:
    """Draw the link to the first lesson, or to where a student was last, which looks like a button."""
    last, ways = last_visited(), queries(page.controls)
    lesson = next((one for one in LESSONS if last and one.name == last[0]), LESSONS[0])
    label = f"Start: {lesson.title}"
    if last:
        ways[lesson.name].setdefault(f"{lesson.name}_step", last[1])
        label = f"Continue: {lesson.title}, {plain(last[2])}"
    with st.container(key="home_way_on", width="content"), suppress(StreamlitAPIException):  # a page run by itself
        page.link_to(lesson, label, ways)  # knows of no others


def class_field() -> None:
    def enter() -> None:
        from pages.class_room.attend import join  # what a class needs is loaded with the first one

        join()

    if "class_room" not in st.session_state:
        st.text_input("Class code", key="class_word", on_change=enter, max_chars=20, width=120, help="From a teacher")
        if problem := st.session_state.pop("word_problem", ""):
            st.html(Markup('<div class="course note" role="status">{}</div>').format(problem))


def lesson_map(page: Page, pictures: dict[str, Markup]) -> None:
    """Draw the lessons and the parts of a long one as cards: what each offers, its minutes, the student's progress."""
    ways = queries(page.controls)
    grid = st.grid(3, min_column_width=230, gap="medium")
    for lesson in LESSONS:
        for part in lesson.evenings:
            name = f"{lesson.name}_{part.step}" if part.step else lesson.name
            way = ways[lesson.name] | ({f"{lesson.name}_step": part.step} if part.step else {})
            with grid.cell(), st.container(border=True, key=f"home_card_{name}"):
                draw_card(page, lesson, part, way, pictures.get(name, Markup()))


def draw_card(page: Page, lesson: Lesson, part: Evening, way: dict[str, str], picture: Markup) -> None:
    with suppress(StreamlitAPIException):
        title = f"{lesson.title} · {part.title}" if part.title else lesson.title
        page.link_to(lesson, f"**{LESSONS.index(lesson) + 1} · {title}**", {lesson.name: way})
    done, asked = len(outcomes(lesson.name, part.questions)), len(part.questions)
    answered = f"{done} of {asked} questions answered" if done else f"{asked} questions"
    card = Markup('<div class="course card">{}<p>{}</p><p class="soft">about {} minutes · {}</p></div>')
    st.html(card.format(picture, inline(part.promise), part.minutes, answered))


@cache
def glossary() -> Markup:
    """Return the terms of the course, their other names and their meanings, each with its lesson."""
    lessons = {lesson.name: f"{number} · {lesson.title}" for number, lesson in enumerate(LESSONS, start=1)}
    name = Markup('<b>{}</b><div class="course note" style="white-space:normal">{}</div>')
    terms = sorted(TERMS, key=lambda term: term.name.lower())
    lines = [(name.format(inline(term.name), term.also), inline(term.meaning), lessons[term.lesson]) for term in terms]
    return table(("term, also called", "meaning", "lesson"), lines, left=3, long=1, folds=True)
