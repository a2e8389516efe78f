"""A case of a suite that nobody here wrote: what it expects, and how `attention_core` computes it."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np


class NotOffered(Exception):
    """What the library does not compute, by name; never counted as passed."""


class Case(NamedTuple):
    operator: str
    name: str
    compute: Callable[[], Sequence[np.ndarray]]  # raises NotOffered
    expected: dict[str, np.ndarray]  # outputs and gradients, in the order in which they are computed
    tolerance: tuple[float, float]  # relative and absolute

    def verdict(self) -> str:
        """Return "passed", or what is not offered; raise AssertionError if a number is wrong."""
        try:
            found = self.compute()
        except NotOffered as reason:
            return str(reason)
        for own, (name, wanted) in zip(found, self.expected.items(), strict=True):
            assert own.shape == wanted.shape, f"{self.name}, {name}: shape {own.shape} and not {wanted.shape}"
            what = f"{self.name}, {name}"
            np.testing.assert_allclose(own.astype(wanted.dtype), wanted, *self.tolerance, err_msg=what)
        return "passed"
