"""Checkpoints as a stranger might write them, put together piece by piece; and what loading one may cost."""

import io
import json
import struct
import tracemalloc
import zipfile
from collections.abc import Callable, Mapping
from typing import Any
from unittest.mock import patch

import numpy as np

import attention_core as core

CONFIG = {"vocab_size": 5, "d_model": 4, "n_heads": 2, "n_layers": 1, "max_len": 3, "d_ff": 7, "positions": "learned"}
WORDS = ["the", "cat", "sat", "désolé", "🐈"]
MEBIBYTE = 1 << 20
METHODS = {
    "stored": zipfile.ZIP_STORED,
    "deflated": zipfile.ZIP_DEFLATED,
    "bzip2": zipfile.ZIP_BZIP2,
    "lzma": zipfile.ZIP_LZMA,
}


def npy(array: Any, shape: str | None = None, kind: str | None = None, fortran: bool = False) -> bytes:
    """Return an array as a .npy file, whose header may claim another shape or kind."""
    array = np.asarray(array)
    header = f"{{'descr': '{kind or array.dtype.str}', 'fortran_order': {fortran}, 'shape': {shape or array.shape}, }}"
    header = header.ljust(117) + "\n"
    start = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    return start + array.tobytes("F" if fortran else "C")


def parts(model: core.Model | None = None, **texts: Any) -> dict[str, bytes]:
    """Return the members of a sound checkpoint by name; texts such as `config` are written as JSON."""
    model = core.init_model(core.Config(**CONFIG)) if model is None else model
    written = {"config": CONFIG, "vocabulary": WORDS} | texts
    members = {name: npy(json.dumps(text)) for name, text in written.items()}
    return members | {name: npy(array) for name, array in core.named_arrays(model).items()}


def archive(members: Mapping[str, bytes], method: str = "stored") -> bytes:
    """Return the members as a zip archive."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", METHODS[method]) as opened:
        for name, content in members.items():
            opened.writestr(zipfile.ZipInfo(f"{name}.npy"), content, METHODS[method])
    return file.getvalue()


def attempt(load: Callable[[Any], Any], content: bytes) -> Any:
    """Return what loading some bytes gives, or its ValueError; anything else, or more than 64 MB of work, is a failure.

    Counted are the memory at any moment and all that is unpacked: reading on and on would cost only time.
    """
    file = io.BytesIO(content)
    unpacked = 0
    read = zipfile.ZipExtFile.read

    def counted(member: zipfile.ZipExtFile, n: int | None = -1) -> bytes:
        nonlocal unpacked
        found = read(member, n)
        unpacked += len(found)
        return found

    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    try:
        with patch.object(zipfile.ZipExtFile, "read", counted):
            return load(file)
    except ValueError as refusal:
        return refusal
    finally:
        peak = tracemalloc.get_traced_memory()[1] - before
        if not tracing:
            tracemalloc.stop()
        for what, size in (("in memory", peak), ("unpacked", unpacked)):
            assert size < 64e6, f"{size / 1e6:.0f} MB {what} for a file of {len(content)} bytes"
