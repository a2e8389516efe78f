"""The data files of this package, and the error that names one which is missing or damaged."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class DataFileError(OSError):
    """A data file of this package is missing or unreadable."""


@contextmanager
def shipped_file(path: Path) -> Iterator[None]:
    """Convert any error while reading a data file of this package into a DataFileError with its name."""
    try:
        yield
    except FileNotFoundError as problem:
        raise DataFileError(f"{path.name} is missing") from problem
    except Exception as problem:
        raise DataFileError(f"{path.name} cannot be read") from problem


def read_table(module: str, name: str = "") -> dict[str, Any]:
    """Return the TOML file beside a module, given as `__file__`: the one of its name, or another."""
    with shipped_file(path := Path(module).with_name(f"{name or Path(module).stem}.toml")):
        return tomllib.loads(path.read_text("utf-8"))
