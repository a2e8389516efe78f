"""Hand-ins: the file that a student makes is graded as it says, and one that is damaged harms no other."""

import csv
import io
import json
import struct
import subprocess
import sys
import zipfile
from unittest.mock import Mock

import numpy as np
import pytest
from streamlit.runtime.scriptrunner import StopException

from pages.exercises.catalogue import EXERCISES, POINTS
from pages.exercises.grading.report import Report
from pages.practice import hand_in as hand_in_module
from pages.practice import hand_in_files, hand_in_panel
from pages.practice.hand_in import (
    FULL,
    Claim,
    Row,
    files_of,
    for_canvas,
    for_moodle,
    table_of,
    with_same_seeds,
    written,
)
from pages.practice.hand_in_files import INFLATED, KIND, LARGEST
from pages.reproduce.files import csv_of
from pages.server import brought
from pages.server.messages import Gone
from pages.server.worker_process import Worker
from tests.app.files import download, file_of
from tests.app.practice.exercising import solve
from tests.app.visits import ENTRY, ROOT, go, opened, press, rerun

NAME = "attention_weights"
EMPTY = {"programs": {}, "points": {}, "answers": {}, "seeds": {}}
TASK = next(name for name in POINTS if name not in EXERCISES)


def hand_in(**parts):
    return written(EMPTY | parts).encode()


def claim_in(number):
    """Return a claim as it comes out of the process that reads it."""
    return Claim.of(json.loads(json.dumps(hand_in_files.claimed(number, [*EXERCISES], [*POINTS]))))


def files_in(name, data):
    return [(file, claim_in(i)) for i, file in enumerate(hand_in_files.begin(name, np.frombuffer(data, np.uint8)))]


def check(file, data, *run):
    claim = files_in("a.json", data)[0][1] if isinstance(data, bytes) else data
    return hand_in_module.check(file, claim, *run)


def archive(**files):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as writing:
        for name, data in files.items():
            writing.writestr(name if "." in name else name + ".json", data)
        writing.mkdir("folder")
        writing.writestr("__MACOSX/._a.json", b"")
    return made.getvalue()


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


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"[" * 10**5,
        b'{"kind": "else"}',
        json.dumps({"kind": KIND}).encode(),
        json.dumps({"kind": KIND, **EMPTY, "points": {"a": True}}).encode(),
        json.dumps({"kind": KIND, **EMPTY, "programs": {"a": 5}}).encode(),
        json.dumps({"kind": KIND, **EMPTY, "seeds": []}).encode(),
        b'{"points": ' + b"9" * 5000 + b"}",
        b" " * (LARGEST + 1),
    ],
    ids=range(11),
)
def test_a_damaged_file_is_named_and_the_others_are_graded(data):
    packed = archive(a=hand_in(points={TASK: 1}), **{"b.pdf": data, "c/d": hand_in(points={TASK: 2})})
    rows = [check(*found) for found in files_in("all.zip", packed)]
    assert [(row.file, row.points) for row in rows] == [("a.json", 1), ("b.pdf", None), ("c/d.json", 2)]
    assert [bool(row.problem) for row in rows] == [False, True, False]


def test_a_damaged_archive_is_named():
    good = archive(a=hand_in(), b=hand_in(points={TASK: 1}) * 50)
    broken = [b"", b"PK", good[:-30], archive(), good[:60] + b"\x00" * 40 + good[100:]]
    for data in broken:
        rows = [check(*found) for found in files_in("x.zip", data)]
        assert any(row.problem for row in rows)
    bomb = archive(a=b" " * 10**8)
    assert len(bomb) < 200_000
    ((_, said),) = files_in("x.zip", bomb)
    assert "larger" in said
    found = files_in("x.zip", archive(**{f"{i}": b" " * LARGEST for i in range(2 * INFLATED // LARGEST)}))
    assert ["this file was not read" in said for _, said in found].index(True) == INFLATED // LARGEST + 1


def raw_archive(name=b"a.json", offset=0, entries=1, body=b"\3\0", method=8, extra=b""):
    """Return an archive byte by byte; its end tells of one entry, however many there are."""
    sizes = len(body), 1000
    local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, method, 0, 0, 0, *sizes, len(name), 0) + name + body
    entry = struct.pack(
        "<4s6H3I5H2I", b"PK\1\2", 45, 45, 0, method, 0, 0, 0, *sizes, len(name), len(extra), 0, 0, 0, 0, offset
    )
    directory = (entry + name + extra) * entries
    return local + directory + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, len(directory), len(local), 0)


HOSTILE = {
    "no name": raw_archive(name=b""),
    "an offset of 2^63": raw_archive(offset=2**32 - 1, extra=struct.pack("<HHQ", 1, 8, 2**63)),
    "an unknown method": raw_archive(method=93),
    "a long directory": raw_archive(entries=20_000),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_no_archive_ends_the_check_of_a_class(data, tmp_path):
    (tmp_path / "a.json").write_bytes(hand_in())
    (tmp_path / "b.zip").write_bytes(data)
    (tmp_path / "c.zip").mkdir()
    (tmp_path / "d.json").symlink_to(tmp_path / "nothing")
    (tmp_path / "e.zip").write_bytes(archive(f=hand_in()))
    rows = [check(*found) for found in files_of(tmp_path)]
    assert [bool(row.problem) for row in rows] == [False, True, True, False]
    assert len(rows[1].problem) < 300


def test_a_file_that_ends_its_reader_is_one_row_and_the_others_are_checked(monkeypatch):
    class Dying(Worker):
        def call(self, function, *arguments):
            if arguments[0] in dies:
                raise Gone
            return super().call(function, *arguments)

    monkeypatch.setattr(brought, "Worker", Dying)
    packed, dies = archive(a=hand_in(), b=b"", c=hand_in(), **{f"d{i}": hand_in() for i in range(9)}), {0, 2}
    rows = [hand_in_module.check(*found) for found in hand_in_module.read("all.zip", packed)]
    assert [row.file for row in rows] == [f"{name}.json" for name in ("a", "b", "c", *(f"d{i}" for i in range(9)))]
    assert [row.points for row in rows] == [None, None, None] + 9 * [0]
    assert rows[0].problem == rows[2].problem != rows[1].problem
    dies = set(range(12))
    *_, (name, said) = hand_in_module.read("all.zip", packed)
    assert (name, "not read: 7." in said) == ("all.zip", True)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux takes memory from a process")
@pytest.mark.parametrize("act", ["bytes(1 << 30)", "(lambda: [None for _ in iter(int, 1)])()"])
def test_a_reader_has_limits_of_memory_and_of_processor_time_and_gives_little_back(act, monkeypatch):
    monkeypatch.setattr(brought, "PROCESSOR", 2)
    with brought.reader() as apart, pytest.raises(Gone):
        apart.call(eval, act)
    with brought.reader(answer=1000) as apart, pytest.raises(Gone):
        apart.call(eval, "'x' * 2000")
    with brought.reader() as apart:
        assert apart.call(eval, "'x' * 2000") == "x" * 2000


@pytest.mark.parametrize(
    "message", [None, 5, [], [{}, {}, ""], [{"x": ""}, {}, "", []], [{}, {TASK: True}, "", []], [{}, {}, "", [["a"]]]]
)
def test_what_no_honest_reader_sends_is_no_hand_in(message):
    with pytest.raises(ValueError, match="not a hand-in"):
        Claim.of(message)


class Unheard(Exception):
    """An error of which this version knows nothing, such as those of zstd in the next."""


@pytest.mark.parametrize("problem", [Unheard(), MemoryError(), IndexError("x" * 9000)])
@pytest.mark.parametrize("place", ["open", "infolist"])
def test_whatever_goes_wrong_in_an_archive_is_a_row(problem, place, monkeypatch):
    data = archive(a=hand_in())
    monkeypatch.setattr(zipfile.ZipFile, place, Mock(side_effect=problem))
    ((_, said),) = files_in("x.zip", data)
    assert type(problem).__name__ in said or "xxx" in said
    assert len(said) < 300


def test_no_file_breaks_the_table_of_the_others_or_makes_it_grow():
    many = {f"{i}{'n' * 9000}": hand_in(seeds={"qkv": "7"}, answers={"a": "half of \ud800"}) for i in range(60)}
    table = table_of(with_same_seeds([check(*found) for found in files_in("a.zip", archive(**many))]))
    assert "half of ?" in table
    assert len(table.encode()) < 60 * (20 + 2) * 200


def test_the_files_for_moodle_and_canvas_have_their_columns_and_no_formula():
    seeds, files = (
        {"seeds": {"qkv": "7"}},
        ["Ana Ruiz_4711_assignsubmission_file/hand-in.json", "ruizana_LATE_815_2204_hand-in.json", "=cmd|x.json"],
    )
    rows = with_same_seeds([check(file, hand_in(points={TASK: 2}, **seeds)) for file in files] + [check("bad", b"")])
    made = [make(rows).splitlines() for make in (for_moodle, for_canvas, table_of)]
    moodle, canvas, all_of_it = ([*csv.DictReader(lines)] for lines in made)
    assert [(row["Identifier"], row["Full name"], row["Grade"], row["Maximum Grade"]) for row in moodle] == [
        ("Participant 4711", "Ana Ruiz", "2", str(FULL))
    ]
    assert [(row["Student"], row["ID"], row["Attention, from scratch"]) for row in canvas] == [
        ("    Points Possible", "", str(FULL)),
        ("ruizana", "815", "2"),
    ]
    assert [row["same seed as"].count(";") for row in all_of_it] == [1, 1, 1, 0]
    assert all_of_it[2]["file"] == "'=cmd|x.json"


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "＝"])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_no_cell_is_a_formula_wherever_a_spreadsheet_parts_the_lines(mark, sign):
    names = ["x;{}1;", "x, y;{}1", "x;; {}1", "x\t{}1", "x\n{}1", "x\r\n{}1", "{}1", " {}1", 'x";{}1', "x;\t{}1"]
    rows = [Row(name.format(sign), "", failed=[name.format(sign)]) for name in names]
    for make in (table_of, lambda rows: csv_of(["a", "b"], [["x, y", row.file] for row in rows])):
        cells = [cell for line in csv.reader(io.StringIO(make(rows), newline=None), delimiter=mark) for cell in line]
        assert len(cells) >= len(names)
        assert [cell for cell in cells if cell.strip().startswith(sign) and cell.strip() != sign] == []
    assert '"-"' in csv_of(["a"], [["-"]])  # what has no more than a sign is as Moodle wants it


def test_a_check_that_met_an_endless_program_waits_with_its_like(monkeypatch):
    def run(text, exercise):
        ran.append([len(line.waiting) for line in (hand_in_panel.CHECKS, hand_in_panel.ENDLESS)])
        return Report("timeout", "")

    monkeypatch.setattr(hand_in_panel, "run", run)
    ran, endless = [], []
    for _ in range(2):
        hand_in_panel.run_in_turn(endless, "", "softmax")
    assert ran == [[1, 0], [0, 1]]


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
