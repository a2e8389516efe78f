"""Limits, sizes and defaults are those that were read: a change of one is meant."""

import pytest

from tests.record import RECORD, ROOT, line_of, modules

RECORDED = dict(line.split(": ", 1) for line in RECORD.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("path", modules())
def test_a_module_has_the_limits_that_were_recorded(path):
    assert line_of(ROOT / path) == RECORDED.get(path, ""), "if it is meant: python -m tests.record"
