"""QR codes, drawn here and asked of nobody: a link as black and white squares (ISO/IEC 18004, bytes, level M)."""

from base64 import b64encode
from collections.abc import Iterator
from functools import lru_cache
from html import escape

import numpy as np
from numpy.typing import NDArray

Squares = NDArray[np.bool_]  # (size, size), True = dark

# For versions 1 to 40 of level M: check bytes of a block, and blocks.
CHECKS = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26] + 19 * [28]
BLOCKS = [
    *(1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16),
    *(17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49),
]
MASKS = (
    lambda i, j: (i + j) % 2,
    lambda i, j: i % 2,
    lambda i, j: j % 3,
    lambda i, j: (i + j) % 3,
    lambda i, j: (i // 2 + j // 3) % 2,
    lambda i, j: i * j % 2 + i * j % 3,
    lambda i, j: (i * j % 2 + i * j % 3) % 2,
    lambda i, j: ((i + j) % 2 + i * j % 3) % 2,
)  # a square is turned over where its mask is 0
LIKE_A_FINDER = np.array([1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0], bool)
QUIET = 4  # white squares around
LAST = 40  # the largest version


def picture(text: str, alt: str) -> str:
    """Return the code of a text as an image for a page, or nothing if the text is too long for one."""
    if not fits(len(text.encode()), LAST):
        return ""
    squares = np.pad(code(text), QUIET)
    size = len(squares)
    dark = "".join(f"M{x} {y}h1v1h-1z" for y, x in np.argwhere(squares))
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" shape-rendering="crispEdges">'
        f'<path fill="#fff" d="M0 0h{size}v{size}H0z"/><path d="{dark}"/></svg>'
    )
    return f'<img alt="{escape(alt)}" src="data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}">'


@lru_cache(maxsize=32)
def code(text: str) -> Squares:
    """Return the smallest code that holds a text, under the mask that is easiest to read."""
    data = text.encode()
    if not fits(len(data), LAST):
        raise ValueError(f"a QR code holds at most {capacity(LAST) - 3:,} bytes, got {len(data):,}")
    version = next(version for version in range(1, LAST + 1) if fits(len(data), version))
    squares, fixed = frame(version)
    squares[tuple(zip(*free_places(fixed), strict=True))] = stream(data, version)
    i, j = np.indices(squares.shape)
    masked = [
        with_format(np.where(fixed, squares, squares ^ (rule(i, j) == 0)), mask) for mask, rule in enumerate(MASKS)
    ]
    return min(masked, key=penalty)


def capacity(version: int) -> int:
    """Return how many bytes of data a version holds, its head included."""
    return room(version) // 8 - CHECKS[version - 1] * BLOCKS[version - 1]


def fits(n_bytes: int, version: int) -> bool:
    """Tell whether a version holds so many bytes and the head before them: four bits of mode, and their number."""
    return 4 + length_bits(version) + 8 * n_bytes <= 8 * capacity(version)


def length_bits(version: int) -> int:
    """Return how many bits say the number of bytes."""
    return 8 if version < 10 else 16


def room(version: int) -> int:
    """Return how many squares are free for data and checks."""
    free = (16 * version + 128) * version + 64
    if version >= 2:
        n = version // 7 + 2
        free -= (25 * n - 10) * n - 55
    return free - 36 * (version >= 7)


def stream(data: bytes, version: int) -> NDArray[np.bool_]:
    """Return all bits to be laid: mode, length, data, filling and checks, the blocks dealt out in turns."""
    head = f"0100{len(data):0{length_bits(version)}b}" + "".join(f"{byte:08b}" for byte in data)
    head += "0" * min(4, 8 * capacity(version) - len(head))
    head += "0" * (-len(head) % 8)
    words = [int(head[start : start + 8], 2) for start in range(0, len(head), 8)]
    words += [(0xEC, 0x11)[k % 2] for k in range(capacity(version) - len(words))]
    n_blocks, n_checks = BLOCKS[version - 1], CHECKS[version - 1]
    short, n_long = divmod(len(words), n_blocks)
    sizes = [short] * (n_blocks - n_long) + [short + 1] * n_long
    ends = np.cumsum(sizes)
    blocks = [words[end - size : end] for size, end in zip(sizes, ends, strict=True)]
    checks = [remainder(block, n_checks) for block in blocks]
    dealt = [part[k] for parts in (blocks, checks) for k in range(len(parts[-1])) for part in parts if k < len(part)]
    bits = np.unpackbits(np.array(dealt, np.uint8)).astype(bool)
    return np.pad(bits, (0, room(version) - len(bits)))


def powers() -> list[int]:
    """Return the powers of 2 in the field of 256 elements, as often as a sum of two logarithms may need."""
    found = [1]
    for _ in range(509):
        doubled = found[-1] << 1
        found.append(doubled ^ (doubled >> 8) * 0x11D)
    return found


POWER = powers()
LOGARITHM = {power: k for k, power in enumerate(POWER[:255])}


def times(a: int, b: int) -> int:
    """Return the product of two bytes in that field."""
    return POWER[LOGARITHM[a] + LOGARITHM[b]] if a and b else 0


@lru_cache
def generator(n_checks: int) -> list[int]:
    """Return the polynomial with as many roots as there are check bytes, without its leading 1."""
    divisor = [0] * (n_checks - 1) + [1]
    for k in range(n_checks):
        divisor = [times(one, POWER[k]) ^ other for one, other in zip(divisor, [*divisor[1:], 0], strict=True)]
    return divisor


def remainder(block: list[int], n_checks: int) -> list[int]:
    """Return the check bytes of a block: what is left of it after division by the generator (Reed and Solomon)."""
    rest = [0] * n_checks
    for byte in block:
        factor = byte ^ rest[0]
        rest = [one ^ times(part, factor) for one, part in zip([*rest[1:], 0], generator(n_checks), strict=True)]
    return rest


def frame(version: int) -> tuple[Squares, Squares]:
    """Return what every code of a version has: its squares, and where they are fixed."""
    size = 17 + 4 * version
    squares, fixed = np.zeros((size, size), bool), np.zeros((size, size), bool)
    i, j = np.indices((size, size))
    squares[6], squares[:, 6] = j[6] % 2 == 0, j[6] % 2 == 0  # the ruler
    fixed[6] = fixed[:, 6] = True
    for y, x in ((3, 3), (3, size - 4), (size - 4, 3)):  # the three eyes
        away = np.maximum(abs(i - y), abs(j - x))
        squares, fixed = np.where(away <= 4, (away != 2) & (away != 4), squares), fixed | (away <= 4)
    for y, x in alignments(version):
        away = np.maximum(abs(i - y), abs(j - x))
        squares, fixed = np.where(away <= 2, away != 1, squares), fixed | (away <= 2)
    fixed[8, :9] = fixed[:9, 8] = fixed[8, -8:] = fixed[-8:, 8] = True  # for the format
    if version >= 7:
        bits = with_checks(version, 12, 0x1F25)
        for k in range(18):
            y, x = k // 3, size - 11 + k % 3
            squares[y, x] = squares[x, y] = bits >> k & 1
            fixed[y, x] = fixed[x, y] = True
    return squares, fixed


def alignments(version: int) -> list[tuple[int, int]]:
    """Return the middles of the small eyes."""
    if version == 1:
        return []
    n, last = version // 7 + 2, 10 + 4 * version
    step = (version * 8 + n * 3 + 5) // (n * 4 - 4) * 2
    middles = [6, *(last - step * k for k in reversed(range(n - 1)))]
    return [(y, x) for y in middles for x in middles if (y, x) not in ((6, 6), (6, last), (last, 6))]


def free_places(fixed: Squares) -> Iterator[tuple[int, int]]:
    """Yield the places for data: up and down, two columns at a time, from the right."""
    size = len(fixed)
    rights = [right - (right <= 6) for right in range(size - 1, 0, -2)]  # the ruler's column is passed over
    for number, right in enumerate(rights):
        for y in range(size) if number % 2 else reversed(range(size)):
            for x in (right, right - 1):
                if not fixed[y, x]:
                    yield y, x


def with_checks(value: int, n_checks: int, generator: int) -> int:
    """Return a number with its check bits behind it (BCH)."""
    rest = value
    for _ in range(n_checks):
        rest = rest << 1 ^ (rest >> n_checks - 1) * generator
    return value << n_checks | rest


def with_format(squares: Squares, mask: int) -> Squares:
    """Return squares with the format written in: level M, and which mask."""
    bits = with_checks(mask, 10, 0x537) ^ 0x5412  # level M is 00
    flags = [bool(bits >> k & 1) for k in range(15)]
    squares = squares.copy()
    squares[[0, 1, 2, 3, 4, 5, 7, 8], 8] = flags[:8]
    squares[8, [7, 5, 4, 3, 2, 1, 0]] = flags[8:]
    squares[8, -1:-9:-1] = flags[:8]
    squares[-7:, 8] = flags[8:]
    squares[-8, 8] = True
    return squares


def penalty(squares: Squares) -> float:
    """Return how hard a code is to read: long runs, blocks, look-alikes of an eye, too dark or too light."""
    total = 10.0 * int(abs(squares.mean() - 0.5) * 20)
    same = (squares[1:] == squares[:-1])[:, 1:] & (squares[1:] == squares[:-1])[:, :-1]
    total += 3 * np.count_nonzero(same & (squares[1:, 1:] == squares[1:, :-1]))
    for lines in (squares, squares.T):
        for line in lines:
            runs = np.diff(np.flatnonzero(np.concatenate(([True], line[1:] != line[:-1], [True]))))
            total += (runs[runs >= 5] - 2).sum()
        windows = np.lib.stride_tricks.sliding_window_view(np.pad(lines, ((0, 0), (4, 4))), 11, axis=1)
        total += 40 * sum((windows == pattern).all(-1).sum() for pattern in (LIKE_A_FINDER, LIKE_A_FINDER[::-1]))
    return float(total)
