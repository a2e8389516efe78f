"""Number formats of GGUF files: float32, float16, and blocks of 32 small integers with a common float16 scale."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array

PER_BLOCK = 32  # numbers in a block
BLOCKS_READ = 1 << 13  # blocks; the intermediate arrays then stay in the processor's cache

PLAIN_32 = np.dtype([("values", "<f4", (1,))])
PLAIN_16 = np.dtype([("values", "<f2", (1,))])
BLOCK_8 = np.dtype([("scale", "<f2"), ("values", "i1", PER_BLOCK)])
BLOCK_4 = np.dtype([("scale", "<f2"), ("pairs", "u1", PER_BLOCK // 2)])
BLOCK_4_LEAST = np.dtype([("scale", "<f2"), ("least", "<f2"), ("pairs", "u1", PER_BLOCK // 2)])


class NumberFormat(NamedTuple):
    """How a tensor is stored: one record for each block, and the function that reads records."""

    name: str
    record: np.dtype[np.void]
    per_record: int  # numbers in a record
    read: Callable[[Array, Array], None]  # from records (N,) into float32 (N, per_record)


def read_plain(records: Array, out: Array) -> None:
    """Convert floats to float32."""
    out[...] = records["values"]


def read_8_bits(records: Array, out: Array) -> None:
    """Write scale * q for 32 integers q from -128 to 127."""
    np.multiply(records["values"], as_column(records["scale"]), out=out)


def read_4_bits(records: Array, out: Array) -> None:
    """Write scale * (q - 8) for 32 integers q from 0 to 15."""
    split_pairs(records["pairs"], out)
    out -= 8
    out *= as_column(records["scale"])


def read_4_bits_least(records: Array, out: Array) -> None:
    """Write scale * q + least for 32 integers q from 0 to 15."""
    split_pairs(records["pairs"], out)
    out *= as_column(records["scale"])
    out += as_column(records["least"])


def split_pairs(pairs: Array, out: Array) -> None:
    """Write both integers of each byte: the low four bits belong to the first half of the block."""
    out[:, : PER_BLOCK // 2] = pairs & 15
    out[:, PER_BLOCK // 2 :] = pairs >> 4


def as_column(scales: Array) -> Array:
    """Return one float16 for each block as float32 (N, 1)."""
    return scales.astype(np.float32)[:, None]


NUMBER_FORMATS = {  # by the number that stands for each in a file
    0: NumberFormat("F32", PLAIN_32, 1, read_plain),
    1: NumberFormat("F16", PLAIN_16, 1, read_plain),
    2: NumberFormat("Q4_0", BLOCK_4, PER_BLOCK, read_4_bits),
    3: NumberFormat("Q4_1", BLOCK_4_LEAST, PER_BLOCK, read_4_bits_least),
    8: NumberFormat("Q8_0", BLOCK_8, PER_BLOCK, read_8_bits),
}


def dequantise(name: str, content: Array, form: NumberFormat, out: Array) -> None:
    """Write the numbers of a tensor (its bytes) into a float32 array; raise ValueError at NaN or infinity."""
    records = content.view(form.record)
    rows = out.reshape(len(records), form.per_record)
    floats = [field for field in form.record.names or () if form.record[field].base.kind == "f"]
    step = BLOCKS_READ * PER_BLOCK // form.per_record
    for start in range(0, len(records), step):
        part = records[start : start + step]
        if not all(np.isfinite(part[field]).all() for field in floats):
            raise ValueError(f"{name} must contain finite numbers, got NaN or infinity")
        form.read(part, rows[start : start + step])
