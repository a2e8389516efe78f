"""Coming into a class and opening one: what a tab says of it, in its link or after a reload, is input from outside."""

from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st
from markupsafe import Markup

from pages.class_room import room
from pages.class_room.member import GONE, forget, note
from pages.class_room.push import keep_told
from pages.class_room.record import Record
from pages.class_room.room import TAB, find_class, open_class, the_store, word_in
from pages.class_room.store import Closed, Unavailable
from pages.class_room.student import GAVE_UP, Student
from pages.class_room.teacher import Teacher, offer_record
from pages.look.style import class_style
from pages.page.ask import answers
from pages.page.remember import entries
from pages.server.shares import visitor

LAST = Markup("This browser’s tab still has the record of class <b>{}</b>.")  # which nobody closed from here
NONE = "No class has this code now. Check the code: it has four letters or digits."


def own(name: str, most: int, seconds: float) -> room.Tries:
    return st.session_state.setdefault("class_tries", {}).setdefault(name, room.Tries(most, seconds))


def enter(word: str, key: str = "", tab: str = "") -> str:
    """Come into a class, with a key as its teacher; return what was wrong, if anything was."""
    if not word:
        return NONE
    try:
        if not find_class(the_store(), word, own("words", 6, 60), key, visitor().address):
            return NONE
    except Unavailable as problem:
        return str(problem)
    with suppress(Closed, Unavailable):
        if key and room.is_kept(the_store(), word):  # for 14 days from now
            room.keep_class(the_store(), word, True, visitor().address)
    tab = tab or st.session_state.get("class_tab", "")  # who leaves and comes again has no second vote
    member = st.session_state["class_room"] = Teacher(word, key, tab) if key else Student(word, tab)
    st.session_state["class_tab"], member.is_known = member.tab, bool(tab)
    return ""


def join() -> None:
    typed = st.session_state.get("class_word") or ""
    if typed:
        st.session_state["word_problem"] = enter(word_in(typed))
        if isinstance(member := st.session_state.get("class_room"), Student):
            member.arrives = True


def begin_class() -> None:
    """Open a class. Its questions are open, whatever its teacher has tried before."""
    try:
        word, key = open_class(the_store(), own("opened", 5, 3600), visitor().address)
    except Unavailable as problem:
        st.session_state["class_problem"] = str(problem)
        return
    answers().clear()
    for old in ("recalled", "class_record"):
        st.session_state.pop(old, None)
    st.session_state["class_room"] = Teacher(word, key)


def come_back(found: object) -> None:
    """Come into the class again that the browser kept, as the same tab."""
    match found:
        case [str() as word, str() as tab, str() as key, votes] if TAB.fullmatch(tab) and len(key) < 50:
            votes = entries(votes, str)
            before, back = st.session_state.get("class_room"), own("back", 3, 3600)
            if before and before.tab == tab:
                before.is_known = True
            if not back.may() or (before and ((before.word, before.key) != (word_in(word), key) or before.tab == tab)):
                return  # a link says another class, or this tab is it already
            back.note(tab)
            if problem := enter(word_in(word), key, tab):
                st.session_state["class_problem"] = GONE if problem == NONE else problem
                if problem != NONE:  # the next run tries again, and the browser keeps it until then
                    st.session_state["class_waits"] = [word[:20], tab, key, votes]
                elif key and word_in(word):
                    st.session_state["class_record"] = [word[:20], tab, key, votes]
            elif member := st.session_state.get("class_room"):
                member.unpack(votes)
                member.arrives = bool(before)  # this run may have cut off one that was to lead to the teacher’s view


def left_open() -> str:
    """Return the code of the class that the teacher at this browser left open, or nothing."""
    match st.session_state.get("class_left"):
        case [str() as text, str(), str() as key, _] if key and (word := word_in(text)):
            with suppress(Unavailable):
                if find_class(the_store(), word, own("words", 6, 60), key, visitor().address):
                    return word
    st.session_state.pop("class_left", None)
    return ""


def follow_link() -> None:
    """Come into the class that a link says. The key leaves the address at once."""
    given, member = st.session_state["given"], st.session_state.get("class_room")
    if (teach := given.pop("teach", None)) is not None:
        st.query_params.pop("teach", None)
        word, _, key = teach[:80].partition(".")
        st.session_state["class_problem"] = enter(word_in(word), key or "-")
    elif (word := word_in(given.get("class", "").partition("__")[0])) or "class" in given:
        if member and member.word == word:
            return
        if problem := enter(word):
            st.session_state["class_problem"] = problem
            forget()
        else:
            st.session_state["class_room"].arrives = True


def attend(page: Any, on_console: bool = False) -> None:
    """Take part in a class, as far as it is there, before a page is drawn."""
    if found := st.session_state.pop("class_found", None) or st.session_state.pop("class_waits", None):
        come_back(found)
    follow_link()
    member: Student | Teacher | None = st.session_state.get("class_room")
    problem = st.session_state.pop("class_problem", "") or st.session_state.pop("class_again", "")
    st.session_state["class_told"] = problem
    if member and not member.over:
        member.news = member.is_late = False
        member.look()
        member.begin(page)
    with page.notices:
        st.html(f"<style>{class_style()}</style>")
        if told := problem or (member and member.over):
            note(told, "note below")
        if isinstance(member, Teacher) and member.over == GONE:
            st.session_state["class_record"] = member.packed()
        if last := st.session_state.get("class_record"):
            note(LAST.format(last[0]))
            offer_record(last[0], [*filter(Record.of, map(str, last[3].values()))], "_over")
    if member and member.over:
        if member.is_teacher or member.over == GAVE_UP:
            st.session_state["class_gone"] = member.word
        forget()
    elif member and not on_console:
        with st.bottom, st.container(horizontal=True, vertical_alignment="center", key="class_bar"):
            if isinstance(member, Teacher):
                with st.container():  # of the whole page: a run of this part that passes it leaves the buttons in place
                    st.fragment(member.watch(page), run_every=member.every)()
            else:
                member.draw_bar(page)
                keep_told(member)
            st.fragment(partial(draw_buttons, member, page))()


def draw_buttons(member: Student | Teacher, page: Any) -> None:
    if member.over or st.session_state.get("class_room") is not member:
        st.rerun()  # who left
    with st.container(horizontal=True, key="class_buttons"):
        member.draw_buttons(page)
