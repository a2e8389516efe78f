"""What a test needs beyond Python: where it is missing the test is skipped, or fails if the environment says CI."""

import os
from typing import Any

import pytest


def without(needed: str) -> Any:
    (pytest.fail if os.environ.get("CI") else pytest.skip)(f"this test needs {needed}")
