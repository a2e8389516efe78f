"""What strangers bring, grown by a grammar: each file is read or refused with a reason, and nothing else happens."""

import json
import os
import random
import struct
import zlib
from contextlib import suppress

import numpy as np
import pytest

from pages.exercises.catalogue import EXERCISES, POINTS
from pages.practice import hand_in_files
from pages.practice.hand_in import Claim
from pages.practice.hand_in_files import KIND, PARTS
from pages.server.model_file import parts_of
from pages.teaching.plan import Plan, plan_in

ODD = (0, 1, 2, 7, 255, 2**15, 2**16 - 1, 2**31, 2**32 - 1)
NAMES = ("", "a.json", "../a", "é\ud800", "__MACOSX/x", "d/", "a" * 999, "\0")
DTYPES = ("F32", "F16", "I64", "BF16", "", 7)


def number(rng, most=2**32):
    return rng.choice([*ODD, rng.randrange(most)]) % most


def value(rng, depth=0):
    """Return anything that JSON can say."""
    kinds = [lambda: number(rng), lambda: -1e308, lambda: rng.choice(NAMES), lambda: None, lambda: True]
    if depth < 4:
        kinds += [
            lambda: [value(rng, depth + 1) for _ in range(rng.randrange(4))],
            lambda: table(rng, NAMES, depth + 1),
        ]
    return rng.choice(kinds)()


def table(rng, names, depth=0):
    return {rng.choice(names): value(rng, depth) for _ in range(rng.randrange(4))}


def cut(rng, data):
    """Return bytes, now and then with a part that is missing or another."""
    if rng.random() < 0.3 and data:
        at, n = rng.randrange(len(data)), rng.randrange(9)
        data = data[:at] + rng.randbytes(rng.randrange(9)) + data[at + n :]
    return data


def hand_in(rng):
    known = [*EXERCISES][:3], [*POINTS][:3], NAMES, NAMES
    parts = {name: table(rng, (*names, *NAMES)) for name, names in zip(PARTS, known, strict=True)}
    for name, part in parts.items():
        if rng.random() < 0.7:
            parts[name] = {key: number(rng) if PARTS[name] is int else rng.choice(NAMES) for key in part}
    right = {"kind": KIND} | {name: {} for name in PARTS} | {rng.choice([*PARTS]): parts[rng.choice([*PARTS])]}
    return cut(rng, json.dumps(rng.choice([right, parts | {"kind": KIND}, value(rng)])).encode())


def packed(rng, name, data):
    """Return a file as an archive has it, and what its directory says of it, with one field that is odd."""
    method = rng.choice([0, 8, 8, 12, 14, 93, 99])
    body = zlib.compress(data)[2:-4] if method == 8 else data
    fields = [20, rng.choice([0, 1, 8, 2048]), method, 0, 0, zlib.crc32(data), len(body), len(data), len(name), 0]
    if rng.random() < 0.4:
        place = rng.randrange(10)
        fields[place] = number(rng, 2**16 if place not in (5, 6, 7) else 2**32)
    return struct.pack("<4s5H3I2H", b"PK\3\4", *fields) + name + body, fields


def archive(rng):
    files, directory = b"", b""
    for _ in range(rng.randrange(5)):
        name = rng.choice(NAMES).encode(errors="replace")
        file, fields = packed(rng, name, hand_in(rng))
        extra = rng.choice([b"", struct.pack("<HHQ", 1, 8, number(rng)), rng.randbytes(rng.randrange(20))])
        fields[9], at = len(extra), rng.choice([len(files), number(rng)])
        directory += struct.pack("<4s6H3I5H2I", b"PK\1\2", 45, *fields[:9], len(extra), 0, 0, 0, 0, at) + name + extra
        files += file
    n, size = (
        rng.choice([right, number(rng, most)]) for right, most in ((files.count(b"PK"), 2**16), (len(directory), 2**32))
    )
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, n % 2**16, n % 2**16, size, len(files), 0)
    return cut(rng, files + directory + end)


def model(rng):
    """Return a file of arrays whose head says odd things of them."""
    names = ("tok_emb", "pos_emb", "blocks.0.attn.w_q", "__metadata__", "earlier")
    sizes = {"vocab_size": 3, "d_model": 4, "n_heads": 2, "n_layers": 1, "max_len": 8}
    config = json.dumps(sizes | {rng.choice([*sizes]): value(rng)})
    head = {"__metadata__": rng.choice([value(rng), {"config": config, "vocabulary": '["a","b","c"]'}])}
    for name in rng.sample(names, rng.randrange(5)):
        head[name] = rng.choice(
            [
                value(rng),
                {"dtype": rng.choice(DTYPES), "shape": [number(rng), 4], "data_offsets": [number(rng), number(rng)]},
            ]
        )
    text = cut(rng, json.dumps(head).encode())
    return cut(rng, struct.pack("<Q", rng.choice([len(text), number(rng)])) + text + bytes(rng.randrange(400)))


def read_hand_ins(name, data):
    for i, file in enumerate(hand_in_files.begin(name, np.frombuffer(data, np.uint8))):
        found = Claim.of(json.loads(json.dumps(hand_in_files.claimed(i, [*EXERCISES], [*POINTS]))))
        assert len(file) <= hand_in_files.LONGEST
        yield found


def see_that_any_file_is_read_or_refused(seed, n):
    rng, read = random.Random(seed), 0
    for _ in range(n):
        for name, make in (("a.json", hand_in), ("a.zip", archive)):
            read += sum(isinstance(found, Claim) for found in read_hand_ins(name, make(rng)))
        with suppress(ValueError):
            parts_of(np.frombuffer(model(rng), np.uint8), 1 << 20)
        assert isinstance(plan_in(json.dumps(value(rng)) + rng.choice(["", "\n", "~"])), Plan)
    return read


@pytest.mark.parametrize("seed", range(2))
def test_any_file_is_read_or_refused(seed):
    assert see_that_any_file_is_read_or_refused(seed, 150) > 20


@pytest.mark.exhaustive
def test_any_file_that_nobody_has_seen_is_read_or_refused():
    seed = int.from_bytes(os.urandom(4))
    print(f"seed {seed}")
    see_that_any_file_is_read_or_refused(seed, 20_000)
