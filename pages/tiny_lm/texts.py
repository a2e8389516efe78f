"""Texts of the lesson that are no sentences of a step: beginnings, examples, and what its pictures and cards say."""

import tomllib
from pathlib import Path
from typing import Any

TEXTS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
