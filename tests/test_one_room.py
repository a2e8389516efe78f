"""What is largest, equal or changed is decided in `pages/look/facts.py`, on the numbers as they are shown."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = {ROOT / "pages/look/facts.py", ROOT / "pages/look/html.py"}  # the second decides how numbers are written
FILES = sorted(
    path
    for path in (ROOT / "streamlit_app.py", *(ROOT / "pages").rglob("*.py"))
    if path not in ROOMS and not {"exercises", "redis_store.py"} & {*path.parts}
)
CHOICES = {"argmax", "argmin", "argsort", "nanargmax", "nanargmin", "argpartition", "isclose", "allclose"}
JUDGES = re.compile(r"\b((?<!at )(?<!At )most|largest|smallest|only|same|equal|equally|falls|rises|nearest|furthest)\b")
TINY = 1e-2  # a number up to it that is compared with something is a tolerance
LENGTH, NOUN = re.compile(r"^(?!.*several).*\blen\((?![A-Z_]+\))"), re.compile(r" (?:[a-z]+ )?[a-z]{2,}s\b")
OF_MANY = re.compile(r"(?:\b(?:of|of the|of your|all|All|last)|×) $")  # before a count that is never 1
COUNTING = sorted(path for path in (ROOT / "pages").rglob("*.py") if "sandbox" not in path.parts)
SAYS = "call a function of pages/look/facts.py, which decides on the numbers as they are shown"


def choices_in(tree):
    """Yield the lines that choose among numbers or compare them with a tolerance."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute | ast.Name)
            and (node.attr if isinstance(node, ast.Attribute) else node.id) in CHOICES
        ):
            yield node.lineno, "chooses or compares by itself"
        if isinstance(node, ast.Compare):
            for side in (node.left, *node.comparators):
                if isinstance(side, ast.Call) and ast.unparse(side.func).endswith((".max", ".min")):
                    yield node.lineno, "compares with the largest or the smallest"
                numbers = [one.value for one in ast.walk(side) if isinstance(one, ast.Constant)]
                if any(isinstance(value, float) and 0 < value <= TINY for value in numbers):
                    yield node.lineno, "compares with a tolerance"


def judgements_in(tree):
    """Yield the lines of strings that judge a number: in an f-string beside its value, or chosen by a condition."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and any(isinstance(part, ast.FormattedValue) for part in node.values):
            parts, where = node.values, "beside a value"
        elif isinstance(node, ast.IfExp):
            parts, where = [node.body, node.orelse], "under a condition"
        else:
            continue
        own = " ".join(part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str))
        if found := JUDGES.search(own):
            yield node.lineno, f"says “{found[0]}” {where}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_page_decides_by_itself(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = [f"line {line} {what}: {SAYS}" for line, what in sorted({*choices_in(tree), *judgements_in(tree)})]
    assert not told, "\n".join(told)


def counts_in(tree):
    """Yield the lines that put a length before its noun by themselves, so that “1 words” would be read."""
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)):
        parts = [ast.Constant(""), *node.values]
        for before, value, after in zip(parts, parts[1:], parts[2:], strict=False):
            words = [part.value if isinstance(part, ast.Constant) else "" for part in (before, after)]
            if LENGTH.search(ast.unparse(value)) and NOUN.match(words[1]) and not OF_MANY.search(words[0]):
                yield f"line {value.lineno} counts by itself: call `several` of pages/look/facts.py"


@pytest.mark.parametrize("path", COUNTING, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_count_agrees_with_its_noun(path):
    assert not [*counts_in(ast.parse(path.read_text(encoding="utf-8")))]
