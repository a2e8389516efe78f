"""What strangers bring: files as they should be, with parts that are odd; each is read or refused with a reason."""

import json
import os
import random
from contextlib import suppress

import numpy as np
import pytest

from pages.exercises.catalogue import EXERCISES
from pages.practice.hand_in import Claim
from pages.practice.hand_in_files import LONGEST
from pages.server.model_file import parts_of
from pages.teaching.plan import Plan, plan_in
from tests.app.practice.handing_in import TASK, archive, files_in, hand_in
from tests.core.model.test_damaged_checkpoints import HEADER, packed

ODD = (0, 1, 2, 7, 12, 14, 99, 255, 2**15, 2**16 - 1, 2**31, 2**32 - 1, -1e308, True, None)
NAMES = ("", "a.json", "../a", "é\ud800", "__MACOSX/x", "d/", "a" * 999, "\0", "F16")


def value(rng, depth=0):
    """Return anything that JSON can say."""
    if depth > 4 or rng.random() < 0.6:
        return rng.choice(ODD + NAMES)
    parts = [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return rng.choice([parts, {rng.choice(NAMES): part for part in parts}])


def spoilt(rng, thing):
    """Return what JSON says with one of its parts another."""
    if not thing or not isinstance(thing, dict) or rng.random() < 0.1:
        return value(rng)
    part = rng.choice([*thing, *NAMES])
    return thing | {part: spoilt(rng, thing.get(part))}


def damaged(rng, data):
    """Return bytes with odd numbers in some places, now and then without a part."""
    for _ in range(rng.randrange(4)):
        place, size = rng.randrange(len(data)), rng.choice([1, 2, 4])
        data = data[:place] + int(rng.choice(ODD[:12]) % 256**size).to_bytes(size, "little") + data[place + size :]
    place = rng.randrange(len(data))
    return data[:place] + data[place + rng.choice([0, 0, 0, 9]) :]


def see_that_any_file_is_read_or_refused(seed, n):
    rng, read = random.Random(seed), 0
    program = {next(iter(EXERCISES)): "x"}
    right = json.loads(hand_in(programs=program, points={TASK: 7}, answers={"a": "b"}, seeds={"qkv": "1"}))
    for _ in range(n):
        files = [json.dumps(rng.choice([right, spoilt(rng, right)])).encode() for _ in range(3)]
        names = [f"{rng.choice(NAMES[:-2])}{i}".encode(errors="replace").decode() for i in range(3)]
        brought = archive(**dict(zip(names, files, strict=True)))
        for name, data in (("a.json", damaged(rng, files[0])), ("a.zip", damaged(rng, brought))):
            for file, found in files_in(name, data):
                read += isinstance(found, Claim)
                assert len(file) <= LONGEST
        with suppress(ValueError):
            config = json.dumps(spoilt(rng, json.loads(HEADER["__metadata__"]["config"])))
            head = HEADER | {"__metadata__": HEADER["__metadata__"] | {"config": config}}
            model = damaged(rng, packed(rng.choice([HEADER, head, spoilt(rng, HEADER)])))
            _, _, numbers, _ = parts_of(np.frombuffer(model, np.uint8), 1 << 20)
            assert np.isfinite(numbers).all()
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
