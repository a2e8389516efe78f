import asyncio
import subprocess
import sys
from contextlib import AsyncExitStack

import pytest

from tests.bench.client import Student
from tests.bench.server import Server
from tests.bench.timing import ROOT

resource = pytest.importorskip("resource")
LIMIT = 100
RAISED = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({}, {}))
from pages.server.process import raise_limit
raise_limit()
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.fixture
def small_server():
    """A server that may have few descriptors, and cannot raise its limit."""
    if not hasattr(resource, "prlimit"):
        pytest.skip("the limit of another process can be set on Linux alone")
    with Server() as server:
        resource.prlimit(server.process_id, resource.RLIMIT_NOFILE, (LIMIT, LIMIT))
        yield server


async def opened(server, tabs):
    student = await tabs.enter_async_context(Student(server.port))
    await student.run()
    assert student.errors == []
    return student


@pytest.mark.parametrize(("soft", "hard", "raised", "warned"), [(256, 9000, 8192, False), (256, 512, 512, True)])
def test_a_server_raises_its_limit_and_says_where_it_may_not(soft, hard, raised, warned):
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < hard:
        pytest.skip("the limit of this machine is lower")
    command = [sys.executable, "-c", RAISED.format(soft, hard)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(raised), str(hard)]
    assert (str(hard) in done.stderr) == warned


@pytest.mark.nightly
def test_where_few_descriptors_are_left_a_new_page_says_so_and_the_others_go_on(small_server):
    async def lesson():
        async with AsyncExitStack() as tabs:
            students = [await opened(small_server, tabs) for _ in range(LIMIT // 5)]
            assert students[0].buttons
            assert not students[-1].buttons
            await students[0].change()
            assert students[0].errors == []

    asyncio.run(lesson())
