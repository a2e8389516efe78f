"""Results that outlive a rerun: computed once for the same model and the same numbers, kept as long as the model."""

from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, wait
from dataclasses import dataclass, field, fields, is_dataclass
from hashlib import blake2b
from itertools import count
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from attention_core.arrays import Array
from pages.server.give_way import LongWork, wait_for

Result = TypeVar("Result")

MAX_BYTES = 48 << 20  # bytes of all results; above it, those that were asked for longest ago are evicted
OF_ANY = 1 << 12  # bytes of a result besides its arrays


@dataclass(eq=False)
class Entry:
    """A result that somebody computes, or has computed."""

    asked: int  # when it was asked for last: the larger, the later
    result: Future[Any] = field(default_factory=Future)
    size: int = 0  # bytes; 0 while it is being computed


KEPT: WeakKeyDictionary[Any, dict[Hashable, Entry]] = WeakKeyDictionary()
LOCK, CLOCK = Lock(), count()


def cached(function: Callable[..., Result], model: Any, *arguments: Any) -> Result:
    """Return function(model, ...), cached; its arrays are read-only.

    Who asks for a result that somebody else computes waits for it: a class that opens one link asks at the same moment.
    """
    asked = function, *map(key, arguments)
    with LOCK:
        results = KEPT.setdefault(model, {})
        ours = asked not in results
        entry = results.setdefault(asked, Entry(0))
        entry.asked = next(CLOCK)
    if not ours:
        wait_for(lambda seconds: bool(wait([entry.result], seconds).done))
        return cached(function, model, *arguments) if entry.result.exception() else entry.result.result()
    work = LongWork()
    try:
        found = function(model, *arguments)
        arrays = list(arrays_in(found))
        for array in arrays:
            array.flags.writeable = False
        of_model = {id(owner(array)) for array in arrays_in(model)}
        owners = {id(owner(array)): owner(array).nbytes for array in arrays}
        entry.size = OF_ANY + sum(size for array, size in owners.items() if array not in of_model)
    except BaseException as problem:
        with LOCK:
            if results.get(asked) is entry:
                del results[asked]
        entry.result.set_exception(problem)
        raise
    entry.result.set_result(found)
    evict()
    work.give_way()
    work.end()
    return found


def is_kept(function: Callable[..., Any], model: Any, *arguments: Any) -> bool:
    with LOCK:
        entry = KEPT.get(model, {}).get((function, *map(key, arguments)))
        return entry is not None and entry.result.done()


def n_bytes() -> int:
    with LOCK:
        return sum(entry.size for results in KEPT.values() for entry in results.values())


def evict() -> None:
    """Remove results until the others take at most MAX_BYTES: first any that is larger by itself, then the oldest."""
    with LOCK:
        entries = [(entry, results, asked) for results in KEPT.values() for asked, entry in results.items()]
        total = sum(entry.size for entry, _, _ in entries)
        if total > MAX_BYTES:
            for entry, results, asked in sorted(entries, key=lambda one: (one[0].size <= MAX_BYTES, one[0].asked)):
                if entry.size and total > MAX_BYTES:
                    del results[asked]
                    total -= entry.size


def key(argument: Any) -> Hashable:
    """Return a cache key: equal arguments have equal keys, arrays if all their numbers are equal.

    Of an array this is a digest: it may be what a student typed, and a model that ships outlives every visit.
    """
    if isinstance(argument, np.ndarray):
        return (argument.dtype.str, argument.shape, blake2b(argument.tobytes()).digest())
    return (type(argument), tuple(argument) if isinstance(argument, list) else argument)


def arrays_in(thing: Any) -> Iterator[Array]:
    """Yield the arrays in tuples, lists, dicts and dataclasses."""
    if isinstance(thing, np.ndarray):
        yield thing
    elif isinstance(thing, list | tuple):
        for part in thing:
            yield from arrays_in(part)
    elif isinstance(thing, dict):
        yield from arrays_in([*thing.values()])
    elif is_dataclass(thing) and not isinstance(thing, type):
        yield from arrays_in([getattr(thing, each.name) for each in fields(thing)])


def owner(array: Array) -> Array:
    """Return the array that holds the memory of a view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array
