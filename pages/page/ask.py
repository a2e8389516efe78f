"""Questions on a page: asking, keeping the answers, and counting them for the menu."""

import hashlib
from typing import Any, NamedTuple

import streamlit as st
from markupsafe import Markup

from pages.look.html import plain
from pages.page.questions import Cell, Choice, Question


class Answer(NamedTuple):
    """What was answered to one variant of a question; None: the student asked to be shown."""

    question: Question
    given: Any


def answers() -> dict[str, Answer]:
    return st.session_state.setdefault("answers", {})


def count_answered(page: str, names: tuple[str, ...]) -> int:
    """Return how many of a lesson's questions were answered, in any variant."""
    return len(st.session_state.setdefault("answered", set()) & {f"{page}_{name}" for name in names})


def variant(page: str, name: str) -> int:
    """Return which variant of a question is asked: the seed by which it is made."""
    return st.session_state.setdefault("variants", {}).get(f"{page}_{name}", 0)


def fingerprint(question: Question) -> str:
    """Return a few letters that change with a question and its right answer."""
    return hashlib.sha256(repr(question).encode("utf-8", "replace")).hexdigest()[:12]


def recalled(place: str, question: Question) -> Answer | None:
    """Return the answer that was given before a reload, if this very question is asked again and it fits."""
    kept, given = st.session_state.get("recalled", {}).get(place, (None, None))
    if kept != fingerprint(question):
        return None
    if isinstance(question, Cell):
        given = tuple(given) if isinstance(given, list) else given
        fits = isinstance(given, tuple) and len(given) == 2 and all(is_index(i, len(question.labels)) for i in given)
    elif isinstance(question, Choice):
        fits = is_index(given, len(question.options))
    else:
        fits = isinstance(given, int | float) and not isinstance(given, bool) and abs(given) < 1e15
    if not fits and given is not None:
        return None
    return answers().setdefault(place, Answer(question, given))


def is_index(value: object, n: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < n


def ask(page: str, question: Question) -> bool:
    """Draw a question, or the verdict on its answer; return True if the picture may be shown."""
    place = f"{page}_{question.name}"
    answer = answers().get(place) or recalled(place, question)
    if answer is not None:
        say(place, answer, stands=answer.question == question)
        return True
    with st.form(f"{place}_form"):
        st.html(Markup('<div class="course ask">{}</div>').format(question.text))
        draw_fields(place, question)
        if st.session_state.get(f"{place}_empty"):
            st.html('<div class="course note">Choose an answer first.</div>')
        with st.container(horizontal=True):
            if not (isinstance(question, Choice) and question.pictures):
                st.form_submit_button("Check", on_click=record, args=(place, question))
            st.form_submit_button("Just show me", type="tertiary", on_click=record, args=(place, question, True))
    return False


def draw_fields(place: str, question: Question) -> None:
    """Draw the fields for the answer."""
    if isinstance(question, Cell):
        with st.container(horizontal=True):
            for field in ("row", "column"):
                st.selectbox(
                    field.capitalize(),
                    range(len(question.labels)),
                    index=None,
                    placeholder="choose",
                    format_func=lambda i: question.labels[i],
                    key=f"{place}_{field}",
                    width=160,
                )
    elif isinstance(question, Choice) and question.pictures:
        with st.container(horizontal=True):
            for i, (option, picture) in enumerate(zip(question.options, question.pictures, strict=True)):
                with st.container(width="content", horizontal_alignment="center", gap="xsmall"):
                    st.html(Markup('<div class="course">{}</div>').format(picture))
                    st.form_submit_button(
                        plain(option), key=f"{place}_option_{i}", on_click=record_option, args=(place, question, i)
                    )
    elif isinstance(question, Choice):  # a label of a radio button reads Markdown, unlike one of a list
        st.radio(
            "Your answer",
            range(len(question.options)),
            index=None,
            key=f"{place}_given",
            format_func=lambda i: plain(question.options[i]),
            label_visibility="collapsed",
            horizontal=sum(map(len, question.options)) < 60,
        )
    else:
        step, shown = (0.1, "%.2f") if question.digits else (1.0, "%.0f")
        st.number_input("Your answer", value=None, step=step, format=shown, key=f"{place}_given", width=160)


def record(place: str, question: Question, give_up: bool = False) -> None:
    """Store an answer when a button of the form is pressed."""
    state = st.session_state
    if isinstance(question, Cell):
        given: Any = (state.get(f"{place}_row"), state.get(f"{place}_column"))
        empty = None in given
    else:
        given = state.get(f"{place}_given")
        empty = given is None
    state[f"{place}_empty"] = empty and not give_up
    if give_up:
        answers()[place] = Answer(question, None)
    elif not empty:
        answers()[place] = Answer(question, given)
        state.setdefault("answered", set()).add(place)


def record_option(place: str, question: Choice, option: int) -> None:
    """Store the option whose picture was clicked."""
    st.session_state[f"{place}_given"] = option
    record(place, question)


def say(place: str, answer: Answer, stands: bool) -> None:
    """Show the verdict on an answer while it applies, and offer another question of its kind."""
    question, given = answer
    if not stands:
        look, text = "told", Markup("You answered this with other settings.")
    elif given is None:
        look, text = "told", question.told
    else:
        right, text = question.judge(given)
        look = "right" if right else "wrong"
    wide, narrow = st.columns([5, 1], vertical_alignment="center")
    with wide:
        st.html(Markup('<div class="course verdict {}" role="status">{}</div>').format(look, text))
    with narrow:
        label = "Another question" if stands else "Ask again"
        st.button(label, type="tertiary", key=f"{place}_again", on_click=another, args=(place,))


def another(place: str) -> None:
    """Drop an answer and go to the next variant."""
    answers().pop(place, None)
    st.session_state.get("recalled", {}).pop(place, None)
    variants = st.session_state.setdefault("variants", {})
    variants[place] = variants.get(place, 0) + 1
    for field in ("given", "row", "column"):
        st.session_state.pop(f"{place}_{field}", None)
