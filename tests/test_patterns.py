"""Regular expressions: whatever text they read, four times its length costs about four times the processor time."""

import importlib
import pkgutil
import re
import signal
import string
import time
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

import pytest

import attention_core
import pages

ROOT = Path(__file__).parent.parent
LENGTH, TIMES = 400, 4  # the longer text has so many times as many characters
MOST = 2.2 * TIMES  # of its cost; where every start reads on to the end, it costs TIMES² as much
NEVER = 2.0  # seconds of processor time, after which a pattern is broken off
IN_A_ROW = 8  # parts that are repeated together: more are alternatives, as the terms of the glossary
ENDS = ("", "\0", "x")
WHOLE = ("scene.PAINT", "slots.ENDED")  # read by fullmatch alone
# These read what ships with the course, once.
OUR_OWN = {"attention_core/text/stories.py", "pages/look/modules.py", "pages/reproduce/script.py"}


def inside(value, depth=3):
    """Return the patterns in a value, also in a table of tables; what a session keeps may contain itself."""
    if isinstance(value, re.Pattern):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, tuple | list) else ()
    return [pattern for part in parts for pattern in inside(part, depth - 1)] if depth else []


def patterns():
    """Return every pattern that a module of the course has under a name, by its name."""
    found = {}
    for package in (attention_core, pages):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".sandbox." not in module.name and not module.name.removeprefix("pages.")[0].isdigit():
                own = vars(importlib.import_module(module.name))
                for name in [name for name in own if not name.startswith("__")]:
                    found |= dict.fromkeys(inside(own[name]), f"{module.name}.{name}")
    return found


def parts(parsed):
    """Return texts that the parts of a pattern match, one for each; letters in a row are one part."""
    found = []
    for is_literal, run in groupby(parsed, lambda part: str(part[0]) == "LITERAL"):
        if is_literal:
            found.append("".join(chr(value) for _, value in run))
            continue
        for kind, value in run:
            if str(kind) in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT", "SUBPATTERN"):
                found += parts(value[-1])
            elif str(kind) == "ATOMIC_GROUP":
                found += parts(value)
            elif str(kind) == "BRANCH":
                found += [text for branch in value[1] for text in parts(branch)]
            elif str(kind) in ("IN", "ANY", "NOT_LITERAL"):
                one = re._compiler.compile(re._parser.SubPattern(parsed.state, [(kind, value)]))
                found.append(next(sample for sample in string.printable + "é₁" if one.fullmatch(sample)))
    return found


def hostile(pattern):
    """Return a beginning, a piece to repeat and an end for each hostile text that a pattern's own parts make."""
    is_text = isinstance(pattern.pattern, str)
    own = parts(re._parser.parse(pattern.pattern if is_text else pattern.pattern.decode()))
    runs = [(own[:i], own[i:j]) for i in range(len(own)) for j in range(i + 1, min(i + IN_A_ROW, len(own)) + 1)]
    texts = {("".join(before), "".join(run)) for start, run in runs for before in (start, ())}
    return [(before, piece, end) for before, piece in sorted(texts) if piece for end in ENDS]


def reader(pattern, name):
    whole = name.endswith(WHOLE)
    encoded = (lambda text: text.encode()) if isinstance(pattern.pattern, bytes) else str
    return lambda text: pattern.fullmatch(encoded(text)) if whole else list(pattern.finditer(encoded(text)))


def cost(read, text):
    start = time.thread_time()
    read(text)
    return time.thread_time() - start


def growth(read, before, piece, end, length=LENGTH):
    """Return how many times the cost of a hostile text is that of one of a part of its length, where it is most."""
    texts = [before + piece * (size // len(piece) + 1) + end for size in (length, TIMES * length)]
    least = [cost(read, text) for text in texts]
    for _ in range(9):
        if least[1] <= MOST * least[0]:
            return least[1] / least[0]
        least = [min(known, cost(read, text)) for known, text in zip(least, texts, strict=True)]
    longer = TIMES * length  # what grows with the square of the length goes on to do so; a short text is soon read
    return growth(read, before, piece, end, longer) if length == LENGTH else least[1] / least[0]


@contextmanager
def broken_off():
    """Break off what does not end: re looks for signals while it searches."""

    def stop(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, NEVER)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="POSIX")
def test_no_pattern_reads_a_hostile_text_more_than_once():
    slow = {}
    for pattern, name in patterns().items():
        read = reader(pattern, name)
        for attack in hostile(pattern):
            try:
                with broken_off():
                    grown = growth(read, *attack)
            except TimeoutError:
                grown = float("inf")
            if grown > MOST:
                slow[f"{name} {pattern.pattern!r}"] = (*attack, grown)
    assert not slow


def test_every_pattern_has_a_name():
    inline = re.compile(
        r"\bre\.(?:subn?|search|match|fullmatch|split|findall|finditer)\(|^ +(?:return|\w+ =) .*\bre\.compile\(", re.M
    )
    for folder in ("attention_core", "pages"):
        for path in (ROOT / folder).rglob("*.py"):
            if path.relative_to(ROOT).as_posix() not in OUR_OWN:
                assert not inline.search(path.read_text(encoding="utf-8")), path
