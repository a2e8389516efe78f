"""What the tests of the core share: central differences, arguments that refuse a write, the arrays in a cache."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import attention_core as core

BATCHES = [(), (2,), (3, 2)]  # the axes before the matrix: none, one, two


def drawer(seed: int = 0, dtype: Any = np.float64) -> Callable[..., np.ndarray]:
    """Return draw(*shape): normal numbers in arrays that are read-only, so that writing into an argument raises."""
    rng = np.random.default_rng(seed)
    return lambda *shape: frozen(rng.standard_normal(shape).astype(dtype))


def moved_model(config: core.Config, dtype: Any = np.float64) -> core.Model:
    """Return a model none of whose numbers is at the 0 or 1 where it would start."""
    model = core.init_model(config, seed=3, dtype=dtype)
    model.flat[:] += 0.3 * drawer(5, dtype)(model.flat.size)
    return model


def frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def assert_gradient(
    function: Callable[[np.ndarray], np.ndarray], x: np.ndarray, dout: np.ndarray, dx: np.ndarray, step: float = 1e-5
) -> None:
    """Hold dx, the gradient of the scalar (function(x) * dout).sum(), against central differences in float64."""
    assert x.dtype == dout.dtype == dx.dtype == np.float64
    assert dx.shape == x.shape
    numeric = np.empty_like(x)
    for index in np.ndindex(x.shape):
        above, below = x.copy(), x.copy()
        above[index] += step
        below[index] -= step
        numeric[index] = ((function(above) - function(below)) * dout).sum() / (2 * step)
    assert numeric.any(), "a function that does not depend on x proves nothing"
    np.testing.assert_allclose(dx, numeric, rtol=1e-6, atol=1e-8)


def arrays_in(thing: Any, name: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Yield every array in nested tuples and dicts under its path; NumPy's scalars count, since they decide dtypes."""
    if isinstance(thing, np.ndarray | np.generic):
        yield name, np.asarray(thing)
    elif isinstance(thing, tuple):
        fields = getattr(thing, "_fields", map(str, range(len(thing))))
        yield from arrays_in(dict(zip(fields, thing, strict=True)), name)
    elif isinstance(thing, dict):
        for field, value in thing.items():
            yield from arrays_in(value, f"{name}.{field}" if name else field)


def assert_all_float32(*things: Any) -> None:
    """Require float32, or the complex64 of a rotation, of every real number in caches and gradients."""
    kinds = {name: array.dtype for name, array in arrays_in(things) if array.dtype.kind in "fc"}
    assert kinds, "there is nothing to look at"
    assert {name: str(kind) for name, kind in kinds.items() if kind not in (np.float32, np.complex64)} == {}
