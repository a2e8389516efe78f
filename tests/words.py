"""What the course says: every string of its own that may reach a screen, a file or a reader, and words not to say."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
LONGEST_SENTENCE = 30  # words
GAP = "…"  # stands for a value in a sentence


class Said(NamedTuple):
    file: str
    line: int
    text: str


TABLE = (ROOT / "tests/words_not_said.txt").read_text(encoding="utf-8")
# By the pattern of what is not said, what is said in its place; what is in the way of its ordinary use is left out.
NOT_SAID = {pattern: instead for instead, _, pattern in (row.partition(" ⇐ ") for row in TABLE.splitlines())}


@cache
def files(*places: str) -> list[str]:
    """Return the modules in folders of the repository, or at such a place."""
    paths = [path for place in places for path in ROOT.glob(place if "." in place else f"{place}/**/*.py")]
    return sorted(str(path.relative_to(ROOT)) for path in paths)


def strings(file: str, with_docstrings: bool = False) -> list[Said]:
    """Return the strings of a module, with a gap where a value is put in; docstrings only if they are wanted."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if not with_docstrings
        and isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    inside |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "words"}
    inside |= {
        id(node.value) for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "WORDS"
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings | inside:
            found.append(Said(file, node.lineno, node.value))
        elif isinstance(node, ast.JoinedStr):
            found.append(Said(file, node.lineno, "".join(spelled(part) for part in node.values)))
    return [said for said in found if is_prose(said.text)]


def spelled(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else GAP


def is_prose(text: str) -> bool:
    """Tell whether a string may be read on a screen: a key, a word in a link and a name in code are not."""
    in_code = re.fullmatch(r"[a-z0-9_.:/\-]*|[\w\s]{90,}", text) or re.search(r"\bdatum\b|:[QNO]$", text)
    in_code = in_code or re.search(r"^(def|import) ", text, re.MULTILINE)
    return not in_code and re.search(r"[^\W\d_]{2}", text) is not None


def words_not_said(said: Said) -> Iterator[str]:
    """Yield what a string says that the style sheet does not, with what to say."""
    text = re.sub(r"<[^>]*>|`[^`]*`", " ", said.text)
    for pattern, instead in NOT_SAID.items():
        for match in re.finditer(pattern, text, flags=re.IGNORECASE):
            context = text[max(0, match.start() - 30) : match.end() + 30].replace("\n", " ")
            yield f"{said.file}:{said.line} “{match[0]}” ({instead}): …{context}…"


def long_sentences(said: Said) -> Iterator[str]:
    """Yield the sentences of a string that are too long to be read aloud."""
    text = re.sub(r"<[^>]*>", " ", said.text)
    for sentence in re.split(r"(?<=[.!?])\s+|\n\s*[-|]|\n\n", text):
        n_words = len(re.findall(r"[^\W_][\w’'.,·]*", sentence))
        if n_words > LONGEST_SENTENCE and "=" not in sentence:
            yield f"{said.file}:{said.line} {n_words} words: {sentence[:90]}…"
