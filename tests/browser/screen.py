"""What a visitor does and sees: open a link, fill a field, click a cell, read a heatmap."""

from __future__ import annotations

import re
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from playwright.sync_api import TimeoutError as TooLong
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, Download, Locator, Page, Route

RESUMED = 3000  # ms without a change after which a page that found its server again has been drawn by it
LIMIT = 120_000  # ms for anything that is waited for, on the busiest machine
UNANSWERED = 20_000  # ms after which a message to the server is one that gets no answer
QUIET = 300  # ms without a change; Streamlit gathers clicks on a chart for 150
CHART = "[data-testid=stVegaLiteChart]"
PHONE = {"width": 390, "height": 844}
# When the tab last sent a message to its server, and last got one: a slow server has not begun yet.
TRAFFIC = """(() => {
    window.asked = window.answered = 0
    const send = WebSocket.prototype.send
    WebSocket.prototype.send = function (data) {
        if (this !== window.line) {
            window.line = this
            this.addEventListener('message', () => { window.answered = performance.now() })
        }
        window.asked = performance.now()
        return send.call(this, data)
    }
})()"""
SETTLED = """([quiet, patience]) => {
    const waits = performance.now() - window.asked < patience && window.answered <= window.asked
    const app = document.querySelector('[data-testid=stApp]')
    if (!app || waits) return false
    if (window.watched !== app) {
        const everything = {subtree: true, childList: true, attributes: true, characterData: true}
        new MutationObserver(() => { window.lastChange = performance.now() }).observe(app, everything)
        window.watched = app
        window.lastChange = performance.now()
    }
    const charts = [...app.querySelectorAll('[data-testid=stVegaLiteChart]')]
    return app.dataset.testConnectionState === 'CONNECTED'
        && app.dataset.testScriptState === 'notRunning'
        && app.querySelector('[data-testid=stMain] [data-testid=stElementContainer]')
        && !app.querySelector('[data-testid=stSkeleton], [data-stale=true]')
        && charts.every(chart => !chart.checkVisibility() || chart.querySelector('svg, canvas'))
        && performance.now() - window.lastChange > quiet
}"""

# Of every outline on a heatmap the places of the cells whose middle lies in it.
ENCLOSED = """chart => {
    const [cells, ...outlines] = [...chart.querySelectorAll('.mark-rect.role-mark')]
        .map(group => [...group.querySelectorAll('path')].map(path => path.getBoundingClientRect()))
    const middles = cells.map(({left, right, top, bottom}) => [(left + right) / 2, (top + bottom) / 2])
    return outlines.flat().map(({left, right, top, bottom}) => [...middles.keys()].filter(place => {
        const [x, y] = middles[place]
        return left < x && x < right && top < y && y < bottom
    }))
}"""


def visit(page: Page, link: str = "/") -> None:
    page.goto(link)
    settle(page)


def settle(page: Page, quiet: int = QUIET) -> None:
    """Wait until the script has run, every chart is drawn and nothing changes any more; no exception may show then."""
    page.evaluate("window.lastChange = performance.now()")
    page.wait_for_function(SETTLED, arg=[quiet, UNANSWERED], polling=50)
    shown = exceptions(page)
    assert not shown, "\n\n".join(shown)


def exceptions(page: Page) -> list[str]:
    return page.locator("[data-testid=stException]").all_inner_texts()


def complaints(page: Page) -> list[str]:
    """Return a list into which the errors of the browser's console go, but not those of Streamlit's own search."""
    found: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type == "error" and not re.search(r"/\w+/_stcore/", message.location["url"]):
            found.append(message.text)

    page.on("console", listen)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


def strangers(page: Page) -> list[str]:
    """Cut a page off from all but its own server; return a list of whatever it asks of others from now on."""
    found: list[str] = []

    def answer(route: Route) -> None:
        if urlsplit(route.request.url).hostname == "localhost":
            route.continue_()
        else:
            found.append(route.request.url)
            route.abort()

    page.route("**/*", answer)
    page.on("websocket", lambda socket: None if "localhost" in socket.url else found.append(socket.url))
    return found


def go(page: Page, title: str) -> None:
    """Follow a link of the menu; the address changes once the server has begun with the other page."""
    link = page.get_by_test_id("stSidebar").get_by_role("link", name=title)
    path = urlsplit(link.get_attribute("href") or "").path
    link.click()
    page.wait_for_function("path => location.pathname.split('/').pop() === path", arg=path)
    settle(page)


def said_in_link(page: Page) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(page.url).query))


def whole_runs(page: Page) -> list[bool]:
    """Return a list to which every later run adds whether it was one of the whole page, which names the page anew."""
    runs: list[bool] = []

    def take(frame: str | bytes) -> None:
        message = ForwardMsg.FromString(frame if isinstance(frame, bytes) else frame.encode())
        if message.HasField("new_session"):
            runs.append(False)
        elif message.HasField("page_config_changed"):
            runs[-1] = True

    page.on("websocket", lambda socket: socket.on("framereceived", take))
    return runs


def frames_sent(page: Page) -> list[str | bytes]:
    """Return a list into which every frame goes that the page sends from now on."""
    sent: list[str | bytes] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    return sent


def field(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-{key}").locator("input, textarea").first


def press(page: Page, key: str) -> None:
    page.locator(f".st-key-{key}").get_by_role("button").click()
    settle(page)


def downloaded(page: Page, button: Locator) -> Download:
    with page.expect_download() as download:
        button.click()
    return download.value


def step_button(page: Page, lesson: str, name: str) -> Locator:
    """Return the label of a step in the row of the path, by its word in a link."""
    label = import_module(f"pages.{lesson}.{name}").STEP.label.replace("d_k", "dₖ")
    return page.locator(f".st-key-{lesson}_strip").get_by_role("radio", name=label, exact=True)


def to_step(page: Page, lesson: str, name: str) -> None:
    step_button(page, lesson, name).click()
    settle(page)


def drag_slider(page: Page, slider: Locator, to: float, release: bool = True) -> None:
    """Drag the slider of a moving picture from where it stands to a fraction of its length."""
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box
    start = float(slider.evaluate("range => range.value / range.max"))
    at = [box["x"] + 8 + (box["width"] - 16) * part for part in (start, (start + to) / 2, to)]
    page.mouse.move(at[0], box["y"] + box["height"] / 2)
    page.mouse.down()
    for x in at[1:]:
        page.mouse.move(x, box["y"] + box["height"] / 2, steps=5)
    if release:
        page.mouse.up()
        settle(page)


def unfold(page: Page, *keys: str) -> None:
    for key in keys:
        page.locator(f".st-key-{key} summary").click()
        settle(page)


def pick(page: Page, key: str, name: str) -> None:
    """Choose one word of a list that opens."""
    box = page.locator(f".st-key-{key}").get_by_role("combobox")
    box.scroll_into_view_if_needed()
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")  # it scrolls
    box.click()
    page.get_by_role("option", name=name, exact=True).click()
    settle(page)


def reveal(page: Page) -> None:
    """Let every question on the page answer itself."""
    button = page.get_by_role("button", name="Just show me")
    while button.count():
        with suppress(TooLong):  # the one that was counted may be of the run before
            button.first.click(timeout=UNANSWERED)
        settle(page)


def is_locked(page: Page, key: str) -> bool:
    """Return whether a control cannot be changed."""
    return page.locator(f".st-key-{key}").locator("input, textarea, button").first.is_disabled()


def tab_to(page: Page, target: Locator) -> None:
    """Press Tab until the focus is on an element or in it."""
    element = target.element_handle()
    for _ in range(120):
        if element.evaluate("element => element.contains(document.activeElement)"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("the keyboard does not get there")


def chart(page: Page, which: int | str = 0) -> Locator:
    """Return a chart, by its number on the page or by its key (in the page only if it reports clicks)."""
    return page.locator(CHART).nth(which) if isinstance(which, int) else page.locator(f".st-key-{which} {CHART}")


def cells(page: Page, which: int | str = 0) -> list[list[Locator]]:
    found = chart(page, which).locator(".mark-rect.role-mark").first.locator("path")
    found.first.wait_for(state="attached")  # a picture may come a moment after its frame
    outlines = found.evaluate_all("cells => cells.map(cell => cell.getAttribute('d'))")
    tops = [re.findall(r"M[^,]+,([^h]+)h", outline) for outline in outlines]
    return in_rows(found.all(), tops.count(tops[0]))


def cell_texts(page: Page, which: int | str = 0) -> list[list[str]]:
    """Return the numbers that stand in the cells of a heatmap, row by row."""
    texts = chart(page, which).locator(".mark-text.role-mark").first.locator("text").all_text_contents()
    rows = cells(page, which)
    assert len(texts) == sum(map(len, rows)), "no numbers stand in the cells of this heatmap"
    return in_rows(texts, len(rows[0]))


def click_cell(page: Page, row: int, column: int, which: int | str = 0) -> None:
    cell = cells(page, which)[row][column]
    cell.element_handle().wait_for_element_state("stable")  # the page may still be scrolling to a verdict
    cell.click(force=True)  # its number lies above it and would count as in the way
    settle(page)


def outlined(page: Page, which: int | str = 0) -> list[set[tuple[int, int]]]:
    """Return the cells that each outline on a heatmap encloses, by row and column."""
    width = len(cells(page, which)[0])
    return [{divmod(place, width) for place in places} for places in chart(page, which).evaluate(ENCLOSED)]


def too_wide(page: Page) -> list[str]:
    widths = {
        part: page.locator(part).evaluate("part => part.scrollWidth") for part in ("html", "[data-testid=stMain]")
    }
    widths |= {f"chart {i}": chart(page, i).bounding_box()["width"] for i in range(page.locator(CHART).count())}
    return [f"{part} is {width} wide" for part, width in widths.items() if width > PHONE["width"]]


def in_rows(items: list[Any], width: int) -> list[list[Any]]:
    return [items[start : start + width] for start in range(0, len(items), width)]


def rgb(colour: str) -> tuple[int, ...]:
    """Return red, green and blue of a colour as the browser computed it or as #rrggbb."""
    if colour.startswith("#"):
        return tuple(bytes.fromhex(colour[1:]))
    return tuple(int(part) for part in re.findall(r"\d+", colour)[:3])


def style(element: Locator, name: str) -> str:
    """Return what the browser computed for a property in a style sheet."""
    return element.evaluate("(element, name) => getComputedStyle(element)[name]", name)
