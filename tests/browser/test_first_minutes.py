"""The first minutes of a new student: from the home page to what attention does, and to the numbers behind it."""

import re

from playwright.sync_api import expect

from tests.browser.screen import settle, to_step, visit


def click(page, role, name):
    page.get_by_test_id("stMain").get_by_role(role, name=name).first.click()
    settle(page)


def main(page):
    return " ".join(page.get_by_test_id("stMain").inner_text().split())


def test_the_home_page_says_which_word_it_attends_to_before_any_click(page):
    visit(page)
    expect(page.get_by_text(re.compile("it.*attends most to.*cat.*0\\.96")).first).to_be_visible()


def test_the_second_click_shows_where_the_weight_of_the_trained_head_comes_from(page):
    visit(page)
    click(page, "link", "Start")
    assert page.get_by_test_id("stForm").count() == 0  # no question comes first
    page.get_by_text("Where the 0.94 comes from").click()
    settle(page)
    assert "How it → cat became 0.94" in main(page)


def test_the_third_click_shows_how_a_weight_came_about_from_numbers_that_fit_on_paper(page):
    visit(page)
    click(page, "link", "Start")
    to_step(page, "qkv", "softmax")
    click(page, "button", "Just show me")
    assert "How it → cat became 0.73" in main(page)
