"""What comes back is read as if an enemy had written it."""

import base64
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.exercises.catalogue import EXERCISES
from pages.exercises.grading.compare import expected
from pages.exercises.grading.grade import CRASHED, report
from pages.exercises.runner import protocol
from pages.exercises.runner.slots import Output
from pages.practice.feedback import drawable
from tests.tiers import first

CASES = EXERCISES["softmax"].cases(np.random.default_rng(0))
DATA = base64.b64encode(np.ones((2, 3)).tobytes()).decode()
ARRAY = {"kind": "array", "dtype": "<f8", "shape": [2, 3], "data": DATA}
DONE = {"event": "done", "prints": "", "warnings": []}


def told(*messages, code=0):
    lines = [message if isinstance(message, bytes) else json.dumps(message).encode() for message in messages]
    return report(EXERCISES["softmax"], CASES, Output(b"\n".join(lines) + b"\n", code))


def value(**changes):
    return {"event": "value", "value": ARRAY | changes}


SHAPES = [[2, 4], [-2, -3], [2.0, 3.0], [True, 6], "23", [1] * 64, [10**9, 10**9], [], [[2], 3]]
RAISED = {"event": "raised", "type": "E", "words": "", "line": 1}
STRANGE = [
    *(b"not json", b"[" * 100_000, b"\xff\xfe", b"[]", b"5", b"{}"),
    *(b'{"event": 5}', b'{"event": "passed"}', b"9" * 5000),
    *({"event": "value"}, {"event": "value", "value": None}, {"event": "value", "value": {"kind": "pickle"}}),
    *(value(dtype=dtype) for dtype in ("O", "<U9", "V8", ">f8", ["<f8"], None)),
    *(value(shape=shape) for shape in SHAPES),
    *(value(shape=shape, data="") for shape in ([10**6, 0], [0, 2**62], [0, 2**64], [64, 65, 0])),
    *(value(shape=[2, 0, 2**60], dtype="<c16", data=""), value(shape=[1] * 9, data=DATA[:12])),
    *(value(data=data) for data in ("!" * 64, "é" * 64, DATA[:-4], 5)),
    *(value(kind="parts", parts=parts) for parts in ([ARRAY] * 65, {"0": ARRAY})),
    *(value(kind="parts", parts=[value(kind="parts", parts=parts)["value"]]) for parts in ([5], [])),
    *(value(kind="parts"), value(kind="other", type=5)),
    *(value(kind="large", shape=shape) for shape in ([-1], [1] * 65, [2**63])),
    *(b'{"event": "start"}\n' * 64, b'{"event": "value", "value": ' + b'{"value": ' * 500 + b"1" + b"}" * 501),
    *(RAISED | odd for odd in ({"words": None}, {"type": ""}, {"line": -1}, {"line": 1.5}, {"line": True})),
    *({"event": "raised"}, {"event": "error", "type": {}, "words": "", "line": 0}),
    *({"event": "missing", "defined": defined} for defined in ("softmax", ["a"] * 11)),
    *(DONE, DONE | {"prints": 5}),
    *(DONE | {"warnings": warnings} for warnings in (5, [[]], [[1, 2]], [[1, "a"]] * 21)),
    *({"event": "timeout", "line": "1"}, {"event": "memory", "line": 10**9}),
    *({"event": "refused", "message": ["a"], "line": 1}, {"event": "refused"}),
]


@pytest.mark.parametrize("message", STRANGE)
def test_what_no_honest_run_sends_is_a_crash(message):
    found = told({"event": "start"}, *[value()] * 4, message, DONE)  # with a fifth value, none is missing
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
    assert told(code=78).status == "memory"
    for starved in (told(code=-14), report(EXERCISES["softmax"], CASES, Output(b"", None, late=True))):
        assert starved.status == "stalled"  # the clock ended it and not its computing, so nothing is said of it
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


@pytest.mark.parametrize("name", first(4, EXERCISES))
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
            answer = Output(b"\n".join([*lines, json.dumps(DONE).encode()]), 0)
            assert report(exercise, cases, answer).status in ("failed", "passed")


def test_bytes_that_are_no_booleans_do_no_harm():
    sent = {"kind": "array", "dtype": "|b1", "shape": [2], "data": base64.b64encode(b"\x02\xff").decode()}
    assert protocol.value(sent).tolist() == [True, True]


def test_of_an_array_without_a_cell_nothing_is_drawn():
    found = told(*[value(shape=[64, 0, 64], data="")] * 5, DONE)
    assert drawable(found.failed.value) is None


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2**65) | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
SIZES = st.lists(st.sampled_from([0, 1, 2, 3, 64, 4096, 10**6, 2**60, 2**62, 2**64, -1]), max_size=5)


def near(**fields):
    """Return objects as a worker sends them, but for any one of their fields."""
    whole = {
        name: st.just(field) if not isinstance(field, st.SearchStrategy) else field for name, field in fields.items()
    }
    odd = st.tuples(st.sampled_from(list(fields)), ANYTHING).flatmap(
        lambda pair: st.fixed_dictionaries(whole | {pair[0]: st.just(pair[1])})
    )
    return st.fixed_dictionaries(whole) | odd


ARRAYS = st.builds(
    lambda array, shape, dtype, zeros: array | {"shape": shape, "dtype": dtype, "data": zeros},
    near(**ARRAY),
    SIZES | st.just([2, 3]),
    st.sampled_from([*protocol.DTYPES, "O", ">f8", "<U3"]),
    st.sampled_from(["", DATA, DATA[:12], base64.b64encode(bytes(6)).decode()]),
) | near(**ARRAY)
SINGLE = ARRAYS | near(kind="other", type="str") | near(kind="large", shape=SIZES)
VALUES = SINGLE | near(kind="parts", parts=st.lists(SINGLE, max_size=3))
MESSAGES = st.one_of(
    near(event="value", value=VALUES),
    near(event="raised", type="E", words="", line=1),
    near(event="error", type="E", words="", line=1),
    near(event="missing", defined=["f"]),
    near(event=st.sampled_from(["done", "timeout", "memory"]), prints="", warnings=[[1, "w"]], line=1),
    near(event="refused", message="m", line=1),
    ANYTHING,
)


@settings(max_examples=50)
@given(st.lists(MESSAGES, max_size=3), st.sampled_from(list(EXERCISES)), st.integers(0, 12), st.booleans())
def test_whatever_is_sent_a_report_of_bounded_size_comes_back(messages, name, count, with_own):
    exercise = EXERCISES[name]
    cases = exercise.cases(np.random.default_rng(2))
    own = cases[0] if with_own else None
    sent = [*messages[:1] * count, *messages[1:], DONE]
    answer = Output(b"\n".join(json.dumps(message).encode() for message in sent), 0)
    found = report(exercise, cases, answer, own)
    assert found.status in ("passed", "failed", "refused", "error", "timeout", "memory", "crashed")
    for test in filter(None, (*found.tests, found.own)):
        arrays = [given for given in (test.value, test.second) if isinstance(given, np.ndarray)]
        assert all(array.size <= protocol.MAX_ITEMS for array in arrays)
    assert len(found.message) + len(found.prints) < 10_000
