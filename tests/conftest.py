import os

import pytest


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist, which may be absent
def pytest_xdist_auto_num_workers() -> int:
    """Return how many tests run at a time: more than there are cores, for those in a browser mostly wait."""
    return round(1.5 * (os.cpu_count() or 1))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the browser: one process is busy with it for minutes, while the others do the rest."""
    items.sort(key=lambda item: "browser" not in item.keywords)
