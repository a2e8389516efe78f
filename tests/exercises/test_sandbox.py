"""The sandbox's own parts: its lists, its filter, and programs made of allowed names alone."""

import random
import struct
import sys
from unittest.mock import Mock

import numpy as np
import pytest

from pages.exercises import run
from pages.exercises.catalogue import EXERCISES
from pages.exercises.grading.grade import report
from pages.exercises.runner.slots import ForkingSlot
from pages.exercises.sandbox import lockdown, policy, source_limits
from tests.exercises.grounds import request

linux = pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel")


def verdict(machine, number, arguments=(0,) * 6, architecture=None, reply=1):
    """Run the filter as the kernel would, and return what it says of a system call."""
    program = lockdown.program(machine, reply)
    mark = lockdown.MARKS[machine] if architecture is None else architecture
    data = struct.pack("<iIQ6Q", number, mark, 0, *arguments)
    value, position = 0, 0
    while True:
        code, if_true, if_false, constant = struct.unpack_from("=HBBI", program, 8 * position)
        position += 1
        if code == lockdown.RETURN:
            return constant
        if code == lockdown.LOAD:
            value = struct.unpack_from("<I", data, constant)[0]
            continue
        test = {lockdown.EQUAL: value == constant, lockdown.AT_LEAST: value >= constant}
        position += if_true if test.get(code, bool(value & constant)) else if_false


@pytest.mark.parametrize("machine", lockdown.MARKS)
def test_the_filter_leaves_memory_and_one_pipe(machine):
    write, maps = lockdown.WRITE[machine], lockdown.MAPS[machine]
    assert verdict(machine, write, (1, 0, 0, 0, 0, 0)) == lockdown.ALLOW
    assert verdict(machine, write, (2, 0, 0, 0, 0, 0)) == lockdown.REFUSE
    for number in maps:
        assert verdict(machine, number, (0, 0, 3, 0, 0, 0)) == lockdown.ALLOW
        assert verdict(machine, number, (0, 0, 7, 0, 0, 0)) == lockdown.REFUSE
    allowed = {write, *maps, *lockdown.ALLOWED[machine]}
    for number in range(600):
        said = verdict(machine, number)
        if number in lockdown.KILLED[machine]:
            assert said == lockdown.KILL
        elif number not in allowed:
            assert said == lockdown.REFUSE
    assert not allowed & set(lockdown.KILLED[machine])


class Fixed:
    """Limits that nobody may change."""

    RLIM_INFINITY, RLIMIT_AS, RLIMIT_CORE = -1, 9, 4

    def __init__(self, memory):
        self.now = {self.RLIMIT_AS: (memory, memory), self.RLIMIT_CORE: (0, 0)}

    def setrlimit(self, which, pair):
        raise ValueError("not allowed to raise maximum limit")

    def getrlimit(self, which):
        return self.now[which]


def test_a_limit_holds_if_it_is_as_tight_as_was_asked_for_whoever_set_it(monkeypatch):
    most = 10**8 + lockdown.EXTRA_MEMORY
    for memory, held in ((most, True), (most - 1, True), (0, True), (most + 1, False), (-1, False)):
        monkeypatch.setattr(lockdown, "resource", Fixed(memory))
        assert lockdown.limit(10**8) is held
    monkeypatch.setattr(lockdown, "resource", Fixed(0))
    assert lockdown.limit(0) is False  # without knowing what is in use no limit of memory can be set
    monkeypatch.setattr(lockdown, "resource", None)
    assert lockdown.limit(10**8) is False


def test_what_a_process_computed_for_its_own_start_is_not_counted_against_the_program(monkeypatch):
    asked = []
    limits = Mock(
        RLIM_INFINITY=-1, RLIMIT_CPU=0, setrlimit=lambda *pair: asked.append(pair), getrlimit=lambda _: (0, 0)
    )
    monkeypatch.setattr(lockdown, "resource", limits)
    monkeypatch.setattr(lockdown.time, "process_time", lambda: 2.7)
    lockdown.limit(10**8)
    assert (limits.RLIMIT_CPU, (3, 4)) in asked


@pytest.mark.parametrize("machine", lockdown.MARKS)
def test_the_filter_kills_calls_of_another_architecture(machine):
    other = 0x40000003  # 32 bits
    assert verdict(machine, lockdown.WRITE[machine], (1, 0, 0, 0, 0, 0), other) == lockdown.KILL
    assert lockdown.X32 > 600
    assert verdict("x86_64", lockdown.X32 + 1, (1, 0, 0, 0, 0, 0)) == lockdown.KILL


def test_the_lists_hold_no_door():
    doors = policy.words(
        """
        load loads save savez savetxt savez_compressed loadtxt genfromtxt fromfile fromregex memmap DataSource tofile
    dump dumps resize view setflags ctypes data base frombuffer fromstring nditer frompyfunc lib core ctypeslib f2py
    as_strided format format_map encode send throw close gi_frame gi_code cr_frame tb_frame f_back f_globals
    with_traceback obj args add_note bit_generator formatter translate maketrans
        """
    )
    listed = policy.METHODS | policy.BUILTINS | {"print", "type"}
    for names in policy.MODULES.values():
        listed |= names
    assert listed & doors == {"format"}  # the function format(1.5, ".2f"), not the method
    assert "format" not in policy.METHODS
    assert not any(name.startswith("_") for name in listed)


def test_every_listed_name_of_numpy_is_there():
    for module in (np, np.linalg, np.random):
        assert [name for name in policy.MODULES[module.__name__] if not hasattr(module, name)] == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("x = 1\n\ty", None),
        ("é = 'ß ≤ √ 字 🙂'", None),
        ("(" * 41, "More than 40 brackets are open at once on line 1"),
        ("()" * 41, None),
        ("a\u202eb", "U+202E"),
        ("a\x00b", "U+0000"),
        ("a\ud800b", "U+D800"),
        ("\ufeffa", "U+FEFF"),
        ("a\x0cb", "U+000C"),
    ],
)
def test_a_text_is_looked_at_before_anything_parses_it(source, found):
    said = source_limits.problem(source)
    assert said is None if found is None else found in said


ATOMS = sorted(
    policy.words("""
x x.T x[0] 1.5 2 -1 0 [] [x] (x,1) {} "a" None True np.inf np.nan np.pi range(3) range(2) print type
np.float64 np.float32 np.int64 slice(1) np.newaxis ... len sum max (lambda:x) [1,2] np.eye(3) np.array(["a"])
""")
)


def nonsense(rng, depth=0):
    """Return an expression made of allowed names alone."""
    kind = rng.randrange(7 if depth < 3 else 1)
    inner = [nonsense(rng, depth + 1) for _ in range(rng.randint(0, 2))] if kind else []
    arguments = ", ".join(inner)
    if module := {1: "numpy", 4: "numpy.linalg", 5: "numpy.random"}.get(kind):
        return f"{module.replace('numpy', 'np')}.{rng.choice(sorted(policy.MODULES[module]))}({arguments})"
    if kind == 2:
        return f"({nonsense(rng, depth + 1)}).{rng.choice(sorted(policy.METHODS))}({arguments})"
    if kind == 3:
        return f"{rng.choice(sorted(policy.BUILTINS))}({arguments})"
    if kind == 6:
        operator = rng.choice(["+", "*", "@", "/", "**", "-", "<", "==", "in", "and", "%"])
        return f"({nonsense(rng, depth + 1)} {operator} {nonsense(rng, depth + 1)})"
    return rng.choice(ATOMS)


@linux
def test_programs_of_allowed_names_alone_neither_crash_nor_get_out():
    rng, exercise = random.Random(5), EXERCISES["softmax"]
    cases = exercise.cases(np.random.default_rng(5))[:1]
    slot = ForkingSlot()
    try:
        for _ in range(40):
            lines = [f"    try: y = {nonsense(rng)}; print(type(y))\n    except Exception: pass\n" for _ in range(12)]
            source = "def softmax(x):\n" + "".join(lines) + "    return x\n"
            answer = slot.ask(request(source, "softmax", cases))
            assert b"refused" not in answer.data, source
            assert answer.code == 0 or answer.code in (-24, -14), (answer, source)
            assert report(exercise, cases, answer).status in ("failed", "memory", "timeout", "stalled"), source
    finally:
        slot.close()


@linux
def test_nothing_that_is_allowed_leads_to_a_module_or_a_frame():
    source = """
def softmax(x):
    things = [x, x.T, x.dtype, x[0, 0], 1, 1.5, 1j, "a", [1], (1,), {1: 2}, {1}, range(3), slice(1), print, type, len,
              np, np.linalg, np.random, np.testing, np.add, np.sum, np.finfo(float), np.iinfo(int), np.ndarray,
              np.errstate(), np.random.default_rng(0), np.vectorize(abs), x.flat, math, softmax, lambda: 1,
              (i for i in x), np.ndindex(2), np.ndenumerate(x), np.dtype("f8,i4"), np.array([{}]), iter([1]),
              map(abs, x), zip(x), enumerate(x), np.float64, np.array(["a"]), ValueError(1), np.inf, None, True]
    found = []
    for thing in things:
        for read in reads:
            try:
                found.append(type(read(thing)))
            except Exception:
                pass
    print(*sorted(set(found)))
    return x
"""
    names = sorted(policy.METHODS)
    reads = "reads = [" + ",\n".join(f"lambda v: v.{name}" for name in names) + "]\n"
    found = run(reads + source, "softmax")
    assert found.status == "failed", found
    kinds = set(found.prints.split())
    assert {"int", "float", "numpy.ndarray", "builtin_function_or_method"} <= kinds
    assert kinds & {"module", "frame", "code", "traceback", "mappingproxy", "cell"} == set()
