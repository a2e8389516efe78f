"""The files of hand-ins: one that is damaged or hostile is named, and harms no other."""

import json
import sys
import zipfile
from unittest.mock import Mock

import pytest

from pages.practice import hand_in as hand_in_module
from pages.practice.hand_in import Claim, files_of
from pages.practice.hand_in_files import INFLATED, KIND, LARGEST, MOST
from pages.server import brought
from pages.server.messages import Gone
from pages.server.worker_process import Worker
from tests.app.practice.handing_in import EMPTY, TASK, archive, check, files_in, hand_in


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


def test_no_archive_ends_the_check_of_a_class(tmp_path):
    (tmp_path / "a.json").write_bytes(hand_in())
    (tmp_path / "b.zip").write_bytes(archive(**{f"{i}": b"" for i in range(MOST + 1)}))
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


@pytest.mark.parametrize("problem", [ReferenceError(), MemoryError(), IndexError("x" * 9000)])
@pytest.mark.parametrize("place", ["open", "infolist"])
def test_whatever_goes_wrong_in_an_archive_is_a_row(problem, place, monkeypatch):
    data = archive(a=hand_in())
    monkeypatch.setattr(zipfile.ZipFile, place, Mock(side_effect=problem))
    ((_, said),) = files_in("x.zip", data)
    assert type(problem).__name__ in said or "xxx" in said
    assert len(said) < 300
