"""The examples in docstrings are run, and every public function that computes has one."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import attention_core as core

ROOT = Path(core.__file__).parent
MODULES = [
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
    for path in sorted(ROOT.rglob("[!_]*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]
WITHOUT = {"AdamW", "Batch", "Config", "Model"}  # types
WITHOUT |= {"load_optimizer", "named_arrays", "save"}  # seen in the example of another


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings_give_what_they_say(module):
    found = doctest.testmod(import_module(module))
    assert found.attempted
    assert found.failed == 0


def test_every_public_function_that_computes_has_an_example():
    assert {name for name in core.__all__ if ">>> " not in (getattr(core, name).__doc__ or "")} == WITHOUT
