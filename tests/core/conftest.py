"""One Hypothesis profile for the core: the same examples on every machine, and no deadline on a busy one."""

import pytest
from hypothesis import settings

settings.register_profile("core", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("nightly", deadline=None, derandomize=True)


def pytest_configure(config: pytest.Config) -> None:
    """Try a few examples of each property, or, where everything is asked for, a hundred."""
    settings.load_profile("nightly" if config.option.markexpr == "nightly" else "core")
