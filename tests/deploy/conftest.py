from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.deploy.nginx import HOW_TO_GET, Nginx, found
from tests.missing import without


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Nginx]]:
    """A function that puts nginx before three ports."""
    if not found():
        without(HOW_TO_GET)
    with ExitStack() as running:

        def before(ports: list[int], instead: dict[str, str] | None = None) -> Nginx:
            return running.enter_context(Nginx(tmp_path_factory.mktemp("nginx"), ports, instead))

        yield before
