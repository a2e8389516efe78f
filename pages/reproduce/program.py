"""The program of one number: the lines of a recipe that it depends on, and their imports."""

import ast
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import attention_core
from pages.reproduce.recipe import Recipe, arrays_in

LONGEST = 1000  # characters of a line: a longer one is data, which a short program cannot contain


class InView(NamedTuple):
    """The number in view: its expression, what it is, how many steps were made before it was named, and its value."""

    expression: str
    what: str
    n_steps: int
    value: float | None = None  # where it is one entry of a result


def program(recipe: Recipe, number: InView | None = None) -> str | None:
    """Return a program that prints a number, or the last array; None if it needs data too long to be shown."""
    if number is None:
        last = recipe.steps[-1]
        names = [last.name, *(name for name, _ in arrays_in(last.name, last.result))]
        number = InView(names[-1], "", len(recipe.steps))
    what = "".join(character if character.isprintable() else " " for character in number.what)
    lines = [f"print({number.expression})" + (f"  # {what}" if what else "")]
    open_names = used = names_in(number.expression)
    for step in reversed(recipe.steps[: number.n_steps]):
        if step.name not in open_names:
            continue
        if step.in_full and not step.short:
            return None
        code = step.short.code if step.short else step.code
        if len(code) > LONGEST:
            return None
        open_names = open_names - {step.name} | names_in(code)
        used = used | open_names
        lines.append(f"{step.name} = {code}")
    return "\n".join([*imports(used, recipe.called), "", *reversed(lines)]).lstrip()


def names_in(expression: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(expression)) if isinstance(node, ast.Name)}


def imports(names: set[str], functions: Iterable[Callable[..., Any]]) -> list[str]:
    """Return the imports of NumPy and of those functions that are among the names, from where they are public."""
    found: dict[str, list[str]] = {}
    for function in functions:
        if (name := function.__name__) in names:
            is_public = getattr(attention_core, name, None) is function
            found.setdefault("attention_core" if is_public else function.__module__, []).append(name)
    lines = ["import numpy as np"] if "np" in names else []
    return lines + [f"from {module} import {', '.join(sorted(found[module]))}" for module in sorted(found)]
