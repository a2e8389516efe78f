"""The allowlists: what students' code may contain, as policy.toml has it. What is not in a list is refused."""

import tomllib
from pathlib import Path


def words(text: str) -> set[str]:
    return set(text.split())


def reasons(said: dict[str, str]) -> dict[str, str]:
    return {name: why for why, names in said.items() for name in names.split()}


LISTS = tomllib.loads(Path(__file__).with_name("policy.toml").read_text("utf-8"))
MAX_DEPTH, MAX_NODES, MAX_STRING, MAX_INTEGER_DIGITS = 60, 4000, 2000, 40
NODES = words(LISTS["statements"]) | words(LISTS["expressions"]) | words(LISTS["parts"])
BUILTINS, METHODS = words(LISTS["builtins"]), words(LISTS["methods"])
MODULES = {name: words(listed) for name, listed in LISTS["modules"].items()}
SUBMODULES = {
    ("numpy", "linalg"): "numpy.linalg",
    ("numpy", "random"): "numpy.random",
    ("numpy", "testing"): "numpy.testing",
}
AT_HAND = {"np": "numpy", "numpy": "numpy", "math": "math"}  # names of modules that need no import
DROPPED = {"typing", "__future__", "numpy.typing", "collections.abc"}  # for annotations alone, which are dropped
DUNDER_NAMES = {"__name__"}
CONTEXTS = {"errstate", "printoptions"}  # of numpy: what `with` is for
WHY_NAME, WHY_ATTRIBUTE, WHY_KIND = (reasons(LISTS[f"why_{what}"]) for what in ("name", "attribute", "kind"))
