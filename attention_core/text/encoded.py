"""Models and arrays encoded as text, so that a script can contain them."""

import base64
import json
from dataclasses import asdict

import numpy as np

from attention_core.arrays import Array
from attention_core.model.config import Config
from attention_core.model.parameters import Model


def pack(model: Model) -> tuple[str, str]:
    """Return the config as JSON and the parameters as base64 text, in float16 where that is exact."""
    small = model.flat.astype(np.float16) if np.abs(model.flat).max(initial=0) < 6e4 else model.flat
    numbers = small if np.array_equal(small, model.flat) else model.flat.astype(np.float32)
    plain = numbers.astype(numbers.dtype.newbyteorder("<")).tobytes()
    return json.dumps(asdict(model.config)), f"{numbers.dtype.name}:{base64.b64encode(plain).decode()}"


def unpack(config: str, numbers: str) -> Model:
    """Return the model that `pack` encoded."""
    kind, text = numbers.split(":")
    flat = np.frombuffer(base64.b64decode(text), np.dtype(kind).newbyteorder("<"))
    return Model.of(Config(**json.loads(config)), flat.astype(np.float32))


def pack_array(array: Array) -> tuple[str, str]:
    """Return the shape as JSON and the values as base64 text, for booleans and whole numbers of at least 0."""
    if not np.array_equal(array, np.abs(array.astype(np.int64))):
        raise ValueError(f"array must contain whole numbers of at least 0, got {array.min()} to {array.max()}")
    small = array.astype(np.min_scalar_type(int(array.max(initial=0))))
    plain = base64.b64encode(small.astype(small.dtype.newbyteorder("<")).tobytes()).decode()
    return json.dumps(array.shape), f"{small.dtype.name}:{array.dtype.name}:{plain}"


def unpack_array(shape: str, numbers: str) -> Array:
    """Return the array that `pack_array` encoded."""
    small, kind, text = numbers.split(":")
    flat = np.frombuffer(base64.b64decode(text), np.dtype(small).newbyteorder("<"))
    return flat.astype(kind).reshape(json.loads(shape))
