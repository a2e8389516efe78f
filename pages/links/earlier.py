"""Links that an earlier version made: each still opens the view that it named.

From version 1.0 on no word and no value of a link gets another meaning. Who renames one adds a line to `earlier.txt`:
"qkv_old → qkv_new" for a word, "qkv_step=old → qkv_step=new" for a value, or nothing behind the arrow.
"""

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from pathlib import Path

LINES = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
RENAMED = {old: new.partition("  #")[0].strip() for old, _, new in (line.partition(" →") for line in LINES)}


def renew(words: Mapping[str, str], renamed: Mapping[str, str] = RENAMED) -> dict[str, str]:
    """Return the words of a link as this version says them, those too that are locked or hidden."""
    found = {}
    for key, value in words.items():
        page, _, mark = key.rpartition("_")
        if mark in ("lock", "hide"):
            now = (renamed.get(f"{page}_{name}", f"{page}_{name}") for name in value.split("."))
            value = ".".join(word.removeprefix(f"{page}_") for word in now if word)
        elif mark == "quiz" and "\n" in value:  # version 1.0 wrote questions as plain text
            value = covered(value)
        word, _, new = renamed.get(f"{key}={value}", f"{key}={value}").partition("=")
        if word := renamed.get(word, word):
            found[word] = new
    return found


def covered(text: str) -> str:
    """Return a text so that a glance at the address does not read it: it says which answer is right."""
    return urlsafe_b64encode(text.encode(errors="replace")).decode().rstrip("=")
