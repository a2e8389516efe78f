"""The scripts of components: modules that may import others."""

import re
from pathlib import Path
from typing import Any

from pages.look.style import COLOURS

IMPORT = re.compile(r'^import (?:\{[^}\n]*\} from )?"([^"\n]*)"\n', re.MULTILINE)


def assets(script: Path, html: str = "<span></span>") -> dict[str, Any]:
    """Return what a component is made of: a module with those that it imports, and the style sheets beside them."""
    sheets = [path.with_suffix(".css") for path in modules(script)]
    css = "".join(sheet.read_text(encoding="utf-8") for sheet in sheets if sheet.exists())
    return {"html": html, "css": f":host{{{COLOURS}}}{css}", "js": joined(script)}


def modules(script: Path) -> list[Path]:
    """Return a module after all that it imports, each once."""
    names = IMPORT.findall(script.read_text(encoding="utf-8"))
    needed = dict.fromkeys(path for name in names for path in modules((script.parent / name).resolve()))
    return [*needed, script]


def joined(script: Path) -> str:
    """Return a module and all that it imports as one: Streamlit hands a script to the browser as a text without an
    address, from which nothing can be imported.
    """
    texts = [IMPORT.sub("", path.read_text(encoding="utf-8")) for path in modules(script)]
    return "\n".join(re.sub("^export (?!default)", "", text, flags=re.MULTILINE) for text in texts)
