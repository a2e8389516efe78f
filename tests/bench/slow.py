"""A visit over a slow line: `python -m tests.bench slow` puts 2 Mbit/s and 200 ms between Chromium and the server.

Measured are what travels, when the first words show and when the first chart does: for somebody who was never here, and
for the same browser once more. The course is served in two ways: by `streamlit_app.py`, and by `.deploy/server.py`,
which sends Streamlit's own files compressed and has everything loaded; of both also the very first visitor is measured.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from tests.bench.app import HOME
from tests.bench.browser import FIRST_CHART
from tests.bench.client import Student
from tests.bench.server import Server
from tests.bench.slow_line import SlowLine
from tests.bench.table import Row, milliseconds
from tests.bench.timing import ROOT, Effort
from tests.browser.chromium import FLAGS, find
from tests.browser.screen import visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

MEGABITS, ROUND_TRIP = 2.0, 0.2
PAGES = (("/", HOME, "the home page"), ("/qkv", "qkv", "the first lesson"))
ENTRIES = ("streamlit_app.py", ".deploy/server.py")
VISITS = 3
REST = 1000  # ms after the page is settled, in which what is still under way arrives

# Keeps in window.firstWords when the first of our own words could be read.
FIRST_WORDS = """const read = () => {
    const said = document.querySelector('[data-testid=stMain] .course, [data-testid=stMain] h1')
    if (said?.innerText.trim()) window.firstWords = performance.now()
    else requestAnimationFrame(read)
}
requestAnimationFrame(read)"""


class View(NamedTuple):
    """What one visit took: seconds until words and a chart show, bytes on the line, and requests."""

    words: float
    chart: float
    weight: int
    requests: int


def rows(effort: Effort) -> Iterator[Row]:
    """Measure first and second visits, or say what is missing."""
    line = f"{MEGABITS:.0f} Mbit/s, {ROUND_TRIP * 1e3:.0f} ms"
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        yield Row(f"{line}: first view", "not installed")
        return
    path = find()
    if path is None:
        yield Row(f"{line}: first view", "not installed")
        return
    visits = 1 if effort.quick else VISITS
    for entry in ENTRIES:
        with Server(ROOT / entry) as server:
            yield from start_rows(server, entry)
            with (
                sync_playwright() as playwright,
                playwright.chromium.launch(executable_path=path, args=FLAGS) as browser,
            ):
                for link, _, title in PAGES:
                    pairs = [both_visits(browser, server.port, link) for _ in range(visits)]
                    for which, views in zip(("first", "second"), zip(*pairs, strict=True), strict=True):
                        yield row(f"{line}, {entry}: a {which} visit to {title}", views)


def start_rows(server: Server, entry: str) -> Iterator[Row]:
    """Measure the very first visitors of a server, who wait until all is loaded, on a quick line."""
    yield Row(f"{entry}: start until it answers", f"{milliseconds(server.cpu_seconds())} of processor")
    for _, name, title in PAGES:
        before = server.cpu_seconds()
        seconds = asyncio.run(open_page(server, name))
        spent = milliseconds(server.cpu_seconds() - before)
        first = "the very first visitor, on" if name == HOME else "the next, on"
        yield Row(f"{entry}: {first} {title}", f"{milliseconds(seconds)}, {spent} of processor")


async def open_page(server: Server, name: str) -> float:
    """Return how long a page takes to be finished."""
    async with Student(server.port, name) as student:
        return await student.run()


def both_visits(browser: Browser, port: int, link: str) -> tuple[View, View]:
    """Open a link twice in a browser that has never been here."""
    with SlowLine(port, MEGABITS, ROUND_TRIP) as line:
        address = f"http://localhost:{line.port}"
        with browser.new_context(base_url=address, viewport={"width": 1280, "height": 900}) as context:
            context.set_default_timeout(120_000)
            return view(context, line, link), view(context, line, link)


def view(context: BrowserContext, line: SlowLine, link: str) -> View:
    """Open a link in a new tab."""
    page = context.new_page()
    requests: list[str] = []
    page.on("requestfinished", lambda request: requests.append(request.url))
    page.add_init_script(FIRST_CHART)
    page.add_init_script(FIRST_WORDS)
    before = line.carried
    visit(page, link)
    page.wait_for_timeout(REST)
    words, chart = page.evaluate("[window.firstWords, window.firstChart]")
    page.close()
    return View(words / 1e3, chart / 1e3, line.carried - before, len(requests))


def row(what: str, views: tuple[View, ...]) -> Row:
    """Return what some visits took."""
    words, chart, weight, requests = (median(column) for column in zip(*views, strict=True))
    when = f"words after {milliseconds(words)}, a chart after {milliseconds(chart)}"
    return Row(what, f"{when}; {weight / 2**20:.2f} MiB in {requests:.0f} files")
