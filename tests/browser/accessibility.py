"""What keeps a page from some of its readers: what axe finds, and in charts, where axe cannot see, faint text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.browser.screen import CHART, rgb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Page

# What Streamlit itself draws and no page can change: the rule of axe, and the elements.
KNOWN = [  # inside Streamlit's own elements, where nothing of ours sets the colour
    ("color-contrast", "button kbd"),  # the name of a shortcut, in a grey of 4.18 to 1
    ("color-contrast", ".token, code span"),  # the colours of code, from 2.1 to 1
]

# Every text of a chart with its colour and what lies behind it: a cell of a heatmap, or the paper.
TEXTS = """charts => charts.flatMap(chart => {
    const paper = getComputedStyle(chart.querySelector('svg')).backgroundColor
    const cells = [...(chart.querySelector('.mark-rect.role-mark')?.querySelectorAll('path') ?? [])]
        .map(cell => [cell.getBoundingClientRect(), getComputedStyle(cell).fill])
    const texts = [...chart.querySelectorAll('text:not([stroke])')]  // one with a stroke is but the halo of another
    return texts.filter(text => text.textContent.trim() && +getComputedStyle(text).opacity).map(text => {
        const {left, right, top, bottom} = text.getBoundingClientRect()
        const [x, y] = [(left + right) / 2, (top + bottom) / 2]
        const behind = cells.find(([box]) => box.left < x && x < box.right && box.top < y && y < box.bottom)
        return [text.textContent, getComputedStyle(text).fill, behind ? behind[1] : paper]
    })
})"""


def violations(page: Page, *rules: str, within: str | dict[str, Any] = "body") -> list[str]:
    """Return what axe calls serious or critical and is ours: the rule, of all or of a few, and who breaks it."""
    from axe_playwright_python.sync_playwright import Axe

    options: dict[str, Any] = {"resultTypes": ["violations"]}  # to tell what is right as well takes four times as long
    if rules:
        options["runOnly"] = rules
    found = Axe().run(page, within, options).response["violations"]
    grave = [violation for violation in found if violation["impact"] in ("serious", "critical")]
    return [
        f"{violation['id']}: {node['html']}"
        for violation in grave
        for node in violation["nodes"]
        if not is_known(page, violation["id"], node["target"][0])
    ]


def is_known(page: Page, rule: str, element: str) -> bool:
    selectors = [selector for known, selector in KNOWN if known == rule]
    matches = "(element, selectors) => selectors.some(selector => element.matches(selector))"
    return page.locator(element).first.evaluate(matches, selectors)


def faint_texts(page: Page) -> list[str]:
    """Return the texts in charts that are too close to the colour behind them (WCAG 2.2, 1.4.3)."""
    texts = page.locator(CHART).evaluate_all(TEXTS)
    return [text for text, ink, behind in texts if contrast(rgb(ink), rgb(behind)) < 4.5]


def contrast(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the contrast of two colours, from 1 to 21, as WCAG defines it."""
    darker, lighter = sorted([luminance(first), luminance(second)])
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: Sequence[float]) -> float:
    shares = [channel / 255 for channel in colour]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
