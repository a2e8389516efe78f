"""The limits, sizes and defaults of each module, written down: `python -m tests.record` after a change that is meant.

Of each module the numbers that it gives a name, what is meant where an argument is not given, and on which side of a
limit something lies, or is cut. So nobody changes a limit by the way, and who changes it shows the old and the new one.
"""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
RECORD = Path(__file__).with_suffix(".txt")
Fields = ast.AnnAssign | ast.Assign


def named(tree: ast.Module) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield what a module gives a name: a constant, a field, what an argument is where it is not given."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            places = [*node.args.posonlyargs, *node.args.args][::-1]
            given = [*zip(places, node.args.defaults[::-1], strict=False)]
            for place, value in [*given[::-1], *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)]:
                yield f"{node.name}.{place.arg}", value
        elif isinstance(node, ast.ClassDef | ast.Module):
            of = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
            for part in (part for part in node.body if isinstance(part, Fields)):
                target = part.target if isinstance(part, ast.AnnAssign) else part.targets[0]
                yield of + ast.unparse(target).strip("()"), part.value


def numbers(value: ast.AST | None) -> list[str]:
    """Return the numbers of an expression, with their signs; of one that has nothing else, the whole."""
    parts = list(ast.walk(value)) if value else []
    negative = {id(part.operand) for part in parts if isinstance(part, ast.UnaryOp)}
    kept = [part for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, int | float)]
    if kept and isinstance(value, ast.BinOp) and not any(isinstance(part, ast.Name | ast.Call) for part in parts):
        return [ast.unparse(value)]
    return ["-" * (id(part) in negative) + repr(part.value) for part in kept]


def sides(tree: ast.Module) -> Iterator[str]:
    """Yield where something is cut, and how it is compared with a limit: one that has a name, or a number above 2."""
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.Slice)):
        if any(isinstance(end, ast.Constant) and end.value > 2 for end in (node.lower, node.upper)):
            yield f"[{ast.unparse(node)}]"
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.Compare)):
        last = [part.value for part in ast.walk(node.comparators[-1]) if isinstance(part, ast.Constant)]
        is_named = ast.unparse(node.comparators[-1]).rpartition(".")[2].isupper()
        is_order = isinstance(node.ops[-1], ast.Lt | ast.LtE | ast.Gt | ast.GtE)
        if is_order and (is_named or any(isinstance(value, int | float) and abs(value) > 2 for value in last)):
            yield ast.unparse(node).removeprefix(ast.unparse(node.left)).strip()


def line_of(path: Path) -> str:
    """Return what a module gives numbers to, with these; of a table its numbers."""
    if path.suffix == ".toml":
        return " ".join(numbers(ast.parse(repr(tomllib.loads(path.read_text("utf-8"))))))
    tree = ast.parse(path.read_bytes())
    limits = [f"{name} {' '.join(found)}" for name, value in named(tree) if (found := numbers(value))]
    return ", ".join([*limits, *sides(tree)])


def modules() -> list[str]:
    paths = sorted(path for folder in ("attention_core", "pages") for path in (ROOT / folder).rglob("*.*"))
    return [path.relative_to(ROOT).as_posix() for path in paths if path.suffix in (".py", ".toml")]


if __name__ == "__main__":
    told = [f"{path}: {line}\n" for path in modules() if (line := line_of(ROOT / path))]
    RECORD.write_text("".join(told), encoding="utf-8")
