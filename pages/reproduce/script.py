"""The script and the notebook of a view: the page's own calls, with the source of every function that they need.

The source is that of the installed package, so the script runs with nothing but NumPy, and cannot drift from the page.
"""

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple

import attention_core
from pages.reproduce.recipe import Recipe

PACKAGE = "attention_core"
READING_ORDER = re.findall(r"^    ([\w.]+)  +\S", attention_core.__doc__ or "", flags=re.MULTILINE)

PRINTING = '''np.set_printoptions(precision=8, suppress=True, threshold=10**9, linewidth=120)


def show(name, value):
    """Print every number of a result."""
    if isinstance(value, np.ndarray | float):
        print(name, np.shape(value))
        print(np.asarray(value))
    for field in getattr(value, "_fields", ()):
        show(f"{name}.{field}", getattr(value, field))
'''

PICTURE = """try:
    import altair as alt
except ImportError:
    picture = None
    print("With Altair installed, this also plots the weights.")
else:
    # Altair writes the words into a page: after an invisible sign no "<" begins a tag
    labels = [f"{{i}} {{word}}".replace("<", "<\\u2060") for i, word in enumerate(words, 1)]
    cells = [
        {{"query": labels[i], "key": labels[j], "weight": float({weights}[i, j])}}
        for i in range(len(labels))
        for j in range(len(labels))
    ]
    picture = (
        alt.Chart(alt.Data(values=cells), width=400, height=400)
        .mark_rect()
        .encode(
            alt.X("key:N", sort=None),
            alt.Y("query:N", sort=None),
            alt.Color("weight:Q", scale=alt.Scale(domain=[0, 1], scheme="purples")),
            alt.Tooltip(["query:N", "key:N", "weight:Q"]),
        )
    )
"""


class Definition(NamedTuple):
    """A function, class or constant of a module: its place, its text, and the names that it needs."""

    line: int
    text: str
    needs: frozenset[str]


class Outline(NamedTuple):
    """What a module defines, and what it imports: from its own package, and from elsewhere."""

    definitions: MappingProxyType[str, Definition]
    own: MappingProxyType[str, tuple[str, str]]  # name here -> (module, name there)
    elsewhere: MappingProxyType[str, str]  # name here -> the import as text


@lru_cache(maxsize=64)
def outline(module: str) -> Outline:
    source = inspect.getsource(import_module(module))
    definitions: dict[str, Definition] = {}
    own: dict[str, tuple[str, str]] = {}
    elsewhere: dict[str, str] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            origin = getattr(node, "module", None) or ""
            for alias in node.names:
                name = alias.asname or alias.name
                if origin.startswith(PACKAGE):
                    own[name] = (origin, alias.name)
                elif origin != "__future__":
                    text = ast.unparse(ast.Import([alias]) if not origin else ast.ImportFrom(origin, [alias], 0))
                    elsewhere[name] = text
        for name in names_defined(node):
            definitions[name] = Definition(node.lineno, text_of(node, source), frozenset(names_needed(node)))
    return Outline(MappingProxyType(definitions), MappingProxyType(own), MappingProxyType(elsewhere))


def names_defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    if isinstance(node, ast.Assign):
        return [name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    return []


def names_needed(node: ast.AST) -> Iterator[str]:
    """Yield the names that a piece of code reads, leaving out annotations, which nothing evaluates."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield node.id
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from names_needed(child)


def text_of(node: ast.stmt, source: str) -> str:
    """Return a definition as it is in its file, with its decorators and trailing comment."""
    first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
    return "\n".join(source.splitlines()[first - 1 : node.end_lineno])


def sources(functions: list[Callable[..., Any]]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the imports, and the definitions in reading order, that functions of the package need to run, by name."""
    imports = {"np": "import numpy as np"}
    found: dict[tuple[str, str], Definition] = {}
    waiting = [(function.__module__, function.__qualname__) for function in functions]
    for module, name in waiting:
        if not module.startswith(f"{PACKAGE}.") or name not in outline(module).definitions:
            raise ValueError(f"functions must stand at the top level of a module of {PACKAGE}, got {module}.{name}")
    while waiting:
        module, name = waiting.pop()
        parts = outline(module)
        if (module, name) in found:
            continue
        if name in parts.own:
            waiting.append(parts.own[name])
        elif name in parts.elsewhere:
            add(imports, name, parts.elsewhere[name])
        elif name in parts.definitions:
            found[module, name] = parts.definitions[name]
            waiting += [(module, needed) for needed in parts.definitions[name].needs]
    definitions = dict(imports)
    for place in sorted(
        found, key=lambda place: (READING_ORDER.index(place[0].removeprefix(f"{PACKAGE}.")), found[place].line)
    ):
        add(definitions, place[1], found[place].text)
    for name in imports:
        del definitions[name]
    return dict(sorted(imports.items(), key=lambda item: item[1])), definitions


def add(texts: dict[str, str], name: str, text: str) -> None:
    """Add a definition under its name; one name must not mean two things in a script."""
    if texts.setdefault(name, text) != text:
        raise ValueError(f"names must differ in a script, got {name} twice:\n{texts[name]}\n{text}")


def script(recipe: Recipe, title: str, link: str, weights: str | None = None) -> str:
    """Return a script that rebuilds a view and prints its numbers."""
    parts = [f'"""{heading(title, link)}"""', *pieces(recipe)]
    if weights:
        parts.append(PICTURE.format(weights=weights) + '\nif picture:\n    picture.save("weights.html")\n')
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def notebook(recipe: Recipe, title: str, link: str, weights: str | None = None) -> str:
    cells = [cell("markdown", heading(title, link)), *(cell("code", piece) for piece in pieces(recipe))]
    if weights:
        cells.append(cell("code", PICTURE.format(weights=weights) + "\npicture"))
    numbered = [{**content, "id": f"cell-{number}"} for number, content in enumerate(cells)]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return json.dumps({"cells": numbered, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def heading(title: str, link: str) -> str:
    """Return the docstring of the script; nothing in it can end the string."""
    text = f"{title}. Rebuilds one view of the course and prints its numbers; it needs NumPy alone.\n\n{link}\n"
    text = text.replace("\\", "/").replace('"', "'")
    return "".join(character if character.isprintable() or character == "\n" else " " for character in text)


def pieces(recipe: Recipe) -> list[str]:
    """Return the imports, the functions, the calls and the printing, each as a piece of code."""
    imports, definitions = sources(recipe.functions)
    shown = dict.fromkeys(step.name for step in recipe.steps)
    if clash := shown.keys() & {*imports, *definitions, "show"}:
        raise ValueError(f"steps must not be named like what a script defines, got {', '.join(sorted(clash))}")
    calls = recipe.full_code
    printing = PRINTING + "\n\n" + "\n".join(f'show("{name}", {name})' for name in shown)
    future = "from __future__ import annotations"
    texts = dict.fromkeys(definitions.values())  # a line may define several names
    return [f"{future}\n\n" + "\n".join(imports.values()), "\n\n\n".join(texts), calls, printing]


def cell(kind: str, text: str) -> dict[str, Any]:
    content: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": text.rstrip().splitlines(keepends=True)}
    return content if kind == "markdown" else {**content, "execution_count": None, "outputs": []}
