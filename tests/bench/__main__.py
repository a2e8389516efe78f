"""The command line: `python -m tests.bench [section ...]` prints each ratio as a row of a Markdown table."""

import argparse
import os
import platform
from collections.abc import Callable, Iterator
from datetime import date
from importlib.metadata import distributions
from pathlib import Path

from tests.bench import changes, classroom, core, real
from tests.bench.table import HEADING, Row
from tests.bench.timing import Effort

SECTIONS: dict[str, Callable[[Effort], Iterator[Row]]] = {
    "step": core.step_rows,
    "token": core.token_rows,
    "flash": core.flash_rows,
    "change": changes.rows,
    "class": classroom.rows,
    "class_room": classroom.vote_rows,
    "real": real.rows,
}
GROUPS = {"core": ["step", "token", "flash"]}


def main() -> None:
    """Print the machine, then the rows as they are measured."""
    arguments = parse_arguments()
    chosen = [section for name in arguments.sections for section in GROUPS.get(name, [name])]
    effort = Effort(rounds=3, seconds=0.1, quick=True) if arguments.quick else Effort()
    print(f"{machine()}\n\n{HEADING}", flush=True)
    for section in dict.fromkeys(chosen):
        for row in SECTIONS[section](effort):
            print(row, flush=True)


def parse_arguments() -> argparse.Namespace:
    """Read the sections and how long to measure them."""
    names = [*GROUPS, *SECTIONS]
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Median ratios of interleaved runs.")
    parser.add_argument("sections", nargs="*", default=["core"], metavar="section", help=", ".join(names))
    parser.add_argument("--quick", action="store_true", help="three short rounds, a small class")
    arguments = parser.parse_args()
    if unknown := set(arguments.sections) - set(names):
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    return arguments


def machine() -> str:
    """Say when, on what and with which versions the numbers were taken."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    cpu = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    parts = [date.today().isoformat(), cpu, f"{os.cpu_count()} cores", f"Python {platform.python_version()}"]
    load = f"load before the start {os.getloadavg()[0]:.1f}"  # two threads on two cores suffer from any other process
    packages = {each.name.lower(): each.version for each in distributions()}  # without importing them
    versions = [f"{name} {packages.get(name, 'not installed')}" for name in ("numpy", "torch", "streamlit")]
    return ", ".join([*parts, *versions, load])


if __name__ == "__main__":
    main()
