"""What a test needs beyond Python's packages: without it the test is skipped; where the environment says CI, it fails."""

import os
from typing import Any

import pytest


def without(needed: str) -> Any:
    (pytest.fail if os.environ.get("CI") else pytest.skip)(f"this test needs {needed}")
