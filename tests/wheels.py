"""Whether all installs without a compiler: `python -m tests.wheels` asks the package index and installs nothing."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

REQUIREMENTS = Path(__file__).parents[1] / "requirements.txt"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
LINUX = ("manylinux_2_28", "manylinux_2_27", "manylinux2014")  # what Debian 11 and everything younger can install
PLATFORMS = {
    "Linux, x86-64": [f"{name}_x86_64" for name in LINUX],
    "Linux, ARM": [f"{name}_aarch64" for name in LINUX],
    "macOS, ARM": ["macosx_14_0_arm64"],
    "Windows, x86-64": ["win_amd64"],
}


def missing(version: str, platforms: list[str]) -> str:
    """Return what pip says is not to be had, or nothing."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--ignore-installed", "--target", "none"]
    command += ["--only-binary=:all:", "--python-version", version, "--requirement", str(REQUIREMENTS)]
    command += [word for platform in platforms for word in ("--platform", platform)]
    asked = subprocess.run(command, capture_output=True, text=True, check=False)
    errors = [line for line in asked.stderr.splitlines() if line.startswith("ERROR")]
    return "\n".join(errors or asked.stderr.splitlines()[-1:]) if asked.returncode else ""


def main() -> int:
    """Print a line for each version and platform, and return how many lack something."""
    asked = list(product(VERSIONS, PLATFORMS))
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda each: missing(each[0], PLATFORMS[each[1]]), asked))
    for (version, platform), said in zip(asked, answers, strict=True):
        print(f"Python {version}, {platform}: {said or 'all there'}")
    return sum(map(bool, answers))


if __name__ == "__main__":
    sys.exit(main())
