"""Where the tests were run: `python -m tests.machines "Debian 12"` runs what needs no browser and writes a row of it.

A machine is what rounds and what runs: Python, NumPy, and the kernels that `OPENBLAS_CORETYPE` chose. Its row takes
the place of an earlier one, also if a test failed.
"""

import os
import platform
import re
import subprocess
import sys
from datetime import date

import numpy as np

from tests.reference.__main__ import DOCUMENT

HEAD = "| machine | Python | NumPy | kernels | result | date |\n|---|---|---|---|---|---|\n"
BY_DAY = "not browser and not nightly and not exhaustive"


def machine(name: str) -> str:
    kernels = os.environ.get("OPENBLAS_CORETYPE", "its own")
    without = "without new instructions" if os.environ.get("NPY_DISABLE_CPU_FEATURES") else ""
    return f"| {name} | {platform.python_version()} | {np.__version__} | {' '.join([kernels, without]).strip()} |"


def ran() -> str:
    """Return how many tests passed, failed and were skipped, as pytest counts them."""
    command = [sys.executable, "-m", "pytest", "-q", "-m", BY_DAY]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        last = ""
        for last in run.stdout or ():
            print(last, end="")
    found = re.findall(r"(\d+) (passed|failed|skipped|errors?)\b", last)
    return ", ".join(f"{int(number):,} {word}" for number, word in found) or "did not end"


def written(text: str, own: str, result: str) -> str:
    """Return the document in which the row of a machine is the one of today."""
    before, _, rest = text.partition(HEAD)
    rows, _, after = rest.partition("\n\n")
    kept = [row for row in rows.splitlines() if not row.startswith(own)]
    return before + HEAD + "\n".join(sorted([*kept, f"{own} {result} | {date.today()} |"])) + "\n\n" + after


if __name__ == "__main__":
    own = machine(sys.argv[1])
    result = ran()
    DOCUMENT.write_text(written(DOCUMENT.read_text(encoding="utf-8"), own, result), encoding="utf-8")
