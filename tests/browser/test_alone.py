"""Parts of a page that run alone: what they draw anew, and what follows them all the same."""

import pytest
from playwright.sync_api import expect

from tests.browser.screen import pick, said_in_link, unfold, visit, whole_runs


@pytest.mark.nightly
def test_a_choice_in_a_step_draws_the_step_alone_and_all_that_is_made_of_it_follows(page):
    runs = whole_runs(page)
    visit(page, "/qkv?qkv_ask=no&qkv_step=softmax")
    pick(page, "qkv_k", "sat")
    assert runs == [True, False]
    pick(page, "qkv_q", "cat")
    pick(page, "qkv_k", "warm")
    assert runs[2:] == [False, False]
    assert said_in_link(page) | {"qkv_q": "cat", "qkv_k": "warm"} == said_in_link(page)
    expect(page.locator(".course .title").first).to_contain_text("cat")
    unfold(page, "qkv_code")
    assert runs[2:] == [False] * 3
    expect(page.locator(".st-key-qkv_code")).to_contain_text("from cat to warm")
    pick(page, "qkv_k", "mat")
    assert runs[5:] == [False, True]  # what is open is drawn anew
    expect(page.locator(".st-key-qkv_code")).to_contain_text("from cat to mat")
