"""Hand-ins on the home page: a student's file, and a teacher's check of many."""

import re
from contextlib import closing
from functools import partial
from secrets import token_hex
from typing import Any

import streamlit as st

from pages.exercises.catalogue import EXERCISES
from pages.exercises.grading.report import Report
from pages.exercises.submission import run
from pages.links.course import NUMBERS
from pages.practice import hand_in
from pages.practice.progress import solved, works
from pages.practice.rate_limit import CHECKS, ENDLESS
from pages.server.give_way import LongWork

TELL = 20  # files between two looks at the progress, where they take no time
WORD = re.compile(r"[^\W_]+")
FILES = {"Table": hand_in.table_of, "Moodle": hand_in.for_moodle, "Canvas": hand_in.for_canvas}
TOLD = """
**Hand-ins.** *Hand in*, under “Your points”, makes one file. Put the files here, or an archive of them as Moodle or
Canvas makes it. Programs run again. Points for tasks, answers and the use of hints are as the file says.
"""


def offer_hand_in() -> None:
    """Draw the button that makes the file that a student hands in."""
    state = st.session_state
    programs = {name: work.text for name, work in works().items() if work.text != EXERCISES[name].starter}
    seeds = {  # that a student chose or was given alone
        page: query[f"{page}_seed"]
        for page, query in state.get("links", {}).items()
        if query.get(f"{page}_seed") and not {"seed", NUMBERS} & {*query.get(f"{page}_lock", "").split(".")}
    }
    told = {"programs": programs, "points": solved(), "answers": state.get("answered", {}), "seeds": seeds}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Your name, for the file", max_chars=60, key="_home_name", width=240)
        seat = getattr(state.get("class_room"), "number", "")
        ending = seat or state.setdefault("hand_in", token_hex(3))  # so that thirty files without a name differ
        file = "-".join(["hand-in", *WORD.findall(name or ""), ending]) + ".json"
        made = hand_in.written(told)
        st.download_button("Hand in", made, file, "application/json", key="home_hand_in", on_click="ignore")


def run_in_turn(work: LongWork, endless: list[str], text: str, exercise: str) -> Report:
    """Run a program behind those of other checks. Once one was `endless`, the check holds up such checks alone."""
    work.give_way()
    with (ENDLESS if endless else CHECKS).turn():
        report = run(text, exercise)
    endless += [exercise] * (report.status in ("timeout", "stalled"))
    return report


def check_hand_ins() -> None:
    """Let a teacher choose files, and draw what is found in them."""
    st.markdown(TOLD)
    given = st.file_uploader("Check hand-ins", ["json", "zip"], accept_multiple_files=True, key="home_hand_ins")
    if given and st.button("Check them", key="home_check"):
        check(given)
    checked = hand_in.with_same_seeds(st.session_state.get("hand_ins", []))
    if checked:
        st.dataframe([dict(zip(hand_in.HEAD, row.cells, strict=True)) for row in checked], hide_index=True)
        with st.container(horizontal=True):
            for name, make in FILES.items():
                label, file = f"{name} (CSV)", f"hand-ins-{name.lower()}.csv"
                st.download_button(label, make(checked), file, "text/csv", on_click="ignore")


def check(given: list[Any]) -> None:
    """Read all files and run their programs; whoever cancels, or leaves, keeps the rows so far."""
    place, endless, work = st.empty(), st.session_state.setdefault("hand_ins_endless", []), LongWork()
    rows = st.session_state["hand_ins"] = list[hand_in.Row]()
    with place.container():
        st.button("Cancel", key="home_check_cancel")
        bar = st.progress(0)  # drawing it is where a page that was left ends
    for i, upload in enumerate(given):
        wait = partial(say_place, bar)
        claims = list[hand_in.Found]()
        with closing(hand_in.read(upload.name, upload.getvalue(), wait)) as files:  # and its process ends with the page
            for found in files:
                claims.append(found)
                if len(claims) % TELL == 1:
                    bar.progress(i / len(given), f"{len(claims)} of {upload.name} read")
        for j, found in enumerate(claims):
            rows.append(hand_in.check(*found, partial(run_in_turn, work, endless)))
            if j % TELL == 0 or not isinstance(found[1], str):
                bar.progress((i + (j + 1) / len(claims)) / len(given), f"{len(rows)} checked")
    work.end()
    place.empty()


def say_place(bar: Any, ahead: int) -> None:
    bar.progress(0, f"Waiting. Files of {ahead} before yours are being read.")
