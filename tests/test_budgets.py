"""Budgets of lines, which only go down: what one person can carry, and what one can read in an evening."""

from pathlib import Path

import pytest

ROOT, CODE = Path(__file__).parents[1], {".py", ".js", ".css"}
SOURCE = ["attention_core", "pages", ".deploy", "streamlit_app.py"]
PAGES = [f"pages/{room}" for room in ("links", "questions", "page", "scaling")]
ROOM = 1.01  # so that a contribution is judged, not counted; the budget itself does not grow
EVENING = ["attention_core/equations", "attention_core/model", *PAGES]  # see CONTRIBUTING


def n_lines(places):
    roots = [ROOT / place for place in places]
    files = [path for root in roots for path in (root.rglob("*") if root.is_dir() else [root])]
    return sum(path.read_text(encoding="utf-8").count("\n") for path in files if path.suffix in CODE)


@pytest.mark.parametrize(
    ("places", "budget"),
    [(SOURCE, 40_746), (["tests"], 34_153), (EVENING, 5_872), (["tests/bench"], 1_422)],
    ids=["source", "tests", "an evening", "benchmarks"],
)
def test_a_budget_of_lines_is_kept(places, budget):
    assert 0 < n_lines(places) <= ROOM * budget
