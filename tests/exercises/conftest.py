import os

import numpy as np
import pytest

from pages.exercises.runner.service import SERVICE
from tests.exercises.grounds import SECRET, SECRET_NAME, Grounds

if os.environ.get("EXERCISES_WITHOUT_LIMITS"):
    raise RuntimeError("these tests ask for the limits: unset EXERCISES_WITHOUT_LIMITS")


@pytest.fixture(scope="session", autouse=True)
def _service():
    """Put a secret where a careless server would hand it on, and end all processes when the tests have ended."""
    os.environ[SECRET_NAME] = SECRET
    yield
    SERVICE.close()
    del os.environ[SECRET_NAME]


@pytest.fixture(scope="module")
def grounds(tmp_path_factory):
    made = Grounds(tmp_path_factory.mktemp("grounds"))
    yield made
    made.close()


@pytest.fixture
def rng():
    return np.random.default_rng(11)
