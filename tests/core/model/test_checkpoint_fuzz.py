"""2,000 damaged checkpoints: each is read or refused with a ValueError, quickly and in little memory."""

import io
import json
import random
import re
import tracemalloc
import warnings
import zipfile

import numpy as np
import pytest

import attention_core as core
from tests.core.model.archives import CONFIG, WORDS, archive, attempt, npy, parts
from tests.tiers import first

SMALLEST = core.Config(5, 2, 1, 1, 3, d_ff=0, positions="none")
METHODS = ["stored", "stored", "stored", "deflated", "deflated", "deflated", "bzip2", "lzma"]
NUMBERS = [0, 1, 2, 3, 7, 255, 4096, 65535, 2**31 - 1, 2**32 - 1]
VALUES = [*NUMBERS, -1, 10**12, 10**400, 0.5, 1e308, float("nan"), float("inf"), True, None, "", "rope", [], [1, 2], {}]
KINDS = ["<f2", ">f2", "<f4", ">f4", "|f4", "<f8", "<f16", "<i4", "<U9", "|S9", "|O8", "<M8", "|V4", "<c8", "|b1"]
SHAPES = ["()", "(0,)", "(5,)", "(4, 5)", "(5, 4, 1)", "(20,)", "(99999999999999999999, 4)", "(5, 4", "(5,,4)", "(1)"]
TEXTS = [
    "",
    "null",
    "[]",
    "{}",
    "[[[[",
    '"',
    "\ud83d",
    "\0",
    "9" * 5000,
    "[" * 5000,
    '{"a": 1}',
    '["a"]',
    "true",
    "1e999",
]


def flipped(rng, content):
    """Write other bytes in a few places."""
    content = bytearray(content)
    for _ in range(rng.randint(1, 5)):
        content[rng.randrange(len(content))] = rng.randrange(256)
    return bytes(content)


def flipped_where_it_hurts(rng, content):
    """Write other bytes into the headers of the zip archive and of its arrays, which are a small part of the file."""
    content = bytearray(content)
    starts = [match.start() for match in re.finditer(b"PK..|\x93NUMPY", bytes(content))]
    for _ in range(rng.randint(1, 3)):
        place = rng.choice(starts) + rng.randrange(60)
        content[min(place, len(content) - 1)] = rng.choice([0, 1, 8, 12, 14, 127, 128, 255, rng.randrange(256)])
    return bytes(content)


def directory_rewritten(rng, content):
    """Give fields of the directory, or of what ends it, other numbers."""
    content = bytearray(content)
    for _ in range(rng.randint(1, 2)):
        entries = [match.start() for match in re.finditer(b"PK\x01\x02|PK\x05\x06", bytes(content))]
        size = rng.choice([2, 4])
        place = min(rng.choice([*entries, entries[-1]]) + rng.randrange(4, 46, 2), len(content) - size)
        content[place : place + size] = (rng.choice(NUMBERS) % 256**size).to_bytes(size, "little")
    return bytes(content)


def cut(rng, content):
    """Leave out the end, or a part."""
    start = rng.randrange(len(content))
    return content[:start] + content[start + rng.choice([1, 2, 64, len(content)]) :]


def grown(rng, content):
    """Insert other bytes, or a part once more."""
    place, start = rng.randrange(len(content)), rng.randrange(len(content))
    extra = rng.choice([rng.randbytes(rng.randint(1, 99)), content[start : start + rng.randint(1, 999)]])
    return content[:place] + extra + content[place:]


def swapped(rng, content):
    """Exchange two parts."""
    a, b, c, d = sorted(rng.randrange(len(content)) for _ in range(4))
    return content[:a] + content[c:d] + content[b:c] + content[a:b] + content[d:]


def header_rewritten(rng, members):
    """Let an array claim another kind, order or shape."""
    name = rng.choice(sorted(members))
    field, value = rng.choice(
        [
            (rb"'descr': '[^']*'", f"'descr': '{rng.choice(KINDS)}'"),
            (rb"'fortran_order': \w*", f"'fortran_order': {rng.choice(['True', 'False', 'None', '1'])}"),
            (rb"'shape': \(.*\)", f"'shape': {rng.choice(SHAPES)}"),
        ]
    )
    header = re.sub(field, value.encode(), members[name][10:128]).rstrip().ljust(117) + b"\n"
    return members | {name: members[name][:10] + header + members[name][128:]}


def member_flipped(rng, members):
    """Write other bytes into an array, with a checksum that agrees."""
    name = rng.choice(sorted(members))
    return members | {name: flipped(rng, members[name])}


def config_rewritten(rng, members):
    """Give arguments of the config other values."""
    changes = {rng.choice([*CONFIG, "causal", "dropout", "alibi_slopes", "norm", "new"]): rng.choice(VALUES)}
    return members | {"config": npy(json.dumps(CONFIG | changes | rng.choice([{}, {"n_heads": 1}, {"d_ff": 0}])))}


def text_rewritten(rng, members):
    """Put another text, or something that is none, in the place of the config or the vocabulary."""
    text = rng.choice([*TEXTS, json.dumps(WORDS[rng.randrange(5) :] * rng.choice([1, 2]))])
    made = rng.choice(
        [npy, lambda t: npy(t.encode("utf-8", "replace")), lambda t: npy([t]), lambda t: t.encode("utf-7")]
    )
    return members | {rng.choice(["config", "vocabulary"]): made(text)}


def members_exchanged(rng, members):
    """Take an array away, rename it, or give it the content of another."""
    one, other = rng.sample(sorted(members), 2)
    changes = [{one: None}, {one: None, rng.choice(["", "extra", "../up", "é" * 99]): members[one]}]
    mixed = members | rng.choice([*changes, {one: members[other]}])
    return {name: content for name, content in mixed.items() if content is not None}


BYTES = [flipped, flipped_where_it_hurts, directory_rewritten, cut, grown, swapped]
MEMBERS = [header_rewritten, member_flipped, config_rewritten, text_rewritten, members_exchanged]


def mutated(rng, mutate, members):
    """Return a damaged archive; of those rewritten member by member every third gets a few other bytes as well."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        content = archive(mutate(rng, members) if mutate in MEMBERS else members, rng.choice(METHODS))
    return mutate(rng, content) if mutate in BYTES else rng.choice([content, content, flipped(rng, content)])


@pytest.fixture(autouse=True)
def _tracing():
    tracemalloc.start()  # once, since starting and stopping takes longer than to load
    yield
    tracemalloc.stop()


@pytest.mark.parametrize("times", first(1, [18, 182]))  # for each of eleven kinds of damage
@pytest.mark.parametrize("mutate", BYTES + MEMBERS, ids=lambda mutate: mutate.__name__)
def test_a_damaged_checkpoint_is_read_or_refused(mutate, times):
    rng, outcomes = random.Random(mutate.__name__), []
    half = core.init_model(core.Config(**CONFIG))
    sources = [parts(), parts(half, vocabulary=None), parts(core.init_model(SMALLEST), config=SMALLEST.__dict__)]
    for _ in range(times):
        outcomes.append(attempt(core.load, mutated(rng, mutate, rng.choice(sources))))
        if not isinstance(outcomes[-1], ValueError):
            model, vocabulary = outcomes[-1]
            assert np.isfinite(model.flat).all()
            assert vocabulary is None or len(vocabulary) == model.config.vocab_size
    assert sum(isinstance(outcome, ValueError) for outcome in outcomes) > times / 6


@pytest.mark.parametrize("times", first(1, [8, 40]))
@pytest.mark.parametrize("mutate", [*BYTES, header_rewritten, member_flipped], ids=lambda mutate: mutate.__name__)
def test_a_damaged_optimizer_is_read_or_refused(mutate, times):
    rng, model, outcomes = random.Random(mutate.__name__), core.init_model(SMALLEST), []
    file = io.BytesIO()
    core.save_optimizer(file, core.AdamW.of(model))
    with zipfile.ZipFile(file) as opened:
        members = {name.removesuffix(".npy"): opened.read(name) for name in opened.namelist()}
    for _ in range(times):
        outcomes.append(attempt(lambda file: core.load_optimizer(file, model), mutated(rng, mutate, members)))
        if not isinstance(outcomes[-1], ValueError):
            assert np.isfinite(outcomes[-1].mean).all()
            assert (outcomes[-1].square >= 0).all()
    assert sum(isinstance(outcome, ValueError) for outcome in outcomes) > times / 6


@pytest.mark.parametrize("method", ["stored", "deflated"])
def test_what_the_damage_is_done_to_is_sound(method):
    assert not isinstance(attempt(core.load, archive(parts(), method)), ValueError)
    smallest = parts(core.init_model(SMALLEST), config=SMALLEST.__dict__)
    assert not isinstance(attempt(core.load, archive(smallest, method)), ValueError)
