"""The memory that the models of all students take together."""

from weakref import WeakSet

from attention_core.model.parameters import Model

ROOM = 64 << 20  # bytes of their parameters
FULL = "This server keeps as many models of students as it can. Those of closed pages go in a few minutes."
HELD: WeakSet[Model] = WeakSet()


def is_full() -> bool:
    """Return whether there is no room for one more model."""
    return sum(model.flat.nbytes for model in list(HELD)) > ROOM
