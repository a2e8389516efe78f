"""The globals of students' code: safe stand-ins for NumPy and mathematics, and a few builtins."""

import builtins
import math
import sys

import numpy as np
import policy
from rewrite import hidden_name
from source_limits import clean

MAX_PRINTED = 4000
CUT = "\n... output cut here"


class Module:
    """A stand-in for a module, which has what is in the module's list and nothing else."""

    def __init__(self, name: str, members: dict) -> None:
        self.__dict__.update(members)
        self.__name__ = name

    def __repr__(self) -> str:
        return f"<module {self.__name__!r}>"


class ArrayType(type):
    """Lets `isinstance(x, np.ndarray)` work without handing out the type itself, which reaches into memory."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, np.ndarray)

    def __call__(cls, *_: object, **__: object) -> None:
        """Refuse to make an array of unchecked memory."""
        raise TypeError("np.ndarray works in isinstance(x, np.ndarray) only: use np.zeros or np.array")


class ndarray(metaclass=ArrayType):
    """The type of arrays, for `isinstance` alone."""


class Printed:
    """The program's output, up to a limit."""

    def __init__(self) -> None:
        self.text = ""

    def print(self, *values: object, sep: str | None = " ", end: str | None = "\n", flush: bool = False) -> None:
        for name, given in (("sep", sep), ("end", end)):
            if not isinstance(given, str | None):
                raise TypeError(f"{name} must be None or a string, not {type(given).__name__}")
        line = (" " if sep is None else sep).join(str(value) for value in values) + ("\n" if end is None else end)
        if len(self.text) < MAX_PRINTED:
            self.text += line[: MAX_PRINTED + 1 - len(self.text)]
        del flush

    def shown(self) -> str:
        return clean(self.text, MAX_PRINTED) + (CUT if len(self.text) > MAX_PRINTED else "")


def visible(array: np.ndarray) -> np.ndarray:
    """Fill an array with values that cannot be mistaken for an answer."""
    if array.dtype.kind in "fc":
        array.fill(np.nan)
    elif array.dtype.kind in "iu":
        array.fill(np.iinfo(array.dtype).min if array.dtype.kind == "i" else np.iinfo(array.dtype).max)
    else:
        array = np.zeros_like(array)
    return array


def empty(shape: object, dtype: object = float) -> np.ndarray:
    """Return a new array in which cells never written can be seen."""
    return visible(np.empty(shape, dtype))


def empty_like(prototype: object, dtype: object = None) -> np.ndarray:
    return visible(np.empty_like(prototype, dtype, subok=False))


def assert_allclose(actual: object, desired: object, rtol: float = 1e-7, atol: float = 0, **_: object) -> None:
    if not np.allclose(actual, desired, rtol=rtol, atol=atol, equal_nan=True):
        raise AssertionError("Not equal to tolerance")


def assert_array_equal(actual: object, desired: object, **_: object) -> None:
    if not np.array_equal(np.asarray(actual), np.asarray(desired)):
        raise AssertionError("Arrays are not equal")


def assert_almost_equal(actual: object, desired: object, decimal: int = 7, **_: object) -> None:
    assert_allclose(actual, desired, rtol=0, atol=1.5 * 10.0**-decimal)


TESTING = {
    "assert_allclose": assert_allclose,
    "assert_array_equal": assert_array_equal,
    "assert_equal": assert_array_equal,
    "assert_almost_equal": assert_almost_equal,
    "assert_array_almost_equal": assert_almost_equal,
}


def available(module: object, names: set[str]) -> dict:
    """Return those names that this version of a module has."""
    return {name: getattr(module, name) for name in names if hasattr(module, name)}


def modules() -> dict[str, Module]:
    """Return the stand-ins by the modules' full names."""
    parts = {"numpy.linalg": np.linalg, "numpy.random": np.random, "math": math}
    found = {name: Module(name, available(module, policy.MODULES[name])) for name, module in parts.items()}
    found["numpy.testing"] = Module("numpy.testing", TESTING)
    own = {"empty": empty, "empty_like": empty_like, "ndarray": ndarray}
    inner = {name: found[full] for (_, name), full in policy.SUBMODULES.items()}
    found["numpy"] = Module("numpy", available(np, policy.MODULES["numpy"] - own.keys() - inner.keys()) | own | inner)
    return found


MODULES = modules()


def kind_of(value: object) -> str:
    """Return the name of a value's type. The type itself would give access to everything else."""
    kind = builtins.type(value)
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


def find_loaded(name: str, *_: object) -> object:
    """Return what C code imports with the caller's globals: parts of NumPy, and `warnings` since Python 3.13.

    No text comes here by itself: each import in it was checked before, and none may say `__import__`.
    """
    if name in sys.modules and name.partition(".")[0] in ("numpy", "warnings"):
        return sys.modules[name]
    raise ImportError(f"{name} is not available")


def fresh(printed: Printed) -> dict:
    offered = {name: getattr(builtins, name) for name in policy.BUILTINS}
    offered |= {"print": printed.print, "type": kind_of, "__import__": find_loaded}
    at_hand = {name: MODULES[module] for name, module in policy.AT_HAND.items()}
    hidden = {hidden_name(name): module for name, module in MODULES.items()}
    return {"__builtins__": offered, "__name__": "__main__"} | at_hand | hidden
