"""What `load` refuses: damaged, foreign and lying files, each with its reason and without much memory."""

import io
import json
import pickle
import re
import tracemalloc

import numpy as np
import pytest

import attention_core as core
from attention_core.array_files import MAX_HEADER, write
from attention_core.model.checkpoint import MAX_BYTES

CONFIG = {"vocab_size": 5, "d_model": 4, "n_heads": 2, "n_layers": 1, "max_len": 3, "d_ff": 7, "positions": "learned"}
WORDS = ["the", "cat", "sat", "désolé", "🐈"]
FIRST = "token_embedding"  # the first array in the file, 80 bytes of float32


def sound():
    file = io.BytesIO()
    core.save(file, core.init_model(core.Config(**CONFIG)), WORDS)
    content = file.getvalue()
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length]), content[8 + length :]


HEADER, NUMBERS = sound()
TEXTS = HEADER["__metadata__"]


def packed(header, numbers=NUMBERS):
    head = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(head).to_bytes(8, "little") + head + numbers


def entry(name=FIRST, **changes):
    return packed(HEADER | {name: HEADER[name] | changes})


def text(**changes):
    return packed(HEADER | {"__metadata__": {name: one for name, one in (TEXTS | changes).items() if one is not None}})


def config(**changes):
    return text(config=json.dumps(CONFIG | changes))


def without(name):
    return {key: value for key, value in HEADER.items() if key != name}


def number(value):
    return packed(HEADER, np.float32(value).tobytes() + NUMBERS[4:])


NO_FILE = "checkpoint must be a .safetensors file, got another kind of file"
NO_ENTRY = f"{FIRST} must be F16 or F32 numbers of shape [5, 4], got "
ARGUMENTS = "config must have the arguments of Config: "
OTHERS = "checkpoint must contain the arrays of its config and no others, but not so "
GAP = f"arrays must fill the {len(NUMBERS):,} bytes after the header without gap or overlap"
TOO_LARGE = f"checkpoint must take at most {MAX_BYTES:,} bytes in memory, but its config asks for more"
REFUSALS = {
    "nothing": (b"", NO_FILE),
    "a text": (b"import os; os.system('rm -rf /')", NO_FILE),
    "a pickle": (pickle.dumps({FIRST: np.ones((5, 4))}), NO_FILE),
    "a zip archive": (b"PK\3\4" + bytes(99), NO_FILE),
    "a header as long as the file": ((1 << 40).to_bytes(8, "little") + packed(HEADER)[8:], NO_FILE),
    "a header too long": (packed(b" " * MAX_HEADER + b"{}"), NO_FILE),
    "a file too long": (bytes(MAX_BYTES + MAX_HEADER + 1), f"checkpoint must be at most {MAX_BYTES:,} bytes of numb"),
    "no JSON": (packed(b"vocab_size = 5"), "header must be JSON, got: Expecting value"),
    "no UTF-8": (packed(b"\xff\xfe"), "header must be JSON, got: "),
    "JSON that is too deep": (packed(b"[" * 10**5), "header must not contain lists within lists"),
    "JSON with a long number": (packed(b"[" + b"9" * 10**5 + b"]"), "header must be JSON, got: "),
    "a list for a header": (packed(b"[]"), "header must be a JSON object"),
    "a list of texts": (packed(HEADER | {"__metadata__": []}), "header must be a JSON object"),
    "no texts": (packed(without("__metadata__")), "checkpoint must contain config, a text"),
    "an array missing": (packed(without(FIRST)), OTHERS + repr(FIRST)),
    "another array": (packed(HEADER | {"extra": {}}), OTHERS + "'extra'"),
    "no entry": (packed(HEADER | {FIRST: []}), NO_ENTRY),
    "an empty entry": (packed(HEADER | {FIRST: {}}), NO_ENTRY),
    "a type of numbers": (entry(dtype=7), NO_ENTRY),
    "three offsets": (entry(data_offsets=[0, 40, 80]), NO_ENTRY),
    "offsets between bytes": (entry(data_offsets=[0.5, 80.5]), NO_ENTRY),
    "float64": (entry(dtype="F64"), NO_ENTRY),
    "another type": (entry(dtype="F16"), NO_ENTRY),
    "the shape turned": (entry(shape=[4, 5]), NO_ENTRY),
    "a negative shape": (entry(shape=[-5, -4]), NO_ENTRY),
    "numbers of another array": (entry(data_offsets=[80, 160]), GAP),
    "numbers before the first": (entry(data_offsets=[-80, 0]), GAP),
    "numbers to spare": (packed(HEADER, NUMBERS + bytes(4)), "arrays must fill the "),
    "numbers cut short": (packed(HEADER, NUMBERS[:-1]), "arrays must fill the "),
    "NaN": (number(np.nan), f"{FIRST} must contain finite numbers, got NaN or infinity"),
    "infinity": (number(-np.inf), f"{FIRST} must contain finite numbers, got NaN or infinity"),
    "a word missing": (text(vocabulary=json.dumps(WORDS[1:])), "vocabulary must contain vocab_size 5 different tok"),
    "a word twice": (text(vocabulary='["a", "a", "b", "c", "d"]'), "vocabulary must contain vocab_size 5 different"),
    "words that are none": (text(vocabulary="[1, 2, 3, 4, 5]"), "vocabulary must be a list of strings"),
    "half a character": (text(vocabulary='["\\ud83d", "b", "c", "d", "e"]'), "vocabulary must contain whole char"),
    "a vocabulary that is no text": (text(vocabulary=WORDS), "checkpoint must contain vocabulary, a text"),
    "a config that is no JSON": (text(config="vocab_size = 5"), "config must be JSON, got: Expecting value"),
    "a list for a config": (text(config="[]"), "config must be a JSON object, got list"),
    "an unknown argument": (config(n_head=2), ARGUMENTS + "Config.__init__() got an unexpec"),
    "a missing argument": (text(config='{"vocab_size": 5}'), ARGUMENTS + "Config.__init__() missing"),
    "a config of its own kind": (config(d_model="4"), "d_model must be a whole number, got '4'"),
    "infinite slopes": (config(alibi_slopes=[1, float("inf")]), "alibi_slopes must be finite numbers of at least 0"),
    "a billion layers": (config(n_layers=10**9), TOO_LARGE),
    "a trillion words": (config(vocab_size=10**12), TOO_LARGE),
    "a number past all floats": (config(d_model=10**400, n_heads=1), TOO_LARGE),
    "a trillion positions without parameters": (config(max_len=10**12, positions="sinusoidal"), "max_len must "),
    "layers that are not there": (config(n_layers=97), "checkpoint must contain the arrays of 97 layers"),
    "steps that are no list": (text(steps='"12"'), "steps must be rising whole numbers below a billion, got 12"),
    "no step": (text(steps="[]"), "steps must be rising whole"),
    "half a step": (text(steps="[0.5, 1]"), "steps must be rising whole"),
    "a step before the start": (text(steps="[-1, 1]"), "steps must be rising whole"),
    "a step after the end of time": (text(steps="[0, 1000000001]"), "steps must be rising whole"),
    "steps that fall": (text(steps="[2, 1]"), "steps must be rising whole numbers"),
    "a step twice": (text(steps="[1, 1]"), "steps must be rising whole numbers"),
    "steps without models": (text(steps="[0, 1]"), OTHERS + "'earlier'"),
    "a hundred thousand steps": (text(steps=json.dumps([*range(100_000)])), TOO_LARGE),
    "much in little JSON": (packed(b"[" + b"{}," * 340_000 + b"{}]"), "header must be a JSON object"),
}


def attempt(content, **limits):
    """Return what loading some bytes gives, or its ValueError; it may take 40 MB beside the file."""
    tracemalloc.start()
    try:
        return core.load(io.BytesIO(content), **limits)
    except ValueError as refusal:
        return refusal
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 40e6 + 3 * len(content)


@pytest.mark.parametrize(("content", "message"), REFUSALS.values(), ids=REFUSALS)
def test_a_file_that_is_no_sound_checkpoint_says_why(content, message):
    refusal = attempt(content)
    assert isinstance(refusal, ValueError), "it was loaded"
    assert str(refusal).startswith(message)


def test_the_checkpoint_that_all_these_are_made_from_is_sound_and_limits_can_be_set():
    model, vocabulary = attempt(packed(HEADER))
    assert vocabulary == WORDS
    size = model.flat.nbytes
    assert attempt(packed(HEADER), max_bytes=size)[0].flat.nbytes == size
    assert str(attempt(packed(HEADER), max_bytes=size - 1)).startswith(
        f"checkpoint must take at most {size - 1:,} bytes"
    )


@pytest.mark.parametrize(
    ("texts", "arrays", "message"),
    [
        ({}, {"mean": None}, OTHERS + "'mean'"),
        ({}, {"mean": np.zeros(3, "f4")}, "mean must be F16 or F32 numbers of shape [19], got "),
        ({}, {"square": np.full(19, -1, "f4")}, "square must not be negative"),
        ({"step": "-1"}, {}, "step must be a whole number, got '-1'"),
        ({"step": "1" * 16}, {}, "step must be a whole number, got '1111111111111111'"),
    ],
)
def test_an_optimizer_of_something_else_says_why(texts, arrays, message):
    model, file = core.init_model(core.Config(5, 1, 1, 1, 3, d_ff=1, positions="none")), io.BytesIO()
    parts = {"mean": np.zeros(19, "f4"), "square": np.zeros(19, "f4")} | arrays
    write(file, {name: part for name, part in parts.items() if part is not None}, {"step": "3"} | texts)
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        core.load_optimizer(file, model)
