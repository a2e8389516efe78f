"""What a page computed, call by call: the page draws it, the script repeats it, a file keeps it.

A page makes its calls through `Recipe.run`: there is no second computation that could disagree with the first.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from attention_core.model.parameters import Model
from attention_core.shipped.models import model_at
from attention_core.text.encoded import pack, unpack
from pages.server.model_cache import cached

Result = TypeVar("Result")


class Short:
    """How a short program makes a value, and the functions that it calls: the page has called them too."""

    def __init__(self, code: str, *functions: Callable[..., Any]) -> None:
        self.code, self.functions = code, functions


class Call(NamedTuple):
    """One line of a script: a name and its expression. The page shows a short expression, the script the full one."""

    name: str
    text: str | None  # None of an array that was given
    function: Callable[..., Any] | None
    result: Any
    in_full: Callable[[], str] | None = None
    short: Short | None = None

    @property
    def code(self) -> str:
        """The expression. The numbers of an array are written out only when somebody reads them."""
        return literal(self.result) if self.text is None else self.text


class Recipe:
    def __init__(self) -> None:
        self.steps: list[Call] = []
        self.known: list[tuple[Any, str]] = []  # results, the parts of results, and what a script calls them

    def copy(self) -> "Recipe":
        """Return a recipe that has the same steps and goes on by itself."""
        copied = Recipe()
        copied.steps, copied.known = list(self.steps), list(self.known)
        return copied

    def given(self, name: str, value: Any, short: Short | None = None) -> Any:
        """Record a value that the student, or a file, gave; return it. A program may make it in a shorter way."""
        is_long = isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.itemsize <= 8
        return self.remember(Call(name, None if is_long else literal(value), None, value, None, short))

    def run(self, name: str, function: Callable[..., Result], *arguments: Any, **named: Any) -> Result:
        """Call a function of the core, remember the call, and return its result."""
        return self.found(name, function(*arguments, **named), function, *arguments, **named)

    def run_once(self, name: str, function: Callable[..., Result], model: Any, *arguments: Any) -> Result:
        """Do the same, but from the cache of this model if it is there."""
        return self.found(name, cached(function, model, *arguments), function, model, *arguments)

    def found(self, name: str, result: Result, function: Callable[..., Result], *arguments: Any, **named: Any) -> Any:
        """Remember a call whose result is known, made before or read from a file; a script makes it. Return it."""
        return self.remember(Call(name, self.call(function, *arguments, **named), function, result))

    def call(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> str:
        inside = [self.text(argument) for argument in arguments]
        inside += [f"{key}={self.text(argument)}" for key, argument in named.items()]
        return f"{function.__name__}({', '.join(inside)})"

    def made(
        self,
        name: str,
        value: Result,
        function: Callable[..., Result],
        arguments: Callable[[], Sequence[Any]],
        short: Short | None = None,
    ) -> Any:
        """Record a value that a script computes by `function`. Its arguments are long: only a script makes them."""

        def in_full() -> str:
            return f"{function.__name__}({', '.join(map(literal, arguments()))})"

        return self.remember(Call(name, f"{function.__name__}(…)", function, value, in_full, short))

    def model(self, name: str, model: Model, shipped: str = "own", step: int | None = None) -> Model:
        """Record a model: a script has its parameters, a program the name of one that ships. Return it."""
        code = f"model_at({shipped!r})" if step is None else f"model_at({shipped!r}, {step})"
        short = None if shipped == "own" else Short(code, model_at)
        made: Model = self.made(name, model, unpack, lambda: pack(model), short)
        return made

    def remember(self, step: Call) -> Any:
        """Record a step, and the expressions for its result and the result's parts."""
        self.steps.append(step)
        before = [(value, name) for value, name in self.known if name.split(".")[0] != step.name]  # a name set anew
        self.known = [*before, *parts_of(step.name, step.result)]
        return step.result

    def text(self, argument: Any) -> str:
        """Return an argument as Python text: its name if a step made it, else a literal."""
        if argument is not None and not isinstance(argument, str | int | float):
            for value, name in reversed(self.known):
                if value is argument:
                    return name
        return literal(argument)

    @property
    def code(self) -> str:
        return "\n".join(f"{step.name} = {step.code}" for step in self.steps)

    @property
    def full_code(self) -> str:
        return "\n".join(f"{step.name} = {step.in_full() if step.in_full else step.code}" for step in self.steps)

    @property
    def functions(self) -> list[Callable[..., Any]]:
        """The functions that the steps call, without repetition."""
        return list(dict.fromkeys(step.function for step in self.steps if step.function))

    @property
    def called(self) -> list[Callable[..., Any]]:
        """The functions behind the page's numbers: not those by which a script alone makes what it is given."""
        own = [() if step.in_full or step.function is None else (step.function,) for step in self.steps]
        short = [step.short.functions if step.short else () for step in self.steps]
        return list(dict.fromkeys(function for functions in (*own, *short) for function in functions))

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """Return every array of the recipe by its name in the script. Of several with one name the last counts."""
        results = {step.name: step.result for step in self.steps}
        return {name: array for step in results for name, array in arrays_in(step, results[step])}


def parts_of(name: str, result: Any) -> Iterator[tuple[Any, str]]:
    """Yield a result and its fields, and their fields, each with what a script calls it."""
    yield result, name
    for field in getattr(result, "_fields", ()):
        yield from parts_of(f"{name}.{field}", getattr(result, field))


def arrays_in(name: str, result: Any) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Yield the arrays of a result: itself, or those among its fields."""
    for part, path in parts_of(name, result):
        if isinstance(part, np.ndarray | float):
            yield path, np.asarray(part)


def literal(value: Any) -> str:
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        if value.size == 0:
            return f"np.zeros({value.shape}, np.{value.dtype.name})"
        return f"np.array({literal(value.tolist())}, np.{value.dtype.name})"
    if isinstance(value, np.generic) and not isinstance(value.item(), np.generic):
        return literal(value.item())
    if type(value) is list:
        return f"[{', '.join(map(literal, value))}]"
    if type(value) is tuple:
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    if type(value) is float and not math.isfinite(value):
        return f'float("{value}")'
    if value is None or type(value) in (str, int, float, bool):
        return repr(value)
    raise TypeError(f"a script cannot say {value!r}")
