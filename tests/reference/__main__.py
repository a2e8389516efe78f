"""Run the suites of others: `python -m tests.reference` writes what passes into the table of the library."""

from collections import Counter, defaultdict
from pathlib import Path

from tests.reference import onnx_nodes, opinfo

DOCUMENT = Path(__file__).parents[2] / ".github" / "docs" / "library.md"
HEAD = "| suite | operator | cases | passed | not offered |\n|---|---|---:|---:|---|\n"


def rows() -> str:
    """Return a row for each operator; a wrong number raises AssertionError."""
    verdicts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for suite, module in (("ONNX", onnx_nodes), ("PyTorch", opinfo)):
        for case in module.cases():
            verdicts[suite, case.operator][case.verdict()] += 1
    for suite in ("ONNX", "PyTorch"):
        verdicts[suite, "all"] = sum((found for (own, _), found in verdicts.items() if own == suite), Counter())
    text = ""
    for (suite, operator), found in sorted(verdicts.items(), key=lambda row: (row[0][0], row[0][1] == "all")):
        total, passed = found.total(), found.pop("passed", 0)
        left = "; ".join(f"{n}: {reason}" for reason, n in found.items()) if operator != "all" else ""
        text += f"| {suite} | {operator} | {total} | {passed} | {left or total - passed} |\n"
    return text


def written(text: str) -> str:
    before, _, rest = text.partition(HEAD)
    return before + HEAD + rows() + "\n" + rest.partition("\n\n")[2]


if __name__ == "__main__":
    DOCUMENT.write_text(written(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
