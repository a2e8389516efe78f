"""The course in a browser: `python -m tests.bench browser` starts the real server and opens Chromium on it.

Measured are how long a click on a cell takes until its outlines and its derivation show, and what a first visit costs.
Times are taken inside the page, so that what drives the browser does not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.bench.server import Server
from tests.bench.table import Row, milliseconds
from tests.bench.timing import Effort
from tests.browser.chromium import FLAGS, find
from tests.browser.screen import CHART, cells, chart, reveal, settle, visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SOFTMAX = "/qkv?qkv_step=softmax"
HEATMAP = "qkv_Weight_chart"
PLACES = [(1, 4), (5, 0)]  # row and column, clicked in turns
GOAL = 0.150
CLICKS, WARM_UP = 30, 2
PAUSE = 500  # ms after a click
VISITS = 5

# Keeps in window.clicks, of every click, when it was made and when its outline and its card were there, and the tasks
# that kept the page busy for more than 50 ms. What a frame finds in the page is what is painted next.
WATCH = """heatmap => {
    const state = () => ({
        outline: [...document.querySelectorAll(`.st-key-${heatmap} .mark-rect.role-mark`)].at(-1)?.innerHTML,
        card: document.querySelector('.course .title')?.textContent,
    })
    window.clicks = []
    document.addEventListener('click', event => {
        const before = state(), seen = {clicked: event.timeStamp}
        window.clicks.push(seen)
        const look = () => {
            const now = state()
            for (const part of ['outline', 'card'])
                if (now[part] && now[part] !== before[part]) seen[part] ??= performance.now()
            if (!(seen.outline && seen.card)) requestAnimationFrame(look)
        }
        requestAnimationFrame(look)
    }, true)
    window.tasks = []
    const note = list => window.tasks.push(...list.getEntries().map(task => [task.startTime, task.duration]))
    new PerformanceObserver(note).observe({type: 'longtask'})
}"""

# Keeps in window.firstChart when the first chart was there, counted from the start of the visit.
FIRST_CHART = """const look = () => {
    if (document.querySelector('CHART svg .mark-rect path')) window.firstChart = performance.now()
    else requestAnimationFrame(look)
}
requestAnimationFrame(look)""".replace("CHART", CHART)


class Click(NamedTuple):
    """Seconds from a click to what it changed, and the longest task on the way, or 0 if none took 50 ms."""

    outline: float
    card: float
    task: float


class Visit(NamedTuple):
    """What a first visit costs: seconds to the first chart, requests, and bytes as they travelled."""

    chart: float
    requests: int
    files: int
    messages: int


def rows(effort: Effort) -> Iterator[Row]:
    """Measure clicks and first visits, or say what is missing."""
    clicked = "a click on a cell until card and outline show"
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        yield Row(clicked, "not installed", goal=f"≤ {milliseconds(GOAL)}")
        return
    path = find()
    if path is None:
        yield Row(clicked, "not installed", goal=f"≤ {milliseconds(GOAL)}")
        return
    visits = 1 if effort.quick else VISITS
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=path, args=FLAGS) as browser:
        for link, name in (("/", "the home page"), ("/qkv", "the first lesson")):
            with Server() as server:
                costs = [first_visit(browser, server, link) for _ in range(visits + 1)]
            yield from visit_rows(name, costs[0], costs[1:])
        with Server() as server:
            yield from click_rows(clicked, clicks(browser, server, 10 if effort.quick else CLICKS))


@contextmanager
def newcomer(browser: Browser, server: Server) -> Iterator[Page]:
    """Open an empty tab of a browser that has never been here."""
    size = {"width": 1280, "height": 900}
    with browser.new_context(base_url=f"http://localhost:{server.port}", viewport=size) as context:
        yield context.new_page()


def clicks(browser: Browser, server: Server, n: int) -> list[Click]:
    """Click cells in turns and return how long each click took."""
    with newcomer(browser, server) as page:
        visit(page, SOFTMAX)
        reveal(page)
        chart(page, HEATMAP).scroll_into_view_if_needed()
        page.evaluate(WATCH, HEATMAP)
        boxes = [cells(page, HEATMAP)[row][column].bounding_box() for row, column in PLACES]
        for i in range(WARM_UP + n):
            box = boxes[i % 2]
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            page.wait_for_timeout(PAUSE)
        settle(page)
        seen, tasks = page.evaluate("[window.clicks, window.tasks]")
    return [took(click, tasks) for click in seen[WARM_UP:]]


def took(click: dict[str, float], tasks: list[list[float]]) -> Click:
    """Return what a click cost."""
    start = click["clicked"]
    durations = [duration for began, duration in tasks if start - duration < began < start + PAUSE]
    outline, card = (click.get(part, float("inf")) - start for part in ("outline", "card"))
    return Click(outline / 1e3, card / 1e3, max(durations, default=0) / 1e3)


def click_rows(what: str, measured: list[Click]) -> Iterator[Row]:
    """Return the rows about clicks."""
    both = [max(click.outline, click.card) for click in measured]
    late = quantiles(both, n=10)[-1]
    yield Row(
        what,
        f"{milliseconds(median(both))}, nine of ten within {milliseconds(late)}",
        goal=f"≤ {milliseconds(GOAL)}",
    )
    yield Row("of these, the outline alone", milliseconds(median(click.outline for click in measured)))
    yield Row("of these, the card alone", milliseconds(median(click.card for click in measured)))
    longest = max(click.task for click in measured)
    n_long = sum(click.task > 0 for click in measured)
    shown = f"{milliseconds(longest)}, in {n_long} of {len(measured)} one" if longest else "none"
    yield Row("the longest task after a click, of those above 50 ms", shown)


def first_visit(browser: Browser, server: Server, link: str) -> Visit:
    """Open a link as someone who was never here."""
    with newcomer(browser, server) as page:
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        files: list[float] = []
        messages: list[int] = []

        def message(event: dict[str, Any]) -> None:
            messages.append(size_of(event["response"]))

        session.on("Network.loadingFinished", lambda event: files.append(event["encodedDataLength"]))
        session.on("Network.webSocketFrameReceived", message)
        page.add_init_script(FIRST_CHART)
        visit(page, link)
        return Visit(page.evaluate("window.firstChart") / 1e3, len(files), round(sum(files)), sum(messages))


def size_of(frame: dict[str, Any]) -> int:
    """Return the bytes of a message; those that are not text come in base 64."""
    text = frame["payloadData"]
    return len(text.encode()) if frame["opcode"] == 1 else len(text) * 3 // 4


def visit_rows(name: str, first: Visit, others: list[Visit]) -> Iterator[Row]:
    """Return the rows about first visits."""
    yield Row(f"a visitor’s first view of {name}: first chart", milliseconds(median(other.chart for other in others)))
    yield Row(f"{name}: first chart for the very first visitor of a server", milliseconds(first.chart))
    weight = f"{first.files / 2**20:.2f} MiB in {first.requests} files, {first.messages / 2**10:.0f} KiB of messages"
    yield Row(f"a visitor’s first view of {name}: weight", weight)
