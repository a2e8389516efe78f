"""Results that outlive a rerun: computed once for the same model and the same numbers, kept as long as the model."""

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable
from hashlib import blake2b
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

Result = TypeVar("Result")

MOST = 16  # results of one function of one model; beyond, the one that was asked for longest ago is dropped
KEPT: WeakKeyDictionary[Any, defaultdict[Callable[..., Any], OrderedDict[Hashable, Any]]] = WeakKeyDictionary()
LOCK = Lock()


def kept(function: Callable[..., Result], model: Any, *arguments: Any) -> Result:
    """Return function(model, ...), from memory if it was asked before; its arrays are read-only."""
    asked = tuple(map(key, arguments))
    with LOCK:
        results = KEPT.setdefault(model, defaultdict(OrderedDict))[function]
        if asked in results:
            results.move_to_end(asked)
            return results[asked]
    result = frozen(function(model, *arguments))
    with LOCK:
        results[asked] = result
        while len(results) > MOST:
            results.popitem(last=False)
    return result


def is_kept(function: Callable[..., Any], model: Any, *arguments: Any) -> bool:
    """Tell whether a result would come from memory."""
    with LOCK:
        results = KEPT.get(model)
        return results is not None and tuple(map(key, arguments)) in results[function]


def key(argument: Any) -> Hashable:
    """Return what two arguments have in common that are the same: arrays are if all their numbers are.

    Of an array this is a digest: it may be what a student typed, and a model that ships outlives every visit.
    """
    if isinstance(argument, np.ndarray):
        return (argument.dtype.str, argument.shape, blake2b(argument.tobytes()).digest())
    return (type(argument), argument)


def frozen(result: Result) -> Result:
    """Return a result, its arrays made read-only: it belongs to everybody."""
    if isinstance(result, np.ndarray):
        result.flags.writeable = False
    for field in getattr(result, "_fields", ()):
        frozen(getattr(result, field))
    return result
