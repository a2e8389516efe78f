"""What comes back is read as if an enemy had written it."""

import base64
import json

import numpy as np
import pytest

from pages.exercises.catalogue import EXERCISES
from pages.exercises.grading.compare import expected
from pages.exercises.grading.grade import CRASHED, report
from pages.exercises.runner import protocol
from pages.exercises.runner.slots import Answer

CASES = EXERCISES["softmax"].cases(np.random.default_rng(0))
DATA = base64.b64encode(np.ones((2, 3)).tobytes()).decode()
ARRAY = {"kind": "array", "dtype": "<f8", "shape": [2, 3], "data": DATA}
DONE = {"event": "done", "prints": "", "warnings": []}


def told(*messages, code=0):
    lines = [message if isinstance(message, bytes) else json.dumps(message).encode() for message in messages]
    return report(EXERCISES["softmax"], CASES, Answer(b"\n".join(lines) + b"\n", code))


def value(**changes):
    return {"event": "value", "value": ARRAY | changes}


@pytest.mark.parametrize(
    "message",
    [
        b"not json",
        b"[" * 100_000,
        b"\xff\xfe",
        b"[]",
        b"5",
        b"{}",
        b'{"event": 5}',
        b'{"event": "passed"}',
        b"9" * 5000,
        {"event": "value"},
        {"event": "value", "value": None},
        {"event": "value", "value": {"kind": "pickle"}},
        value(dtype="O"),
        value(dtype="<U9"),
        value(dtype="V8"),
        value(dtype=">f8"),
        value(dtype=["<f8"]),
        value(dtype=None),
        value(shape=[2, 4]),
        value(shape=[-2, -3]),
        value(shape=[2.0, 3.0]),
        value(shape=[True, 6]),
        value(shape="23"),
        value(shape=[1] * 64),
        value(shape=[10**9, 10**9]),
        value(shape=[]),
        value(data="!" * 64),
        value(data="é" * 64),
        value(data=DATA[:-4]),
        value(data=5),
        value(kind="parts", parts=[ARRAY] * 65),
        value(kind="parts", parts={"0": ARRAY}),
        value(kind="parts"),
        value(kind="parts", parts=[value(kind="parts", parts=[5])["value"]]),
        value(kind="large", shape=[-1]),
        value(kind="other", type=5),
        {"event": "raised", "type": "E", "words": None, "line": 1},
        {"event": "raised", "type": "E", "words": "", "line": -1},
        {"event": "raised", "type": "E", "words": "", "line": 1.5},
        {"event": "raised", "type": "E", "words": "", "line": True},
        {"event": "raised"},
        {"event": "error", "type": {}, "words": "", "line": 0},
        {"event": "missing", "defined": "softmax"},
        {"event": "missing", "defined": ["a"] * 11},
        {"event": "done", "prints": 5, "warnings": []},
        {"event": "done", "prints": "", "warnings": 5},
        {"event": "done", "prints": "", "warnings": [[]]},
        {"event": "done", "prints": "", "warnings": [[1, 2]]},
        {"event": "done", "prints": "", "warnings": [[1, "a"]] * 21},
        {"event": "timeout", "line": "1"},
        {"event": "memory", "line": 10**9},
        {"event": "refused", "message": ["a"], "line": 1},
        {"event": "refused"},
        DONE,
    ],
)
def test_what_no_honest_run_sends_is_a_crash(message):
    found = told({"event": "start"}, message, DONE)
    assert (found.status, found.message) == ("crashed", CRASHED)


def test_too_many_values_or_too_few_are_a_crash():
    assert told(*[value()] * 5, DONE).status == "failed"
    assert told(*[value()] * 6, DONE).status == "crashed"
    assert told(*[value()] * 4, DONE).status == "crashed"


def test_what_is_said_is_cut_and_cleaned():
    found = told({"event": "refused", "message": "a\x00\ud800\u202e" + "b" * 9999, "line": 3})
    assert len(found.message) == protocol.MAX_WORDS
    assert found.message.startswith("a\ufffd\ufffd\ufffdb")


def test_a_run_that_ends_without_a_word():
    assert told(code=-11).status == "crashed"
    assert told(code=-24).status == "timeout"
    assert told(code=-14).status == "timeout"
    assert told(code=78).status == "memory"
    assert report(EXERCISES["softmax"], CASES, Answer(b"", None, late=True)).status == "timeout"
    partial = told({"event": "start"}, value(), value(), code=-14)
    assert len(partial.tests) == 2


@pytest.mark.parametrize("dtype", ["b1", "i1", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_an_array_arrives_as_it_was_sent(dtype):
    array = np.arange(6).reshape(3, 2).astype(dtype)
    name = array.dtype.newbyteorder("<").str
    sent = {"kind": "array", "dtype": name, "shape": [3, 2], "data": base64.b64encode(array.tobytes()).decode()}
    got = protocol.value(sent)
    assert got.dtype == array.dtype
    assert np.array_equal(got, array)


@pytest.mark.parametrize("name", EXERCISES)
def test_numbers_of_any_kind_can_be_judged(name):
    exercise = EXERCISES[name]
    cases = exercise.cases(np.random.default_rng(1))
    wants = [expected(exercise, case) for case in cases]
    for dtype, kind in protocol.DTYPES.items():
        extremes = [0, 1, -1] if kind.kind not in "fc" else [0, np.inf, -np.inf, np.nan, np.finfo(kind).max]
        for extreme in extremes:
            with np.errstate(all="ignore"):
                arrays = [np.full(want.shape, extreme).astype(kind) for want in wants]
            packed = [base64.b64encode(array.tobytes()).decode() for array in arrays]
            values = [
                {"kind": "array", "dtype": dtype, "shape": list(want.shape), "data": data}
                for want, data in zip(wants, packed, strict=True)
            ]
            lines = [json.dumps({"event": "value", "value": value}).encode() for value in values]
            answer = Answer(b"\n".join([*lines, json.dumps(DONE).encode()]), 0)
            assert report(exercise, cases, answer).status in ("failed", "passed")


def test_bytes_that_are_no_booleans_do_no_harm():
    sent = {"kind": "array", "dtype": "|b1", "shape": [2], "data": base64.b64encode(b"\x02\xff").decode()}
    assert protocol.value(sent).tolist() == [True, True]
