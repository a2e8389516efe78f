"""Mutants: exact edits of a module, each a mistake that an author may make. Comments and format stay."""

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from itertools import accumulate, pairwise
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
NO_WORDS = {  # of prose: its programs; of a table: its heads, keys and comments
    ".md": re.compile(r"(?s)```.*?```|`[^`]*`|for:.*?\n"),
    ".toml": re.compile(r"(?m)^\[.*\]$|^[^=\n]+= |#.*$"),
}
KINDS = ("right", "reasons", "sign", "comparison", "index", "sentence", "bound", "default")
OPERATORS = {ast.Add: "+-", ast.Sub: "-+", ast.Mult: "*/", ast.Div: "/*"}
NEGATED = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "==", "is not": "is", "is": "is not"}
NEGATED |= {"not in": "in", "in": "not in"}
EDGES = {"<=": "<", ">=": ">", "<": "<=", ">": ">="}
OPPOSITES = """
    largest smallest, larger smaller, higher lower, highest lowest, most least, more fewer, longer shorter, above below,
    rises falls, rise fall, grows shrinks, first last, before after, earlier later, next previous, row column,
    rows columns, query key, queries keys, always never, same other, with without, near far, all none, left right
"""
PAIRS = [pair.split() for pair in OPPOSITES.split(",")]
OPPOSITE = {one: other for pair in PAIRS for one, other in (pair, pair[::-1])}
VALUES = re.compile(r"\{\{|\}\}|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\\.")  # what of a string is no text
RIGHT = {  # of each kind of question: where its right answer stands, another argument, and what a wrong one is
    "Choice": (3, 2, "tuple((i + 1) % len({1}) for i in ({0}))"),
    "Choice.of": (2, 4, "[one for one in ({1}) if one not in [*(({0}, ) if isinstance({0}, str) else {0})]][:1]"),
    "Number": (2, 3, "({0}) + 3 * ({1}) + 1"),
    "predict": (3, 3, "({0}) + 1"),
    "fill_in": (3, 5, "next(iter({1}))"),
    "Cell": (3, 2, "(({0})[0], (({0})[1] + 1) % len({1}))"),
}


class Mutant(NamedTuple):
    path: str
    kind: str
    start: int  # of the bytes of the file
    before: str
    after: str

    @property
    def line(self) -> int:
        return (ROOT / self.path).read_bytes()[: self.start].count(b"\n") + 1

    def __str__(self) -> str:
        before, after = (" ".join(text.split()) for text in (self.before, self.after))
        return f"{self.path}:{self.line}: {before or '∅'} → {after or '∅'}"

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.after.encode() + source[self.start + len(self.before.encode()) :]

    def is_one(self) -> bool:
        """Return whether it can be read and is another program or table."""
        source = (ROOT / self.path).read_bytes()
        if self.path.endswith(".md"):
            return True
        try:
            if self.path.endswith(".toml"):
                return tomllib.loads(self.applied(source).decode()) != tomllib.loads(source.decode())
            return ast.dump(ast.parse(self.applied(source))) != ast.dump(ast.parse(source))
        except (SyntaxError, tomllib.TOMLDecodeError):
            return False


class Source:
    def __init__(self, path: str):
        self.path, self.bytes = path, (ROOT / path).read_bytes()
        self.tree = ast.parse(self.bytes)
        self.starts = [0, *accumulate(len(line) for line in self.bytes.splitlines(keepends=True))]
        notes = [getattr(node, name, None) for node in ast.walk(self.tree) for name in ("annotation", "returns")]
        noted = {id(part) for note in notes if note for part in ast.walk(note)}
        self.nodes = [node for node in ast.walk(self.tree) if id(node) not in noted]
        self.asks = b"pages.questions.kinds import" in self.bytes

    def at(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column

    def span(self, node: ast.expr) -> tuple[int, int]:
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno or 0, node.end_col_offset or 0)

    def text(self, node: ast.expr) -> str:
        start, end = self.span(node)
        return self.bytes[start:end].decode(errors="replace")

    def mutant(self, kind: str, start: int, end: int, after: str) -> Mutant:
        return Mutant(self.path, kind, start, self.bytes[start:end].decode(errors="replace"), after)

    def of(self, kind: str, node: ast.expr, after: str) -> Mutant:
        return self.mutant(kind, *self.span(node), after)

    def between(self, kind: str, left: ast.expr, right: ast.expr, before: str, after: str) -> Iterator[Mutant]:
        """Yield the operator between two nodes changed."""
        start, end = self.span(left)[1], self.span(right)[0]
        found = re.search(rf"(?<![<>=!]){re.escape(before)}", self.bytes[start:end].decode(errors="replace"))
        if found:
            yield self.mutant(kind, start + found.start(), start + found.end(), after)

    def swapped(self, one: ast.expr, other: ast.expr) -> Iterator[Mutant]:
        if (text := self.text(one)) != (new := self.text(other)):
            start, end = self.span(one)[0], self.span(other)[1]
            middle = self.bytes[self.span(one)[1] : self.span(other)[0]].decode(errors="replace")
            yield self.mutant("reasons", start, end, new + middle + text)


def mutants(path: str) -> list[Mutant]:
    """Return every mutant of a module; where Python tells the place in an f-string wrongly, one that is none."""
    if hidden := NO_WORDS.get(Path(path).suffix):
        text = (ROOT / path).read_text(encoding="utf-8")
        words = worded(hidden.sub(lambda found: "\0" * len(found[0]), text))
        return [Mutant(path, "sentence", len(text[:at].encode()), word, other) for at, word, other in words]
    source = Source(path)
    found = [one for node in source.nodes for one in changed(source, node)]
    found += [one for node in source.nodes if source.asks for one in asked(source, node)]
    return [*dict.fromkeys(found), *said(source)]


def changed(source: Source, node: ast.AST) -> Iterator[Mutant]:
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS and not (texts(node.left) or texts(node.right)):
        yield from source.between("sign", node.left, node.right, *OPERATORS[type(node.op)])
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield source.of("sign", node, source.text(node.operand))
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        sign = re.sub(r"([a-z])(?=[A-Z])", r"\1 ", type(node.ops[0]).__name__).lower()
        sign = {"lt": "<", "gt": ">", "lt e": "<=", "gt e": ">=", "eq": "==", "not eq": "!="}.get(sign, sign)
        yield from source.between("comparison", node.left, node.comparators[0], sign, NEGATED[sign])
        if sign in EDGES:
            yield from source.between("bound", node.left, node.comparators[0], sign, EDGES[sign])
            yield from more(source, "bound", node.comparators[0])
    elif isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for part in parts:
            for index in (part.lower, part.upper) if isinstance(part, ast.Slice) else (part,):
                yield from more(source, "index", index)
    elif isinstance(node, ast.keyword) and node.arg == "axis":
        yield from more(source, "index", node.value)
    elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
        for default in (*node.args.defaults, *node.args.kw_defaults):
            yield from more(source, "default", default)
    elif isinstance(node, ast.AnnAssign) and node.value:
        yield from more(source, "default", node.value)
    elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).isupper():
        for value in node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]:
            yield from more(source, "bound", value)


def more(source: Source, kind: str, node: ast.expr | None) -> Iterator[Mutant]:
    """Yield a number that is another, and True that is False."""
    number = node.operand if isinstance(node, ast.UnaryOp) else node
    if isinstance(number, ast.Constant) and type(number.value) in (int, float, bool):
        other = not number.value if isinstance(number.value, bool) else number.value + 1
        yield source.of(kind, number, str(other if type(other) is not float else 2 * number.value or 1.0))


def texts(node: ast.AST) -> bool:
    """Return whether a node is a sentence, or what makes one of it; a line of a program is none."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value.count(" ") >= 3 and node.value[0].isupper()
    if isinstance(node, ast.Call):
        return bool(node.args) and ast.unparse(node.func).islower() and texts(node.args[0])
    return isinstance(node, ast.JoinedStr)


def asked(source: Source, node: ast.AST) -> Iterator[Mutant]:
    """Yield another right answer of a question, and reasons in each other's place."""
    if isinstance(node, ast.Call) and (name := ast.unparse(node.func)) in RIGHT:
        at, beside, wrong = RIGHT[name]
        if len(node.args) > max(at, beside):
            right = node.args[at]
            yield source.of("right", right, wrong.format(source.text(right), source.text(node.args[beside])))
    elif isinstance(node, ast.Dict):
        for one, other in pairwise(value for value in node.values if texts(value)):
            yield from source.swapped(one, other)
    elif isinstance(node, ast.Tuple | ast.List):
        calls = [part for part in node.elts if isinstance(part, ast.Call) and ast.unparse(part.func) == "Mistake"]
        said = [call.args[1] for call in calls if len(call.args) == 2] or [part for part in node.elts if texts(part)]
        for one, other in pairwise(said):
            yield from source.swapped(one, other)


def said(source: Source) -> Iterator[Mutant]:
    """Yield a number or a word of a sentence changed, outside docstrings and the values that are put in."""
    tokens = list(tokenize.tokenize(io.BytesIO(source.bytes).readline))
    strings = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    lines = source.bytes.decode().split("\n")
    documented = [node for node in source.nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
    docstrings = {(node.lineno, node.col_offset) for node in documented}
    for token in tokens:
        text = VALUES.sub(lambda found: "\0" * len(found[0]), token.string)
        least = 4 if token.type == tokenize.STRING else 3  # words: from Python 3.12 on an f-string comes in pieces
        if token.type in strings and token.start not in docstrings and len(re.findall("[A-Za-z]{2,}", text)) >= least:
            start = source.at(token.start[0], len(lines[token.start[0] - 1][: token.start[1]].encode()))
            for at, word, other in worded(text):
                place = start + len(token.string[:at].encode())
                yield source.mutant("sentence", place, place + len(word.encode()), other)


def worded(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield where a number or a word stands that has an opposite, and what takes its place."""
    for found in re.finditer(r"(?<![\w.#&-])(\d+|[a-z]{3,})(?![\w;=])", text):
        word = found[0]
        if other := str(int(word) + 1) if word.isdigit() else OPPOSITE.get(word):
            yield found.start(), word, other
