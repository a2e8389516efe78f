"""What modules say and mean by themselves, written down: `python -m tests.record` after a change that is meant.

Of each module: the numbers that it gives a name (a limit, a size, what is meant where nothing is given), and, counted,
the words and numbers by which its fixed sentences claim something (largest, before, row, never, 3). Prose may be put
in other words; that a page says “smallest” where it said “largest” stands in the change, and is read.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
RECORD = Path(__file__).with_suffix(".txt")
CLAIMS = """
    most least more fewer less few many much some any each every all none no not nothing nobody never always only both
    neither either same other equal equally different differ alike one two three four five six half twice double
    largest smallest larger smaller large small higher lower highest lowest high low longer shorter long short
    wider narrower wide narrow nearer nearest near far further furthest sharper flatter faster slower
    above below over under before after earlier later early late past future first last next previous
    rises falls rise fall rising falling grows shrinks grow shrink growing up down left right with without
    between within inside outside from into row rows column columns query queries key keys value values
    input output forward backward mean sum product positive negative zero plus minus add adds subtract
    divide divided divides multiply multiplied can cannot must need needs stays changes change
    true false wrong better worse best worst random trained
"""
CLAIM = re.compile(rf"\b(?:{'|'.join(CLAIMS.split())})\b|(?<![\w.#])\d[\d,]*(?:\.\d+)?(?![\w;=])", re.IGNORECASE)
Fields = ast.AnnAssign | ast.Assign


def texts(tree: ast.Module) -> Iterator[str]:
    """Yield the strings of three words and more, each without what is put into it, and no docstring."""
    left_out = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            left_out |= {id(part) for part in ast.walk(node)}
            yield "{}".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node.value


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


def numbers(value: ast.expr | None) -> list[str]:
    parts = list(ast.walk(value)) if value else []
    negative = {id(part.operand) for part in parts if isinstance(part, ast.UnaryOp)}
    kept = [part for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, int | float)]
    return ["-" * (id(part) in negative) + repr(part.value) for part in kept]


def lines_of(path: Path) -> list[str]:
    """Return a line of the numbers of a module and one of its claims, each where it has some."""
    tree = ast.parse(path.read_bytes())
    given = [f"{name} {' '.join(found)}" for name, value in named(tree) if (found := numbers(value))]
    sentences = [text for text in texts(tree) if len(re.findall("[A-Za-z]{2,}", text)) >= 3]
    counts = Counter(word.lower() for text in sentences for word in CLAIM.findall(text))
    claims = [word if n == 1 else f"{word}×{n}" for word, n in sorted(counts.items())]
    return [", ".join(given)] * bool(given) + [" ".join(claims)] * bool(claims)


def modules() -> list[str]:
    paths = sorted(path for folder in ("attention_core", "pages") for path in (ROOT / folder).rglob("*.py"))
    return [path.relative_to(ROOT).as_posix() for path in paths]


if __name__ == "__main__":
    told = [f"{path}: {line}\n" for path in modules() for line in lines_of(ROOT / path)]
    RECORD.write_text("".join(told), encoding="utf-8")
