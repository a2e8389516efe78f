"""The served app in Chromium. Without a browser these tests are skipped; where the environment says CI, they fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.bench.server import Server
from tests.browser.chromium import FLAGS, find, names
from tests.browser.screen import LIMIT, TRAFFIC
from tests.missing import without

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

FORGET = "try { localStorage.clear() } catch {}"  # a page without an origin has none


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")
            lane = f" {len(item.name) % 2} of the night" if item.get_closest_marker("nightly") else ""
            item.add_marker(pytest.mark.xdist_group(f"browser{lane}"))  # one process has the browser and its server


# Scope "package": Playwright's event loop runs in this thread until it is stopped, and other tests must not meet it.


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    try:
        from playwright.sync_api import expect, sync_playwright
    except ImportError:
        without("Playwright (pip install -r requirements-dev.txt)")
    path = find() or without(f"{' or '.join(names())} (apt-get install chromium)")
    expect.set_options(timeout=LIMIT)
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=path, args=FLAGS) as launched:
        yield launched


@pytest.fixture(scope="package")
def server(browser: Browser) -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Callable[..., Page]]:
    """A function that brings a new visitor to a server, with a screen of its own and nothing remembered."""
    with ExitStack() as contexts:

        def arrive(at: Server, width: int = 1280, height: int = 900, **options: Any) -> Page:
            size = {"width": width, "height": height}
            context = contexts.enter_context(browser.new_context(base_url=at.url, viewport=size, **options))
            context.set_default_timeout(LIMIT)
            context.add_init_script(TRAFFIC)
            return context.new_page()

        yield arrive


@pytest.fixture(scope="package")
def regular(browser: Browser, server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """A browser that has been here before: it has the files at hand, also compiled, and remembers nothing else."""
    profile = tmp_path_factory.mktemp("profile")
    with browser.browser_type.launch_persistent_context(
        profile, executable_path=find(), args=FLAGS, base_url=server.url, viewport={"width": 1280, "height": 900}
    ) as context:
        context.set_default_timeout(LIMIT)
        context.add_init_script(TRAFFIC)
        context.add_init_script(FORGET)
        yield context


@pytest.fixture
def page(regular: BrowserContext) -> Iterator[Page]:
    with regular.new_page() as tab:
        yield tab
