import pytest

from pages.tiny_lm.train.queue import Scheduler
from tests.app.tiny_lm.runs import Clock, wait_for


@pytest.fixture
def scheduler():
    found = Scheduler(1, present=lambda owner: True)
    yield found
    for one in list(found.jobs.values()):
        found.stop(one)
    wait_for(lambda: found.n_threads == 0)


@pytest.fixture
def clock():
    return Clock()
