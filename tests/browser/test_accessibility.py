import pytest

from tests.browser.accessibility import contrast, faint_texts, violations
from tests.browser.screen import visit

PAGES = ["/"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_nothing_keeps_a_page_from_any_of_its_readers(visitor, server, path, scheme):
    page = visitor(server, height=6000, color_scheme=scheme)  # axe sees no colours where it would have to scroll
    visit(page, path)
    assert violations(page) == []
    assert faint_texts(page) == []


def test_what_would_keep_readers_out_is_found(page):
    visit(page)
    page.locator("h1").evaluate("title => { title.style.color = '#eee' }")
    page.locator("[data-testid=stVegaLiteChart] text").first.evaluate("text => { text.style.fill = '#ddd' }")
    assert [found.partition(":")[0] for found in violations(page)] == ["color-contrast"]
    assert len(faint_texts(page)) == 1


def test_contrast_is_that_of_wcag():
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((118, 118, 118), (255, 255, 255)) == pytest.approx(4.54, abs=0.01)
