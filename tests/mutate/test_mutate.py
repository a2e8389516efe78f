"""Mutants are exact edits, every module with questions has one of its right answers, and a sample of them is killed."""

import subprocess
import sys

import pytest

from tests.mutate import mutants as room
from tests.mutate.covers import MESSAGES, RECORD, covering, files
from tests.mutate.mutants import ROOT, mutants
from tests.mutate.sample import SAMPLE

TEXT = '''"""The largest of 2 things is said here."""
from pages.questions.kinds import Choice, Mistake

LIMIT = 3  # √ stands before a mutant


def asked(a: tuple[int, ...], turn: bool = True):
    if a[0] <= LIMIT:  # kept
        a = -a + 1
    said = (Mistake(1, f"It rises by {a[1]} in 2 of the rows."), Mistake(2, "It does not."))
    return Choice("name", "text", ("one", "two"), (0,), "", said)
'''
CHANGED = {
    *('(0,) → tuple((i + 1) % len(("one", "two")) for i in ((0,)))', "0 → 1", "1 → 2", "2 → 3", "3 → 4"),
    *("<= → >", "<= → <", "-a → a", "+ → -", "True → False", "rises → falls", "rows → columns"),
    'f"It rises by {a[1]} in 2 of the rows."), Mistake(2, "It does not." → '
    '"It does not."), Mistake(2, f"It rises by {a[1]} in 2 of the rows."',
}


def test_a_mutant_is_an_exact_edit(tmp_path, monkeypatch):
    monkeypatch.setattr(room, "ROOT", tmp_path)
    (tmp_path / "a.py").write_text(TEXT, encoding="utf-8")
    found = mutants("a.py")
    assert {str(one).split(": ", 1)[1] for one in found} == CHANGED
    assert all(one.is_one() for one in found)
    (tmp_path / "a.md").write_text("√ `2` is `x` above 2.\n  for: x 2\n```\n3\n```", encoding="utf-8")
    assert {str(one) for one in mutants("a.md")} == {"a.md:1: above → below", "a.md:1: 2 → 3"}
    (tmp_path / "a.toml").write_text("# above 1\n[above]\nfirst = 'the first of 2'  # above\n", encoding="utf-8")
    assert {str(one) for one in mutants("a.toml")} == {"a.toml:3: first → last", "a.toml:3: 2 → 3"}
    (turned,) = [one for one in found if one.before == "True"]
    assert turned.applied(TEXT.encode()).decode() == TEXT.replace("True", "False")
    assert turned.line == 7


def test_every_module_that_makes_a_question_has_a_mutant_of_its_right_answer():
    asking = [path for path in files("pages", "*.py") if b"Choice.of(" in (ROOT / path).read_bytes()]
    assert len(asking) > 20
    assert [path for path in asking if not any(one.kind == "right" for one in mutants(path))] == []


def test_every_module_is_covered():
    paths = [files(room, f"*.{kind}") for room in ("attention_core", "pages") for kind in ("py", "toml")]
    assert [path for path in sum(paths, ()) if {*covering(path)} <= {MESSAGES, RECORD}] == []


@pytest.mark.nightly
def test_the_sample_is_killed():
    """Each by a test that passes without it, or the tests no longer hold what they held."""
    command = [sys.executable, "-m", "tests.mutate", "--sample"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, encoding="utf-8").stdout
    assert f"| sample | {len(SAMPLE)} | 0 | 0 |" in told, told
