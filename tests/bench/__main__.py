"""The command line: `python -m tests.bench [section ...]` prints each ratio as a row of a Markdown table."""

import argparse
import os
import platform
from collections.abc import Callable, Iterator
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.bench import (
    app,
    browser,
    changes,
    classroom,
    decode,
    exercises,
    flash,
    learning,
    real,
    slow,
    startup,
    steps,
    together,
    training,
)
from tests.bench.table import HEADING, Row
from tests.bench.timing import Effort

SECTIONS: dict[str, Callable[[Effort], Iterator[Row]]] = {
    "step": steps.rows,
    "decode": decode.rows,
    "flash": flash.rows,
    "import": startup.rows,
    "learning": learning.rows,
    "change": changes.rows,
    "app": app.rows,
    "browser": browser.rows,
    "exercises": exercises.rows,
    "training": training.rows,
    "class": classroom.rows,
    "together": together.rows,
    "slow": slow.rows,
    "real": real.rows,
}
GROUPS = {"core": ["step", "decode", "flash", "import"]}
PACKAGES = {"NumPy": "numpy", "PyTorch": "torch", "Streamlit": "streamlit"}


def main() -> None:
    """Print the machine, then the rows as they are measured."""
    arguments = parse_arguments()
    chosen = [section for name in arguments.sections for section in GROUPS.get(name, [name])]
    effort = Effort(rounds=3, seconds=0.1, quick=True) if arguments.quick else Effort(arguments.rounds)
    print(f"{machine()}\n\n{HEADING}", flush=True)
    for section in dict.fromkeys(chosen):
        for row in SECTIONS[section](effort):
            print(row, flush=True)


def parse_arguments() -> argparse.Namespace:
    """Read the sections and how long to measure them."""
    names = [*GROUPS, *SECTIONS]
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Median ratios of interleaved runs.")
    parser.add_argument("sections", nargs="*", default=["core"], metavar="section", help=", ".join(names))
    parser.add_argument("--rounds", type=int, default=Effort.rounds, help="how often each side is timed")
    parser.add_argument("--quick", action="store_true", help="three short rounds, no textbook attention, a small class")
    arguments = parser.parse_args()
    if unknown := set(arguments.sections) - set(names):
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    return arguments


def machine() -> str:
    """Say when, on what and with which versions the numbers were taken."""
    versions = [f"{name} {installed(package)}" for name, package in PACKAGES.items()]
    parts = [date.today().isoformat(), cpu(), f"{os.cpu_count()} cores", f"Python {platform.python_version()}"]
    load = f"load before the start {os.getloadavg()[0]:.1f}"  # two threads on two cores suffer from any other process
    return ", ".join([*parts, *versions, load])


def cpu() -> str:
    """Return the processor's name, as far as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def installed(package: str) -> str:
    """Return a package's version without importing it."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


if __name__ == "__main__":
    main()
