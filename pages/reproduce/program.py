"""The program of one number: the few lines that compute it, taken from the calls of a page.

It begins with the expression of the number and keeps those calls alone that this depends on, so it cannot disagree
with the page. Where NumPy says it as shortly as a function of the core, it is said in NumPy.
"""

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from itertools import groupby
from typing import Any, NamedTuple

from attention_core.equations.attention import AttentionCache
from attention_core.experiments.qkv.one_head import attend
from pages.reproduce.plain_calls import Plainly, expression_of
from pages.reproduce.recipe import Recipe, Step, arrays_in

SHORT = 10  # lines, imports included: a longer program puts results that are used once where they are used
WIDE = 88  # characters of a line, if results are put into it
LONGEST = 1000  # characters of a line: a longer literal is data, which a program this short cannot contain
FARTHEST = 500.0  # from 0: scores whose exponentials neither overflow nor vanish


class Number(NamedTuple):
    """The number in view: its expression, what it is, and how many steps were made before it was named."""

    expression: str
    what: str
    n_steps: int


class Line(NamedTuple):
    """An assignment of a program."""

    name: str
    value: ast.expr
    beside: bool = False  # whether it shares a line with others beside it


def program(recipe: Recipe, number: Number | None = None) -> str | None:
    """Return a program that prints a number, or the last array; None if it needs data too long to be shown."""
    if number is None:
        last = recipe.steps[-1]
        number = Number(
            [last.name, *(name for name, _ in arrays_in(last.name, last.result))][-1], "", len(recipe.steps)
        )
    steps = recipe.steps[: number.n_steps]
    functions = {function.__name__: function for step in steps for function in functions_of(step)}
    lines = [Line(step.name, value_of(step)) for step in steps]
    printed = expression_of(number.expression)
    needed = depends_on(lines, printed)
    heads = [steps[place] for place in needed if steps[place].function is attend and not steps[place].short]
    if len(heads) == 1 and (spelled := spelled_out(heads[0], [lines[place] for place in needed], printed)):
        lines, printed = spelled
        needed = depends_on(lines, printed)
    if any(map(too_long, (printed, *(lines[place].value for place in needed)))):
        return None
    plainly = Plainly(functions)
    kept = [Line(name, plainly.visit(value), beside) for name, value, beside in (lines[place] for place in needed)]
    what = "".join(character if character.isprintable() else " " for character in number.what)
    last_line = f"print({ast.unparse(plainly.visit(printed))})" + (f"  # {what}" if what else "")
    text = written(kept, last_line, functions)
    while len(list(filter(None, text))) > SHORT and (fewer := put_where_used(kept, printed)):
        kept = fewer
        text = written(kept, last_line, functions)
    return "\n".join(text)


def written(lines: list[Line], last: str, functions: dict[str, Callable[..., Any]]) -> list[str]:
    """Return the lines of a program as text, with the imports that they need before them."""
    body = []
    for beside, group in groupby(lines, lambda line: line.beside):
        for some in [[*group]] if beside else ([line] for line in group):
            names, values = ", ".join(line.name for line in some), ", ".join(ast.unparse(line.value) for line in some)
            body.append(f"{names} = {values}")
    body.append(last)
    return [*imports(body, functions), "", *body]


def put_where_used(lines: list[Line], printed: ast.expr) -> list[Line] | None:
    """Return the lines with one fewer: a result that is used once, as an argument, is put there; None if none is."""
    names = [line.name for line in lines]
    used = Counter(name for value in (printed, *(line.value for line in lines)) for name in names_in(value))
    for line in lines:
        if used[line.name] != 1 or names.count(line.name) != 1 or not isinstance(line.value, ast.Call):
            continue
        for place, other in enumerate(lines):
            if isinstance(other.value, ast.Call) and line.name in names_in(other.value):
                call, put = other.value, {line.name: line.value}
                value = ast.Call(
                    call.func,
                    [put.get(ast.unparse(one), one) for one in call.args],
                    [ast.keyword(one.arg, put.get(ast.unparse(one.value), one.value)) for one in call.keywords],
                )
                between = lines[lines.index(line) + 1 : place]
                redefined = {one.name for one in between} & set(names_in(line.value))
                if line.name in names_in(value) or redefined or len(f"{other.name} = {ast.unparse(value)}") > WIDE:
                    break
                changed = [*lines[:place], other._replace(value=value), *lines[place + 1 :]]
                return [one for one in changed if one is not line]
    return None


def functions_of(step: Step) -> Iterable[Callable[..., Any]]:
    """Return the functions that were called for a step."""
    if step.short:
        return step.short.functions
    return () if step.function is None or step.in_full else (step.function,)


def value_of(step: Step) -> ast.expr:
    """Return the expression of a step, as short as it can be said; an ellipsis for what cannot be said shortly."""
    text = step.short.code if step.short else step.code
    if step.in_full and not step.short:
        text = "..."
    words = step.result
    if step.function is None and isinstance(words, list) and all(isinstance(word, str) for word in words):
        line = " ".join(words)
        text = f"{line!r}.split()" if line.split() == words else text
    return expression_of(text)


def too_long(value: ast.expr) -> bool:
    return (isinstance(value, ast.Constant) and value.value is Ellipsis) or len(ast.unparse(value)) > LONGEST


def depends_on(lines: list[Line], printed: ast.expr) -> list[int]:
    """Return the places of the lines that an expression depends on, in order."""
    names, needed = set(names_in(printed)), []
    for place in reversed(range(len(lines))):
        if lines[place].name in names:
            names = names - {lines[place].name} | set(names_in(lines[place].value))
            needed.append(place)
    return needed[::-1]


def names_in(value: ast.expr) -> Iterator[str]:
    return (node.id for node in ast.walk(value) if isinstance(node, ast.Name))


def spelled_out(head: Step, lines: list[Line], printed: ast.expr) -> tuple[list[Line], ast.expr] | None:
    """Return the lines with the one head in them as its equations; None where these would not say the same."""
    attention: AttentionCache = head.result
    equations = equations_of(head, attention)
    into = {name: name for name in ("q", "k", "v", "scores", "weights", "output")}
    call = next(line.value for line in lines if line.name == head.name)
    assert isinstance(call, ast.Call)
    if len(call.args) == 3:
        into["mask"] = ast.unparse(call.args[2])
    clash = {line.name for line in lines if line.name != head.name} & {line.name for line in equations}
    parts = Parts(head.name, into)
    others = [(line.name == head.name, line) for line in lines]
    found = [
        line
        for is_head, whole in others
        for line in (equations if is_head else [Line(whole.name, parts.visit(deepcopy(whole.value)))])
    ]
    printed = parts.visit(deepcopy(printed))
    whole_is_used = any(head.name in names_in(value) for value in (printed, *(line.value for line in found)))
    return None if clash or whole_is_used or not is_tame(attention) else (found, printed)


def is_tame(attention: AttentionCache) -> bool:
    """Return whether the exponentials of the scores can be taken as they are: no row is empty, none overflows."""
    scores = attention.scores if attention.mask is None else attention.scores + attention.mask
    return bool((abs(scores.max(axis=-1)) < FARTHEST).all())


def equations_of(head: Step, attention: AttentionCache) -> list[Line]:
    """Return the equations of a head: q, k and v, scores, weights and output."""
    call = expression_of(head.code)
    assert isinstance(call, ast.Call)
    x, matrices, *mask = map(ast.unparse, call.args)
    lines = [Line(name, expression_of(f"{x} @ {matrices}.w_{name}"), beside=True) for name in "qkv"]
    texts = {
        "scores": f"q @ k.T / np.sqrt({attention.q.shape[-1]})",
        "exponentials": f"np.exp(scores + {mask[0]})" if mask else "np.exp(scores)",
        "weights": "exponentials / exponentials.sum(axis=1, keepdims=True)",
        "output": "weights @ v",
    }
    return lines + [Line(name, expression_of(text)) for name, text in texts.items()]


class Parts(ast.NodeTransformer):
    """Says the parts of a head by their own names: `q` for `attention.q`."""

    def __init__(self, head: str, into: dict[str, str]) -> None:
        self.head, self.into = head, into

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id == self.head and node.attr in self.into:
            return expression_of(self.into[node.attr])
        return self.generic_visit(node)


def imports(body: list[str], functions: dict[str, Callable[..., Any]]) -> list[str]:
    """Return the imports that some lines need."""
    names = {name for line in body for name in names_of(line)}
    lines = ["import numpy as np"] if "np" in names else []
    lines += ["import attention_core as core"] if "core" in names else []
    found: dict[str, list[str]] = {}
    for name in sorted(names & functions.keys()):
        found.setdefault(functions[name].__module__, []).append(name)
    return lines + [f"from {module} import {', '.join(found[module])}" for module in sorted(found)]


def names_of(line: str) -> Iterator[str]:
    return (node.id for node in ast.walk(ast.parse(line)) if isinstance(node, ast.Name))
