"""500 damaged GGUF files: each is read or refused with a ValueError, quickly and in little memory."""

import random
import struct

import numpy as np
import pytest

from attention_core.pretrained import PretrainedModel, open_gguf
from tests.core.model.archives import attempt
from tests.core.pretrained.files import FORMATS, MERGES, TOKENS, Stored, gguf, tiny
from tests.tiers import first

SOURCES = [tiny(form, tied=tied, layers=1) for form in FORMATS for tied in (True, False)]
NUMBERS = [0, 1, 2, 3, 7, 31, 32, 255, 4096, 65535, 2**31 - 1, 2**32 - 1, 2**32, 2**62, 2**63 - 1, 2**64 - 1]
VALUES = [*NUMBERS[:-4], -0.5, 0.0, 1e-30, 1e38, float("nan"), float("inf"), True, "", "llama", "9" * 999, [], ["a"]]
ARRAYS = [np.arange(3, dtype="i4"), np.zeros(len(TOKENS), "i4"), np.full(len(TOKENS), 3, "i4"), np.array([], "f4")]
LISTS = [TOKENS[1:], TOKENS[::-1], MERGES[::-1], ["", *TOKENS[1:]], ["�"] * 9, [str(i) for i in range(len(TOKENS))]]


def flipped(rng, source):
    """Write other bytes somewhere."""
    content = bytearray(source.content)
    for _ in range(rng.randint(1, 9)):
        content[rng.randrange(len(content))] = rng.choice([0, 1, 127, 128, 255, rng.randrange(256)])
    return bytes(content)


def header_flipped(rng, source):
    """Write a number where counts, lengths, types, shapes and offsets are."""
    content = bytearray(source.content)
    for _ in range(rng.randint(1, 2)):
        size = rng.choice([1, 4, 8])
        start = rng.choice([rng.randrange(4, 64), rng.randrange(len(content) // 3)])
        content[start : start + size] = (rng.choice(NUMBERS) % 256**size).to_bytes(size, "little")
    return bytes(content)


def cut(rng, source):
    """Leave out the end, or a part."""
    content, start = source.content, rng.randrange(len(source.content))
    return content[:start] + content[start + rng.choice([1, 2, 32, len(content)]) :]


def grown(rng, source):
    """Insert other bytes, or a part once more."""
    content = source.content
    start, other = rng.randrange(len(content)), rng.randrange(len(content))
    extra = rng.choice([rng.randbytes(rng.randint(1, 99)), content[other : other + rng.randint(1, 999)]])
    return content[:start] + extra + content[start:]


def value_rewritten(rng, source):
    """Give a value of the metadata another type or size, or leave it out."""
    key = rng.choice(sorted(source.metadata))
    given = rng.choice([*VALUES, *ARRAYS, *LISTS])
    metadata = source.metadata | {key: given}
    if rng.random() < 0.2:
        del metadata[key]
    return gguf(metadata, source.tensors)


def tensor_rewritten(rng, source):
    """Let a tensor claim another shape, format, name or offset."""
    name = rng.choice(sorted(source.tensors))
    shape, form, content = source.tensors[name]
    axes = [rng.choice([*NUMBERS, *shape]) for _ in range(rng.randint(1, 4))]
    changed = rng.choice(
        [
            Stored(tuple(axes), form, content),
            Stored(shape[::-1], form, content),
            Stored(shape, rng.choice([*FORMATS.values(), 12, 14, 2**31]), content),
            Stored(shape, form, content[: rng.randrange(len(content))]),
        ]
    )
    tensors = source.tensors | {rng.choice([name, name, name, "extra.weight"]): changed}
    offsets = {name: rng.choice([0, 32, 4096, 2**40, 2**64 - 32])} if rng.random() < 0.3 else None
    return gguf(source.metadata, tensors, offsets)


def numbers_rewritten(rng, source):
    """Fill a tensor with extreme numbers: the file is sound, and what it computes may not be."""
    name = rng.choice(sorted(source.tensors))
    pattern = rng.choice([b"\xff", b"\x7f", b"\0\x7c", b"\xff\x7b", struct.pack("<f", 3e38), rng.randbytes(32)])
    shape, form, content = source.tensors[name]
    changed = Stored(shape, form, (pattern * len(content))[: len(content)])
    return gguf(source.metadata, source.tensors | {name: changed})


KINDS = [flipped, header_flipped, cut, grown, value_rewritten, tensor_rewritten, numbers_rewritten]


@pytest.mark.parametrize("times", first(1, [72, 700]))  # for each of seven kinds of damage
@pytest.mark.parametrize("mutate", KINDS, ids=lambda mutate: mutate.__name__)
def test_a_damaged_file_is_read_or_refused(mutate, times, tmp_path):
    rng, outcomes, path = random.Random(mutate.__name__), [], tmp_path / "damaged.gguf"

    def use(file):
        path.write_bytes(file.getvalue())
        model = open_gguf(path, max_bytes=1 << 24)
        ids = model.encode("hello <|start|> 12 é")[: model.config.max_len]
        if ids:
            assert np.isfinite(model.logits(ids)).all()
            assert np.isfinite(model.attention(ids)).all()
        return model

    for _ in range(times):
        content = mutate(rng, rng.choice(SOURCES))
        outcomes.append(attempt(use, content))
        if isinstance(outcomes[-1], ValueError):
            assert "must" in str(outcomes[-1])
        else:
            assert outcomes[-1].config.vocab_size == len(outcomes[-1].tokeniser.tokens)
    refused = sum(isinstance(outcome, ValueError) for outcome in outcomes)
    assert times / 12 < refused
    assert all(isinstance(outcome, PretrainedModel | ValueError) for outcome in outcomes)


def test_what_the_damage_is_done_to_is_sound(tmp_path):
    for i, source in enumerate(SOURCES):
        path = tmp_path / f"{i}.gguf"
        path.write_bytes(source.content)
        assert open_gguf(path).encode("hello") == [TOKENS.index("hello")]
