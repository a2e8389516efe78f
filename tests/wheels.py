"""Whether all installs without a compiler: `python -m tests.wheels` asks the package index and installs nothing."""

import subprocess
import sys
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
COMMAND = "pip install --dry-run --quiet --ignore-installed --target none --only-binary=:all: --python-version"

if __name__ == "__main__":
    for version, platform in product(VERSIONS, PLATFORMS):
        command = [sys.executable, "-m", *COMMAND.split(), version, "--requirement", str(REQUIREMENTS)]
        command += [word for name in PLATFORMS[platform] for word in ("--platform", name)]
        asked = subprocess.run(command, capture_output=True, text=True, check=False)
        print(f"Python {version}, {platform}: {asked.stderr.strip() if asked.returncode else 'all there'}")
