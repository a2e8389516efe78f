"""Hand-ins: the file that a student makes is graded as it says, on the page and at the command line."""

import csv
import json
import subprocess
import sys

import pytest
from streamlit.runtime.scriptrunner import StopException

from pages.exercises.catalogue import EXERCISES, POINTS
from pages.exercises.grading.report import Report
from pages.practice import hand_in as hand_in_module
from pages.practice import hand_in_panel
from pages.server import brought
from tests.app.files import download, file_of
from tests.app.practice.exercising import solve
from tests.app.practice.handing_in import TASK, archive, check, hand_in
from tests.app.visits import ENTRY, ROOT, go, opened, press, rerun

NAME = "attention_weights"


@pytest.mark.usefixtures("media")
def test_what_a_student_hands_in_is_graded_again_and_the_table_has_it():
    app = solve(opened("qkv", {"qkv_ask": "no", "qkv_exercise": NAME, "qkv_seed": "12"}, ENTRY), NAME)
    app.switch_page(ENTRY).run()
    app.session_state["home_points"] = True
    rerun(app)
    made = file_of(app, "Hand in")
    assert json.loads(made)["seeds"] == {"qkv": "12"}
    others = [rerun(opened("home", {})) for _ in range(2)]
    names = []
    for one in (app, *others):
        one.session_state["home_points"] = True
        names.append(download(rerun(one), "Hand in").filename)
    assert len({*names}) == 3
    app.text_input(key="_home_name").set_value("Ana/../Łuk")
    assert download(rerun(app), "Hand in").filename == names[0].replace("hand-in-", "hand-in-Ana-Łuk-")
    go(app, "teach", {})
    app.session_state["teach_closer_Check hand-ins"] = True
    (given,) = rerun(app).file_uploader
    given.upload("hand-in.json", made)
    press(rerun(app), "home_check")
    ((file, points, problem, _, passed, *_),) = app.dataframe[0].value.to_numpy()
    assert (file, points, problem, passed) == ("hand-in.json", "15", "", NAME)


def test_points_are_those_of_programs_that_pass_now_and_no_more_than_there_are():
    program = {NAME: EXERCISES[NAME].solution}
    more = 15 + POINTS[TASK]
    for claimed, points in (({NAME: 7}, 7), ({NAME: 10**9}, 15), ({NAME: -5}, 15), ({}, 15), ({TASK: 99}, more)):
        row = check("a", hand_in(programs=program, points=claimed))
        assert (row.points, row.passed, row.problem) == (points, [NAME], "")
    row = check("a", hand_in(programs={NAME: EXERCISES[NAME].starter, "none": "x"}, points={NAME: 15, "none": 5}))
    assert (row.points, row.passed, len(row.failed)) == (0, [], 1)
    assert NAME in row.problem
    assert check("a", hand_in(points={NAME: 15})).points == 0


def test_what_could_not_run_is_said_and_not_counted_as_wrong():
    row = check("a", hand_in(programs={NAME: "x"}), lambda *_: Report("busy", "later"))
    assert (row.passed, row.failed) == ([], [])
    assert "Check this file again" in row.problem


def test_a_check_that_met_an_endless_program_waits_with_its_like(monkeypatch):
    def run(text, exercise):
        ran.append([len(line.waiting) for line in (hand_in_panel.CHECKS, hand_in_panel.ENDLESS)])
        return Report("timeout", "")

    monkeypatch.setattr(hand_in_panel, "run", run)
    ran, endless = [], []
    monkeypatch.setattr(hand_in_panel.LongWork, "give_way", lambda _: ran.append("pages first"))
    for _ in range(2):
        hand_in_panel.run_in_turn(hand_in_panel.LongWork(), endless, "", "softmax")
    assert ran == ["pages first", [1, 0], "pages first", [0, 1]]


@pytest.mark.nightly
def test_a_folder_is_graded_at_the_command_line(tmp_path):
    (tmp_path / "a.json").write_bytes(hand_in(programs={NAME: EXERCISES[NAME].solution}))
    (tmp_path / "b.zip").write_bytes(archive(c=hand_in(), d=b"x"))
    command = [sys.executable, "-m", "pages.practice.hand_in"]
    ran = subprocess.run([*command, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True)
    assert [row["points"] for row in csv.DictReader(ran.stdout.splitlines())] == ["15", "0", ""]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 1


@pytest.mark.usefixtures("media")
def test_who_cancels_a_check_keeps_the_rows_so_far_and_its_process_ends(monkeypatch):
    app = opened("teach", {})
    app.session_state["teach_closer_Check hand-ins"] = True
    (given,) = rerun(app).file_uploader
    given.upload("all.zip", archive(a=hand_in(points={TASK: 1}), b=hand_in(), c=hand_in()))
    rows, real = [], hand_in_module.check

    def check_one(*found):
        if rows:
            raise StopException  # as where a page draws, once its student has pressed something
        rows.append(real(*found))
        return rows[0]

    monkeypatch.setattr(hand_in_module, "check", check_one)
    press(rerun(app), "home_check")
    assert "home_check_cancel" in [button.key for button in app.button]
    assert [row.file for row in app.session_state["hand_ins"]] == ["a.json"]
    app.button(key="home_check_cancel").click()
    assert list(rerun(app).dataframe[0].value["file"]) == ["a.json"]
    assert "home_check_cancel" not in [button.key for button in app.button]
    assert brought.LINE.waiting == []
