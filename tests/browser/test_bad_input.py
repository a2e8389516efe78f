"""What is typed stands as text in the page that a browser draws: no formula, no icon, no colour, nothing too wide."""

from urllib.parse import quote

import pytest

from pages.links.course import LESSONS
from tests.browser.screen import PHONE, complaints, reveal, settle, too_wide, visit

# Words that are one to the course, and marks to Markdown, LaTeX, HTML, Streamlit and Vega.
MARKED = "zq_zq_zq $zq^2$ :red[zq] :material/home: <u>zq</u> **zq** `zq` [zq](zq) ~~zq~~ -> :streamlit:"
WIDE = " ".join(
    ["zqWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW", "\U0001d504" * 40, "Z" + "\u0300\u0316" * 60, "\u202ezq"] * 6
)
# Every element of the page that holds what was typed and is made of it, and every character that was cut in two.
MADE = """() => {
    const main = document.querySelector('[data-testid=stMain]')
    const links = 'a:not([data-testid=stPageLink-NavLink])'  // the way to the next lesson carries the sentence
    const signs = '.stMarkdownColoredText, [data-testid=stIconMaterial]'
    const marks = `.katex, u, strong, em, del, script, img, ${links}, ${signs}`
    const made = [...main.querySelectorAll(marks)].filter(one => /zq|home/.test(one.outerHTML))
    const broken = /\\p{Cs}/u.test(main.textContent)
    return [...made.map(one => one.outerHTML.slice(0, 200)), ...(broken ? ['half of a character'] : [])]
}"""
FIELDS = "[data-testid=stMain] [class*='st-key-'] [data-testid=stTextInput] input"
STAGE = {
    "qkv": "match",
    "multi_head": "across",
    "causal_mask": "see",
    "positional_encoding": "compare",
    "tiny_lm": "bet",
}


@pytest.mark.nightly
@pytest.mark.parametrize("lesson", [lesson.name for lesson in LESSONS if lesson.name in STAGE])
def test_what_is_typed_stays_text_and_fits_a_phone(page, lesson):
    complained = complaints(page)
    page.set_viewport_size(PHONE)
    link = f"/{lesson}?{lesson}_step={STAGE[lesson]}"
    visit(page, link)
    for typed in (MARKED, WIDE):
        if not page.locator(FIELDS).count():  # it is beside the page, in the menu that a phone keeps closed
            visit(page, f"{link}&{lesson}_text={quote(typed)}")
        for place in range(page.locator(FIELDS).count()):
            page.locator(FIELDS).nth(place).fill(typed)
            page.keyboard.press("Enter")
            settle(page)
        reveal(page)
        assert page.evaluate(MADE) == []
        assert too_wide(page) == []
        text = page.get_by_test_id("stMain").text_content()
        assert "never met" in text or "usual prompt" in text or "zq" in text
    assert page.get_by_role("dialog").count() == 0
    assert complained == []
