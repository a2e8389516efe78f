"""Run a script where there is nothing but Python's standard library and NumPy, and read the numbers that it prints."""

import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HEADER = re.compile(r"([A-Za-z_][\w.]*) \(((?:\d+, ?)*\d*)\)")
VALUE = re.compile(r"True|False|-?(?:inf|nan|\d+\.?\d*(?:e[+-]?\d+)?|\.\d+)")
START = "import runpy, sys; sys.path.append(sys.argv.pop(1)); runpy.run_path(sys.argv.pop(1), run_name='__main__')"


def run_bare(code: str) -> str:
    """Return what a script prints; it sees no package but NumPy, its warnings are errors, and it must end well."""
    numpy = Path(np.__file__).parent
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        packages = folder / "packages"
        packages.mkdir()
        for source in (numpy, numpy.with_name("numpy.libs")):
            if source.exists():
                (packages / source.name).symlink_to(source, target_is_directory=True)
        file = folder / "script.py"
        file.write_text(code, encoding="utf-8")
        # -I: no paths from outside; -S: no site-packages
        command = [sys.executable, "-I", "-S", "-X", "utf8", "-W", "error", "-c", START, str(packages), str(file)]
        # as many threads as a student's machine has: the sums of their parts are rounded otherwise than those of one
        env = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def printed(stdout: str) -> dict[str, np.ndarray]:
    """Return the arrays that a script has shown, by name: a line with name and shape, then the numbers."""
    found: dict[str, np.ndarray] = {}
    lines = stdout.splitlines()
    starts = [i for i, line in enumerate(lines) if HEADER.fullmatch(line)]
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        name, sizes = HEADER.fullmatch(lines[start]).groups()
        shape = tuple(int(size) for size in re.findall(r"\d+", sizes))
        values = VALUE.findall(" ".join(lines[start + 1 : stop]))[: math.prod(shape)]
        numbers = [float(value == "True") if value in ("True", "False") else float(value) for value in values]
        found[name] = np.array(numbers).reshape(shape)
    return found
