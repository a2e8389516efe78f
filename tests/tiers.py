"""Two tiers of tests: what everybody runs, and what runs at night."""

from collections.abc import Iterable
from typing import Any

import pytest


def first(n: int, cases: Iterable[Any]) -> list[Any]:
    """Return cases for a parameter, or tuples for several; all but the first few are nightly."""
    return [
        case if i < n else pytest.param(*case if isinstance(case, tuple) else (case,), marks=pytest.mark.nightly)
        for i, case in enumerate(cases)
    ]
