import os


def pytest_xdist_auto_num_workers() -> int:
    """Return how many tests run at a time: more than there are cores, for those in a browser mostly wait."""
    return round(1.5 * (os.cpu_count() or 1))
