"""What the tests of bad input share: tables of calls and of what they have to say."""

import re
from collections.abc import Callable

import pytest


def says(*cases: tuple[Callable[..., object], str]) -> pytest.MarkDecorator:
    """Return the mark that runs a test for each of these calls and its message."""
    return pytest.mark.parametrize(("call", "message"), cases, ids=[message for _, message in cases])


def check(call: Callable[..., object], message: str, *arguments: object) -> None:
    """Require that the call raises a ValueError which says this, from its first word on."""
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        call(*arguments)
