"""The five number formats: blocks worked by hand, random ones by the definition, and the package gguf."""

import numpy as np
import pytest

from attention_core.pretrained.number_formats import BLOCKS_READ, NUMBER_FORMATS, dequantise
from tests.core.pretrained.files import FORMATS, random_tensor


def half(number):
    return np.float16(number).tobytes()


def read(form, content, shape):
    out = np.full(shape, np.nan, np.float32)
    dequantise("x", np.frombuffer(content, np.uint8), NUMBER_FORMATS[FORMATS[form]], out)
    return out


def test_four_bits_worked_by_hand():
    pairs = bytes([0x80, 0xF1, *[0x88] * 14])  # the low halves of the bytes come first: 0, 1, 8 ...; then 8, 15, 8 ...
    assert read("Q4_0", half(0.5) + pairs, 32).tolist() == [-4, -3.5, *[0] * 14, 0, 3.5, *[0] * 14]
    assert read("Q4_1", half(0.5) + half(3) + pairs, 32).tolist() == [3, 3.5, *[7] * 14, 7, 10.5, *[7] * 14]


def test_eight_bits_and_floats_worked_by_hand():
    content = half(0.25) + np.array([-128, 127, 4, *[0] * 29], np.int8).tobytes()
    assert read("Q8_0", content, 32).tolist() == [-32, 31.75, 1, *[0] * 29]
    assert read("F16", half(1.5) + half(-2), 2).tolist() == [1.5, -2]
    assert read("F32", np.array([1e30, -7], "<f4").tobytes(), 2).tolist() == [np.float32(1e30), -7]


@pytest.mark.parametrize("form", FORMATS)
def test_a_tensor_has_the_numbers_of_the_definition(form):
    stored, numbers = random_tensor(np.random.default_rng(1), (3, 7, 64), form, 0.7)
    np.testing.assert_allclose(read(form, stored.content, stored.shape), numbers, rtol=1e-6, atol=1e-7)


def test_a_tensor_of_more_blocks_than_are_read_at_a_time_is_complete():
    whole = np.arange(33 * 32 * (BLOCKS_READ // 16), dtype=np.int64) % 255 - 127
    blocks = b"".join(half(0.5) + row.astype(np.int8).tobytes() for row in whole.reshape(-1, 32))
    np.testing.assert_array_equal(read("Q8_0", blocks, len(whole)), whole / 2)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_refused(form, wrong):
    own = np.float32(wrong).tobytes() if form == "F32" else half(wrong)
    block = own + bytes(NUMBER_FORMATS[FORMATS[form]].record.itemsize - len(own))
    with pytest.raises(ValueError, match=r"^x must contain finite numbers"):
        read(form, block, NUMBER_FORMATS[FORMATS[form]].per_record)


@pytest.mark.parametrize("form", FORMATS)
def test_the_package_gguf_reads_the_same_numbers(form):
    gguf = pytest.importorskip("gguf")
    array = np.random.default_rng(2).standard_normal((5, 96)).astype(np.float32)
    kind = gguf.GGMLQuantizationType[form]
    content = gguf.quants.quantize(array, kind)
    theirs = gguf.quants.dequantize(content, kind)
    np.testing.assert_array_equal(read(form, content.tobytes(), array.shape), theirs)
