"""The data files of this package, and the error that names one which is missing or damaged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
