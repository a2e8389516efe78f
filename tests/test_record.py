"""Limits, defaults and the claims of fixed sentences are those that were read: a change of one is meant."""

import pytest

from tests.record import RECORD, ROOT, lines_of, modules

RECORDED = RECORD.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("path", modules())
def test_a_module_means_and_claims_what_was_recorded(path):
    recorded = [line.removeprefix(f"{path}: ") for line in RECORDED if line.startswith(f"{path}: ")]
    assert lines_of(ROOT / path) == recorded, "read what changed; if it is meant: python -m tests.record"
