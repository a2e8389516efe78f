"""Parts of a page that run alone: what they draw anew, and what follows them all the same."""

from playwright.sync_api import expect

from tests.browser.screen import go, pick, press, said_in_link, settle, unfold, visit, whole_runs

LINK = "/qkv?qkv_ask=no&qkv_step=softmax"


def test_a_choice_in_a_step_draws_the_step_alone_and_all_that_is_made_of_it_follows(page):
    runs = whole_runs(page)
    visit(page, LINK)
    assert runs == [True]
    code = page.locator(".st-key-qkv_code")
    pick(page, "qkv_k", "sat")
    assert runs[1:] == [False, True]  # Reset now leads back to the link
    runs.clear()
    pick(page, "qkv_q", "cat")
    pick(page, "qkv_k", "warm")
    assert runs == [False, False]
    assert said_in_link(page) | {"qkv_q": "cat", "qkv_k": "warm"} == said_in_link(page)
    expect(page.locator(".course .title").first).to_contain_text("cat")
    unfold(page, "qkv_code")
    assert runs == [False] * 3
    expect(code).to_contain_text("cat, warm")
    pick(page, "qkv_k", "mat")
    assert runs[3:] == [False, True]  # what is open is drawn anew
    expect(code).to_contain_text("cat, mat")
    unfold(page, "qkv_code")
    pick(page, "qkv_k", "on")
    runs.clear()
    page.get_by_test_id("stSidebar").get_by_role("link", name="Q/K/V").click()
    settle(page)
    assert not runs  # one is there already
    assert said_in_link(page)["qkv_k"] == "on"
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert "qkv_k=on" in page.locator(".course.printed").inner_text()
    page.emulate_media(media="screen")
    go(page, "Scaling")
    go(page, "Q/K/V")
    assert said_in_link(page)["qkv_k"] == "on"
    press(page, "qkv_reset")
    assert "qkv_k" not in said_in_link(page)


def test_sharing_draws_nothing_anew_and_gives_the_link_of_what_is_shown(page):
    runs = whole_runs(page)
    visit(page, LINK)
    pick(page, "qkv_k", "sat")  # Reset now leads back to the link, so all runs
    pick(page, "qkv_k", "mat")
    runs.clear()
    press(page, "qkv_share")
    expect(page.get_by_role("dialog").locator("code").first).to_contain_text("qkv_k=mat")
    assert runs == [False]


def test_the_shapes_of_the_home_page_run_alone(page):
    runs = whole_runs(page)
    visit(page, "/")
    pick(page, "home_heads", "2")  # Reset now leads back to the link, so all runs
    runs.clear()
    pick(page, "home_heads", "8")
    expect(page.locator(".course table").filter(has_text="axes")).to_contain_text("7 × 128")  # 8 heads of 16
    assert runs == [False]
    assert said_in_link(page)["home_heads"] == "8"
