"""Results that outlive a rerun: computed once for the same model and the same numbers, kept as long as the model."""

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from hashlib import blake2b
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

Result = TypeVar("Result")

MOST = 16  # results of one function of one model; beyond, the one that was asked for longest ago is dropped
FEW = 4  # of those that take megabytes
KEPT: WeakKeyDictionary[Any, defaultdict[Callable[..., Any], OrderedDict[Hashable, Future[Any]]]] = WeakKeyDictionary()
LOCK = Lock()


def kept(function: Callable[..., Result], model: Any, *arguments: Any, most: int = MOST) -> Result:
    """Return function(model, ...), cached with the `most` recent results; its arrays are read-only.

    Who asks for a result that somebody else computes waits for it: a class that opens one link asks at the same moment.
    """
    asked = tuple(map(key, arguments))
    with LOCK:
        results = KEPT.setdefault(model, defaultdict(OrderedDict))[function]
        ours = asked not in results
        result = results.setdefault(asked, Future())
        results.move_to_end(asked)
        while len(results) > most:
            results.popitem(last=False)
    if ours:
        try:
            result.set_result(freeze(function(model, *arguments)))
        except BaseException as problem:
            with LOCK:
                if results.get(asked) is result:
                    del results[asked]
            result.set_exception(problem)
            raise
    failed = result.exception()
    return kept(function, model, *arguments, most=most) if failed else result.result()


def is_kept(function: Callable[..., Any], model: Any, *arguments: Any) -> bool:
    """Return whether a result is cached."""
    with LOCK:
        results = KEPT.get(model)
        result = results and results[function].get(tuple(map(key, arguments)))
        return bool(result and result.done())


def key(argument: Any) -> Hashable:
    """Return a cache key: equal arguments have equal keys, arrays if all their numbers are equal.

    Of an array this is a digest: it may be what a student typed, and a model that ships outlives every visit.
    """
    if isinstance(argument, np.ndarray):
        return (argument.dtype.str, argument.shape, blake2b(argument.tobytes()).digest())
    return (type(argument), tuple(argument) if isinstance(argument, list) else argument)


def freeze(result: Result) -> Result:
    """Return a result with its arrays made read-only, since visits share it."""
    if isinstance(result, np.ndarray):
        result.flags.writeable = False
    elif isinstance(result, list | tuple):
        for part in result:
            freeze(part)
    return result
