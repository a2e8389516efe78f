import os
import time
from collections.abc import Iterator

import pytest
from hypothesis import settings
from markupsafe import Markup

import attention_core  # before NumPy, so that its products use one thread, as a server's do

MOST = 5.0  # seconds of the processor: what takes longer is for the night
DEAR = {"nightly", "exhaustive"}
settings.register_profile("all", deadline=None, derandomize=True, max_examples=25)  # no test depends on time
settings.register_profile("nightly", settings.get_profile("all"), max_examples=100)


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("nightly" if config.option.markexpr == "nightly" else "all")
    if attention_core.MISREADS_FLAGS:
        config.addinivalue_line("filterwarnings", "ignore:.* encountered in (dot|matmul):RuntimeWarning")


def refuse(markup: Markup, specification: str) -> str:
    """Refuse markup in an f-string: it would become text, and a student would read its tags."""
    raise TypeError(f"Markup in a text becomes text: write Markup(…).format(…) for {str(markup)!r}")


setattr(Markup, "__format__", refuse)  # noqa: B010  a type checker sees no method to be replaced


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist, which may be absent
def pytest_xdist_auto_num_workers() -> int:
    """Return how many tests run at a time: more than there are cores, for those in a browser mostly wait."""
    return round(1.5 * (os.cpu_count() or 1))


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name a long text or a file by its beginning: names travel between processes."""
    return ascii(val[:50])[:60] if isinstance(val, str | bytes) and len(val) > 50 else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the browser: one process is busy with it for minutes, while the others do the rest."""
    items.sort(key=lambda item: "browser" not in item.keywords)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Note a test that is dear for everybody. It does not fail: processors differ, and so do their hours."""
    start = time.process_time()
    result = yield
    used = time.process_time() - start
    if used > MOST and not DEAR & {mark.name for mark in item.iter_markers()}:
        item.user_properties.append(("dear", f"{used:.1f} seconds of the processor: make it cheaper, or nightly"))
    return result


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for report in terminalreporter.getreports("passed"):
        for _, told in report.user_properties:
            terminalreporter.write_line(f"{report.nodeid}: {told}")
