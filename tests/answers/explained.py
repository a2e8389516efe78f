"""Explanations that a student builds: each statement by its experiment, as `explained.toml` says it."""

import tomllib
from pathlib import Path

from tests.answers.oracle import Found, oracle

STATEMENTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def register(lesson, name, shown):
    @oracle(lesson, f"explain_{name}")
    def statement(view):
        known = {option: next(words for words in shown if option.startswith(words)) for option in view.options}
        assert set(known.values()) == set(shown)
        right = next(iter(shown))
        found = {option for option, words in known.items() if words == right}
        return Found(found, {option: shown[words] for option, words in known.items()}, why=shown[right])


for lesson, told in STATEMENTS.items():
    for statements in told.values() if lesson == "tiny_lm" else [told]:
        for name, shown in statements.items():
            register(lesson, name, shown)
