"""Questions on a page: asking, keeping the answers, and counting them for the menu.

A `place` is here the name by which a session knows a question: its page, and its own name.
"""

import hashlib
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import streamlit as st
from markupsafe import Markup

from pages.look.html import caption, indexed, plain
from pages.questions.kinds import BY_TEACHER, Cell, Choice, Number, Question

Then = Callable[[], None]
Settles = Callable[[Any], None]

AT_ONCE, SECOND, TOLD = OUTCOMES = ("right at once", "right at the second try", "told")


class Answered(NamedTuple):
    """What was answered last to one variant of a question; None: the student asked to be shown."""

    question: Question
    given: Any
    tries: int = 1

    @property
    def right(self) -> bool:
        return self.given is not None and self.question.judge(self.given).right

    @property
    def over(self) -> bool:
        """Whether the answer is told, or was found."""
        return self.given is None or self.tries >= self.question.tries or self.right

    @property
    def outcome(self) -> str:
        return TOLD if not self.right else AT_ONCE if self.tries == 1 else SECOND


def answers() -> dict[str, Answered]:
    return st.session_state.setdefault("answers", {})


def outcomes(page: str, names: Iterable[str]) -> list[str]:
    """Return how the questions of a lesson that are over came out, in any variant."""
    answered: dict[str, str] = st.session_state.setdefault("answered", {})
    return [answered[place] for name in names if (place := f"{page}_{name}") in answered]


def variant(page: str, name: str) -> int:
    """Return which variant of a question is asked: the seed by which it is made."""
    return st.session_state.setdefault("variants", {}).get(f"{page}_{name}", 0)


def fingerprint(question: Question) -> str:
    """Return a few letters that change with a question and its right answer as shown: processors round otherwise."""
    shown: object = (*question[:2], question.told) if isinstance(question, Number) else question
    if question.name.startswith(BY_TEACHER):  # whose answer is not to be found by trying: a browser has the letters
        shown = question[: 3 if isinstance(question, Choice) else 2]
    return hashlib.sha256(repr(shown).encode("utf-8", "replace")).hexdigest()[:12]


def recalled(place: str, question: Question) -> Answered | None:
    """Return the answer that was given before a reload, if this very question is asked again and it fits."""
    kept, given, tries = st.session_state.get("recalled", {}).get(place, (None, None, 1))
    if kept != fingerprint(question) or tries not in (1, 2):
        return None
    kept = fitting(question, given)
    return answers().setdefault(place, Answered(question, kept, tries)) if kept is not None or given is None else None


def fitting(question: Question, given: Any) -> Any:
    """Return what JSON kept of an answer, or None if it is no answer to this question."""
    if isinstance(question, Cell):
        given = tuple(given) if isinstance(given, list) else given
        fits = isinstance(given, tuple) and len(given) == 2 and all(is_index(i, len(question.labels)) for i in given)
    elif isinstance(question, Choice):
        fits = is_index(given, len(question.options))
    else:
        fits = isinstance(given, int | float) and not isinstance(given, bool) and abs(given) < 1e15
    return given if fits else None


def is_index(value: object, n: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < n


def ask(
    page: str,
    question: Question,
    blank: Then | None = None,
    then: Then | None = None,
    has_more: Callable[[], bool] = lambda: True,
    again: str = "Another question",
) -> bool:
    """Draw a question, or the verdict on its answer; return True if the picture may be shown.

    While the question is open, `blank` draws the picture without what is asked. `then` follows an answer; another
    question is offered, under the label `again`, where the next variant `has_more` to ask.
    """
    place = f"{page}_{question.name}"
    member = st.session_state.get("class_room")
    if member and (shows := member.asks(place, question, blank, then, has_more)) is not None:
        return shows
    answer = answers().get(place) or recalled(place, question)
    if answer is not None and answer.over:
        same = answer.question == question
        stands = same or is_answered_alike(answer.question, question)
        now = answer._replace(question=question)
        say(place, now, stands, again if stands and has_more() else "" if stands else "Ask again")
        if member and same:
            member.show_answers(place, question)
        return True
    beside(place, partial(draw_form, place, question, then), blank)
    return False


def is_answered_alike(one: Question, other: Question) -> bool:
    """Return whether other settings change no option, and not which of them are right; pictures would be others."""
    if not (isinstance(one, Choice) and isinstance(other, Choice)) or one.pictures:
        return False
    return (one.options, one.right) == (other.options, other.right)


def beside(place: str, draw: Then, blank: Then | None) -> None:
    """Draw a question, which comes first, and its picture to the right where there is room."""
    if blank is None:
        draw()
        return
    with st.container(key=f"{place}_asking"):
        form, picture = st.columns([1, 1.18], gap="medium")
    with form:
        draw()
    with picture:
        blank()


def draw_form(place: str, question: Question, then: Then | None) -> None:
    """Draw an open question, and of a first answer only what is wrong with it."""
    with st.form(f"{place}_form"):
        tried = answers().get(place)
        if tried and tried.question == question:
            draw_verdict(place, "wrong", question.judge(tried.given).text)
        st.html(Markup('<div class="course ask" data-question="{}">{}</div>').format(place, caption(question.text)))
        settles = partial(settle, place, question, then=then)
        draw_fields(place, question, settles)
        with st.container(horizontal=True):
            if not (isinstance(question, Choice) and question.pictures):
                st.form_submit_button("Check", on_click=record, args=(place, question, settles))
            st.form_submit_button("Just show me", type="tertiary", on_click=settles, args=(None,))


def draw_fields(place: str, question: Question, settles: Settles) -> None:
    """Draw the fields for the answer. Where a click on an option is the answer, that settles it."""
    if isinstance(question, Cell):
        with st.container(horizontal=True):
            for field in ("row", "column"):
                look: Any = {"placeholder": "choose", "format_func": question.labels.__getitem__, "width": 140}
                st.selectbox(field.capitalize(), range(len(question.labels)), None, key=f"{place}_{field}", **look)
    elif isinstance(question, Choice) and question.pictures:
        with st.container(horizontal=True):
            for i, (option, picture) in enumerate(zip(question.options, question.pictures, strict=True)):
                across = max(map(len, question.options)) > 12  # long options need a row each, beside their picture
                with st.container(width="content", horizontal=across, vertical_alignment="center", gap="xsmall"):
                    st.html(Markup('<div class="course">{}</div>').format(picture), width="content")
                    st.form_submit_button(plain(option), key=f"{place}_option_{i}", on_click=settles, args=(i,))
    elif isinstance(question, Choice):  # radio buttons read Markdown in a label, and lists do not
        labels, in_a_row = [plain(indexed(one)) for one in question.options], sum(map(len, question.options)) < 60
        look = {"format_func": labels.__getitem__, "label_visibility": "collapsed", "horizontal": in_a_row}
        st.radio("Your answer", range(len(labels)), None, key=f"{place}_given", **look)
    else:
        step, shown = 0.1 if question.digits else 1.0, f"%.{question.digits}f"
        st.number_input("Your answer", value=None, step=step, format=shown, key=f"{place}_given", width=160)
    if st.session_state.get(f"{place}_empty"):
        kind = "a number" if isinstance(question, Number) else "an answer"
        st.html(Markup('<div class="course note">Give {} first.</div>').format(kind))


def record(place: str, question: Question, settles: Settles) -> None:
    """Settle the answer in the fields when the button of the form is pressed, if there is one."""
    state = st.session_state
    fields = ("row", "column") if isinstance(question, Cell) else ("given",)
    given = tuple(state.get(f"{place}_{field}") for field in fields)
    if None in given:
        state[f"{place}_empty"] = True
    else:
        settles(given if isinstance(question, Cell) else given[0])


def settle(place: str, question: Question, given: Any, then: Then | None = None) -> None:
    """Store an answer; None: the student asked to be shown. Where a second try is left, nothing follows yet."""
    state = st.session_state
    state[f"{place}_empty"] = False
    before = answers().get(place)
    tries = before.tries + (given != before.given) if before and before.question == question else 1  # the same is none
    answer = answers()[place] = Answered(question, given, tries)
    if not answer.over:
        clear_fields(place)
        return
    answered = state.setdefault("answered", {})
    answered[place] = min(answer.outcome, answered.get(place, TOLD), key=OUTCOMES.index)
    if then:
        then()


def say(place: str, answer: Answered, stands: bool, again: str) -> None:
    """Show the verdict on an answer while it applies, and offer to be asked again under that label, if there is one."""
    question, given = answer.question, answer.given
    if not stands:
        look, text = "told", Markup("You answered this with other settings.")
    elif given is None:
        look, text = "told", question.told
    else:
        right, text = question.judge(given)
        look = "right" if right else "wrong"
        text = text if right else Markup('{}<div class="truth">{}</div>').format(text, question.told)
    wide, narrow = st.columns([5, 1], vertical_alignment="center") if again else (st.container(), None)
    with wide:
        if stands:
            text_of = question.answered if isinstance(question, Choice) else caption(question.text)
            in_a_line = text_of.replace("</p>", " ").replace("<p>", " ").strip()
            st.html(Markup('<div class="course asked">{}</div>').format(in_a_line))
        draw_verdict(place, look, text)
    if narrow:
        with narrow:
            st.button(again, type="tertiary", key=f"{place}_again", on_click=another, args=(place,))


def draw_verdict(place: str, look: str, text: str) -> None:
    block = Markup('<div class="course verdict {}" role="status" data-question="{}">{}</div>')
    st.html(block.format(look, place, caption(text)))


def another(place: str) -> None:
    answers().pop(place, None)
    st.session_state.get("recalled", {}).pop(place, None)
    choose_variant(place, st.session_state.setdefault("variants", {}).get(place, 0) + 1)
    clear_fields(place)


def choose_variant(place: str, number: int) -> None:
    st.session_state.setdefault("variants", {})[place] = number


def clear_fields(place: str) -> None:
    for field in ("given", "row", "column"):
        st.session_state.pop(f"{place}_{field}", None)
