"""QR codes are read back here by a reader that shares nothing with the writer but the standard."""

import base64
import re

import numpy as np
import pytest

from pages.page import qr

LINK = "http://localhost:8501/qkv?qkv_step=softmax&qkv_text=caf%C3%A9%20%F0%9F%90%88&qkv_lock=seed"
DATA_BYTES = [16, 28, 44, 64, 86, 108, 124, 154, 182, 216]  # of level M, versions 1 to 10, as printed
SMALL_EYES = {
    2: [18],
    7: [6, 22, 38],
    14: [6, 26, 46, 66],
    32: [6, 34, 60, 86, 112, 138],
}  # as printed


def exponents():
    value, found = 1, []
    for _ in range(255):
        found.append(value)
        value = value * 2 if value < 128 else value * 2 ^ 285
    return found


EXP = exponents()
LOG = {value: k for k, value in enumerate(EXP)}


def evaluated(polynomial, k):
    """Return the value of a polynomial, highest power first, at the k-th power of 2."""
    total = 0
    for coefficient in polynomial:
        total = (EXP[(LOG[total] + k) % 255] if total else 0) ^ coefficient
    return total


def reserved(size):
    """Return where no data lie."""
    version = (size - 17) // 4
    taken = np.zeros((size, size), bool)
    taken[:9, :9] = taken[:9, -8:] = taken[-8:, :9] = True
    taken[6] = taken[:, 6] = True
    if version > 1:
        middles = [6, *(y for y in range(8, size) if is_middle(y, version, size))]
        for y in middles:
            for x in middles:
                if (y, x) not in ((6, 6), (6, size - 7), (size - 7, 6)):
                    taken[y - 2 : y + 3, x - 2 : x + 3] = True
    if version >= 7:
        taken[:6, size - 11 : size - 8] = taken[size - 11 : size - 8, :6] = True
    return taken


def is_middle(y, version, size):
    """Tell whether a small eye has its middle in this row: evenly back from the last, by steps that are even."""
    n = version // 7 + 2
    step = 26 if version == 32 else 2 * -(-(4 * version + 4) // (2 * (n - 1)))
    return (size - 7 - y) % step == 0 and y >= size - 7 - (n - 2) * step


def read(squares):
    """Return the text of a code, every check made."""
    size = len(squares)
    version = (size - 17) // 4
    places = [(8, x) for x in (0, 1, 2, 3, 4, 5, 7, 8)] + [(y, 8) for y in (7, 5, 4, 3, 2, 1, 0)]
    again = [(y, 8) for y in range(size - 1, size - 8, -1)] + [(8, x) for x in range(size - 8, size)]
    first, second = (int("".join(str(int(squares[place])) for place in both), 2) for both in (places, again))
    assert first == second
    assert squares[size - 8, 8]
    form = first ^ 0b101010000010010
    assert form >> 13 == 0b00, "not level M"
    mask, rest = form >> 10 & 7, form
    for bit in range(14, 9, -1):
        rest ^= (rest >> bit & 1) * (0b10100110111 << bit - 10)
    assert rest == 0, "the format's own checks fail"

    i, j = np.indices(squares.shape)
    rule = [(i + j) % 2, i % 2, j % 3, (i + j) % 3, (i // 2 + j // 3) % 2, (i * j) % 2 + (i * j) % 3]
    rule += [((i * j) % 2 + (i * j) % 3) % 2, ((i + j) % 2 + (i * j) % 3) % 2]
    plain = squares ^ (rule[mask] == 0)
    taken, bits, upward = reserved(size), [], True
    for right in [*range(size - 1, 6, -2), 5, 3, 1]:
        for y in range(size - 1, -1, -1) if upward else range(size):
            bits += [plain[y, x] for x in (right, right - 1) if not taken[y, x]]
        upward = not upward
    words = np.packbits(np.array(bits[: len(bits) // 8 * 8])).tolist()

    n_blocks, n_checks = qr.BLOCKS[version - 1], qr.CHECKS[version - 1]
    n_data = len(words) - n_blocks * n_checks
    short, n_long = divmod(n_data, n_blocks)
    blocks = [[] for _ in range(n_blocks)]
    stream = iter(words)
    for k in range(short + (n_long > 0)):
        for block in blocks if k < short else blocks[n_blocks - n_long :]:
            block.append(next(stream))
    data = [word for block in blocks for word in block]
    for _ in range(n_checks):
        for block in blocks:
            block.append(next(stream))
    for block in blocks:
        assert [evaluated(block, k) for k in range(n_checks)] == [0] * n_checks, "a block's checks fail"

    text = "".join(f"{word:08b}" for word in data)
    assert text[:4] == "0100"
    wide = 8 if version < 10 else 16
    length = int(text[4 : 4 + wide], 2)
    body = text[4 + wide : 4 + wide + 8 * length]
    return int(body or "0", 2).to_bytes(length, "big").decode()


@pytest.mark.parametrize("version", [1, 2, 6, 7, 9, 10, 14, 22, 32, 36, 39, 40])
def test_a_text_that_fills_a_version_is_read_back_and_one_more_byte_takes_the_next(version):
    most = max(n for n in range(qr.capacity(version)) if qr.fits(n, version))
    text = "".join(chr(33 + k * 7 % 90) for k in range(most))
    squares = qr.code(text)
    assert len(squares) == 17 + 4 * version
    assert read(squares) == text
    if version < 40:
        assert len(qr.code(text + "+")) == 17 + 4 * (version + 1)


@pytest.mark.parametrize("text", ["a", LINK, "köszönöm", "🐈" * 40])
def test_any_text_is_read_back(text):
    assert read(qr.code(text)) == text


def test_sizes_are_those_that_the_standard_prints():
    assert [qr.capacity(version) for version in range(1, 11)] == DATA_BYTES
    for version, middles in SMALL_EYES.items():
        assert sorted({y for y, _ in qr.alignments(version)} - {6} | {6} & set(middles)) == middles


def test_a_damaged_code_is_not_read():
    squares = qr.code(LINK).copy()
    squares[12, 12:20] ^= True
    with pytest.raises(AssertionError, match="checks fail"):
        read(squares)


def test_a_text_that_is_too_long_has_no_picture_and_is_refused():
    assert qr.picture("a" * 2331, "x")
    assert qr.picture("a" * 2332, "x") == ""
    with pytest.raises(ValueError, match="at most 2,331 bytes, got 2,332"):
        qr.code("a" * 2332)


def test_the_picture_has_a_white_rim_and_the_squares_of_the_code_and_says_what_it_is():
    image = qr.picture(LINK, 'of "this" & that')
    assert 'alt="of &quot;this&quot; &amp; that"' in image
    svg = base64.b64decode(re.search(r"base64,([^\"]+)", image)[1]).decode()
    drawn = {(int(y), int(x)) for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", svg)}
    assert drawn == {(y + 4, x + 4) for y, x in np.argwhere(qr.code(LINK))}
    assert f'viewBox="0 0 {len(qr.code(LINK)) + 8} {len(qr.code(LINK)) + 8}"' in svg
