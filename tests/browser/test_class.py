"""A lecture in browsers: a teacher and two students vote, and lose nothing when the server dies."""

import re
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace

import pytest

from pages.class_room.pictures import Tally
from pages.class_room.record import as_page, record_of
from pages.teaching.plan import plan_in
from tests.bench.server import Server
from tests.browser.screen import field, go, press, settle, visit
from tests.browser.test_lecture import in_sight
from tests.class_room.conftest import redis_server
from tests.deploy.composed import REPLICAS, ROOT
from tests.deploy.nginx import running

pytestmark = pytest.mark.nightly
RATIO = "qkv_ratio"
A4 = 688  # pixels between margins of 14 mm
SOFTMAX = "/qkv?qkv_step=softmax"


def bar(page):
    return page.locator(".st-key-class_bar")


def says(page, text):
    """Wait until a page says something, at its end or in it."""
    page.get_by_text(re.compile(text)).first.wait_for()


def seats(page):
    return page.evaluate("localStorage['attention-seats']")


def open_class(page):
    visit(page, "/teach")
    press(page, "teach_class")
    return bar(page).locator("b").inner_text()


def vote(page, place, option):
    page.locator(f".st-key-{place}_given label").nth(option + 1).click()  # the first is that of the whole
    settle(page)
    page.get_by_role("button", name=re.compile("Send$|Change my vote")).click()
    says(page, "Sent:")


def test_a_lecture_with_two_votes_a_reload_a_next_view_and_a_server_that_is_killed(visitor, tmp_path):
    store = {"CLASS_STORE": str(tmp_path / "classes.sqlite")}
    with Server(**store) as server:
        teacher, phone, laptop = visitor(server, 1024, 768), visitor(server, 390, 844), visitor(server)
        word = open_class(teacher)
        visit(teacher, SOFTMAX)
        says(teacher, "0 of 0 answered")
        phone.goto(f"/?class={word}")  # as by the QR code: the teacher's view opens by itself
        says(phone, "How large will the weight")
        assert "qkv_step=softmax" in phone.url
        visit(laptop)
        field(laptop, "class_word").fill(word.lower())
        field(laptop, "class_word").press("Enter")
        says(laptop, "How large will the weight")
        for student in (phone, laptop):
            settle(student)
            vote(student, RATIO, 0)
        says(teacher, "2 of 2 answered")
        link, browser = phone.url, phone.context
        phone.close()
        phone = browser.new_page()  # which has one vote all the same
        phone.goto(link)
        says(phone, "Sent:")
        vote(phone, RATIO, 1)
        says(teacher, "2 of 2 answered")
        press(teacher, f"{RATIO}_show")
        press(teacher, f"{RATIO}_vote_again")
        says(phone, "Vote again. Your first vote")
        vote(phone, RATIO, 2)
        phone.reload()
        says(phone, "Sent:")
        server.kill()
    with Server(port=server.port, **store):
        says(teacher, r"1 of \d answered · second vote")  # who gave no sign meanwhile is not here
        says(laptop, "Vote again. Your first vote")
        settle(laptop)
        vote(laptop, RATIO, 2)
        says(teacher, "2 of 2 answered · second vote")
        press(teacher, f"{RATIO}_reveal")
        assert teacher.locator(".ballot .right b").inner_text() == "0 → 2"
        for student in (phone, laptop):
            says(student, "You predicted “about 4.5 times as large”")
            assert student.locator(".ballot .right b").inner_text() == "0 → 2"
        go(teacher, "Scaling")
        way = bar(phone).get_by_role("link", name=re.compile("Scaling"))
        way.click()
        phone.wait_for_url(re.compile("/scaling"))
        says(phone, f"Class {word}")
        press(teacher, "class_more")
        assert teacher.get_by_role("img", name="QR code").evaluate("image => image.complete && image.naturalWidth > 0")


@contextmanager
def three_replicas(folder):
    """Run the course as it is deployed, behind one address and over Redis; give the address, and the replicas."""
    with ExitStack() as up:
        store = up.enter_context(redis_server(folder))
        shipped = [replica["environment"] | {"CLASS_STORE": store} for replica in REPLICAS.values()]
        replicas = [up.enter_context(Server(ROOT / ".deploy" / "server.py", **each)) for each in shipped]
        front = up.enter_context(running(folder, [one.port for one in replicas]))
        yield SimpleNamespace(url=f"http://localhost:{front}"), replicas


@pytest.mark.parametrize("where", ["one server", "three replicas"])
def test_a_console_on_a_phone_leads_a_lecture_chooses_the_wall_survives_crashes_and_meets_again(
    visitor, tmp_path, where
):
    one = Server(CLASS_STORE=str(tmp_path / "classes.sqlite")) if where == "one server" else None
    with one or three_replicas(tmp_path) as found:
        server = found if one else found[0]
        projector, phone = visitor(server, 1024, 768), visitor(server, 390, 844)
        student, other = visitor(server, 390, 844), visitor(server)
        projector.goto("/teach?plan=teach-qkv")
        projector.locator(".st-key-teach_start button").click()
        frame = in_sight(projector)
        word = frame.locator(".st-key-class_bar b").inner_text()
        projector.wait_for_timeout(3000)  # in which the stage says where it is, which draws the page anew
        press(frame, "class_more")
        own = frame.locator(".st-key-class_console a").get_attribute("href")
        frame.get_by_role("dialog").get_by_label("Close").click()
        phone.goto(own)
        links = [view.link for view in plan_in("teach-qkv").views]
        n, at = len(links), links.index(SOFTMAX[1:]) + 1
        says(phone, f"1 of {n}")
        assert "teach=" not in phone.url
        corner = projector.locator(".corner")
        down = [(slide, "PageDown") for slide in range(3, at + 1)]
        for slide, move in [(2, "tap"), *down, (at - 1, "PageUp"), (at, "tap")]:
            settle(phone)
            press(phone, "console_next") if move == "tap" else phone.keyboard.press(move)
            says(phone, f"{slide} of {n}")
            corner.get_by_text(f"{slide} of {n}").wait_for()
        assert not projector.get_by_role("button", name="Show").count()
        for each, option in ((student, 0), (other, 2)):
            each.goto(f"/?class={word}")
            says(each, "How large will the weight")
            settle(each)
            vote(each, RATIO, option)
        says(phone, "2 of 2 answered")
        assert phone.locator(".ballot .right b").inner_text() == "1"
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390
        frame = in_sight(projector)
        says(frame, "2 of 2 answered")
        assert not frame.locator(".ballot").count()
        projector.keyboard.press("n")  # the console has the note
        assert not projector.locator(".attention-stage .note").is_visible()
        served_by = [cookie["value"] for cookie in student.context.cookies() if cookie["name"] == "replica"]
        for number in served_by:  # of three replicas one dies, and its students come to another
            found[1][int(number) - 1].kill()
        for way in (own, "/?console=on"):  # only the own link is left, or nothing but the browser
            phone.close()
            (phone := phone.context.new_page()).goto(way)
            says(phone, "2 of 2 answered")
            says(phone, f"{at} of {n}")
        assert not phone.locator("time").first.inner_text().startswith("0:0")
        for act in ("show", "vote_again", "reveal"):
            settle(phone)
            press(phone, f"{RATIO}_{act}")
        frame.locator(".ballot .right").wait_for()
        for each in (student, other):
            each.locator(".verdict").wait_for()
            settle(each)
            press(each, "class_send")
        phone.locator(".st-key-console_texts [data-testid=stCheckbox] label").first.click()
        settle(phone)
        press(phone, "console_wall")
        frame.locator("[role=dialog] .wall").wait_for()
        assert frame.locator("[role=dialog] .wall").count() == 1
        assert not frame.locator("[role=dialog] input").count()
        press(phone, "console_code")
        projector.locator(".over b", has_text=word).wait_for()
        assert not frame.locator("[role=dialog]").count()
        way = phone.get_by_role("link", name="Open the projector").get_attribute("href")
        projector.close()
        projector = visitor(server, 1024, 768)
        projector.goto(way)
        assert in_sight(projector).locator(".st-key-class_bar b").inner_text() == word
        assert "teach=" not in projector.url
        assert not re.match(rf"{at} of {n} · 0:[0-2]", projector.locator(".corner").inner_text())  # it goes on
        phone.get_by_role("button", name="End the lecture").click()
        phone.locator(".st-key-class_keep label").click()
        says(student, "at most for 14 days")
        before = seats(student)
        student.close()  # and next week another tab of the browser is in the same seat
        (student := student.context.new_page()).goto(f"/?class={word}")
        student.wait_for_url(re.compile("/qkv"))  # to which the home page leads
        says(student, "at most for 14 days")
        settle(student)
        assert seats(student) == before
        press(student, "class_give_up")
        student.wait_for_function("localStorage['attention-seats'] === '[]'")
        with phone.expect_download() as record:
            phone.locator(".st-key-class_html_last button").click()
        assert "How large will the weight" in record.value.path().read_text(encoding="utf-8")
        press(phone, "class_close")
        says(phone, "You closed the class")
        says(other, "This class is over")


@pytest.mark.parametrize(("media", "width"), [("screen", 1200), ("screen", 390), ("print", A4)])
def test_a_record_has_all_its_columns_on_a_screen_and_on_paper(page, media, width):
    """With each question once, and long words in the question, the answers and the reasons."""
    long = "Attention_" * 12
    lines = [Tally(long, 3, 12, True, f"e {long}"), Tally("4, 256", 12, 3, False, long), Tally("none", 0, 0, False, "")]
    page.emulate_media(media=media)
    page.set_viewport_size({"width": width, "height": 900})
    page.set_content(as_page("7L7D", [record_of(f"{i} {long}", lines, i, 9).text for i in range(3)]))
    assert page.locator("h2").all_inner_texts() == [f"{i} {long}" for i in range(3)]
    assert [row.split("\n")[-1] for row in page.locator(".ballot > .right").all_inner_texts()] == ["12 → 3"] * 3
    ends = page.locator("body *").evaluate_all("all => all.map(one => one.getBoundingClientRect().right)")
    assert max(ends) <= width >= page.evaluate("document.documentElement.scrollWidth")
