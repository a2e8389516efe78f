"""Argument checks of the public functions: each ValueError names the argument, the rule and the value seen."""

from collections.abc import Callable

import numpy as np

from attention_core.arrays import Array

LARGEST = 1e30  # largest magnitude accepted for a number: it is still finite in float32
EXACT = 2**53  # whole numbers up to this are floats too


def regular(name: str, x: object) -> Array:
    """Return x as an array; raise ValueError if its rows differ in length, or if it is, or contains, a masked one."""
    if any(map(np.ma.isMaskedArray, x if isinstance(x, list | tuple) else [x])):
        raise ValueError(f"{name} must not be a masked array, because its mask would be lost, got {type(x).__name__}")
    try:
        return np.asarray(x)
    except ValueError:
        raise ValueError(f"{name} must be a regular array, got rows of different lengths") from None


def floats(name: str, x: object, *, ndim: int = 0) -> Array:
    """Return x as an array of real floats; raise ValueError if it has fewer than `ndim` axes."""
    array = regular(name, x)
    if array.dtype.kind in "biu":
        if array.size and (array.max() > EXACT or array.min() < -EXACT):
            raise ValueError(f"{name} must contain whole numbers up to 2**53, got {array.min()} to {array.max()}")
        array = array.astype(np.float64)
    if array.dtype.kind == "f":
        array = array.astype(array.dtype.newbyteorder("="), copy=False)  # ">f2" is no float16 to NumPy
    if array.dtype == np.float16:
        array = array.astype(np.float32)  # sums in a softmax overflow float16
    if array.dtype.kind != "f":
        raise ValueError(f"{name} must have a type of real numbers of NumPy itself, got dtype {array.dtype}")
    if array.ndim < ndim:
        raise ValueError(f"{name} must have at least {ndim} axes, got shape {array.shape}")
    return array


def integer(name: str, value: object, low: int, high: int | None = None) -> int:
    """Return value as an int; raise ValueError unless it is a whole number between low and high."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise ValueError(f"{name} must be a whole number, got {value!r}")
    if value < low or (high is not None and value > high):
        limits = f"at least {low}" if high is None else f"between {low} and {high}"
        raise ValueError(f"{name} must be {limits}, got {value}")
    return int(value)


def real(
    name: str, value: object, rule: str = "a finite number", allowed: Callable[[float], bool] = lambda value: True
) -> float:
    """Return value as a float; raise ValueError with the rule unless it is finite and allowed."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not (is_number and abs(value) <= LARGEST and allowed(value)):  # type: ignore[arg-type]
        raise ValueError(f"{name} must be {rule}, got {value!r}")
    return float(value)  # type: ignore[arg-type]
