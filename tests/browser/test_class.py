"""A lecture in browsers: a teacher and two students vote, and lose nothing when the server dies."""

import re
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest

from pages.class_room.pictures import Tally
from pages.class_room.record import as_page, record_of
from pages.teaching.own import written
from pages.teaching.plan import Plan, plan_in
from tests.bench.server import Server
from tests.browser.screen import downloaded, field, press, settle, unfold, visit
from tests.browser.test_lecture import in_sight
from tests.class_room.conftest import redis_server
from tests.class_room.test_own_questions import THREE
from tests.deploy.composed import REPLICAS, ROOT
from tests.deploy.nginx import running

pytestmark = pytest.mark.nightly
RATIO = "qkv_ratio"
SEATS = "localStorage['attention-seats']"
A4 = 688  # pixels between margins of 14 mm
FIRST, *_, ASKS, OWN, _ = plan_in("teach-qkv").views
PLAN = Plan((FIRST, ASKS, OWN.with_word("quiz", written(THREE))))


def says(page, text):
    """Wait until a page says something, at its end or in it."""
    page.get_by_text(re.compile(text)).first.wait_for()


def open_class(page):
    visit(page, "/teach")
    press(page, "teach_class")
    return page.locator(".st-key-class_bar b").inner_text()


def vote(page, place, given):
    """Choose an option by its place, or type a number, and send it."""
    settle(page)
    if isinstance(given, float):
        field(page, f"{place}_given").fill(str(given))
    else:
        page.locator(f".st-key-{place}_given label").nth(given + 1).click()  # the first is that of the whole
    page.get_by_role("button", name=re.compile("Send$|Change my vote")).click()
    says(page, "Sent:")


def test_a_lecture_with_two_votes_a_reload_and_a_server_that_is_killed(visitor, tmp_path):
    store = {"CLASS_STORE": str(tmp_path / "classes.sqlite")}
    with Server(**store) as server:
        teacher, phone, laptop = visitor(server, 1024, 768), visitor(server, 390, 844), visitor(server)
        word = open_class(teacher)
        visit(teacher, "/qkv?qkv_step=softmax")
        says(teacher, "0 of 0 answered")
        phone.goto(f"/?class={word}")  # as by the QR code: the teacher's view opens by itself
        says(phone, "How large will the weight")
        assert "qkv_step=softmax" in phone.url
        visit(laptop)
        field(laptop, "class_word").fill(word.lower())
        field(laptop, "class_word").press("Enter")
        says(laptop, "How large will the weight")
        for student in (phone, laptop):
            vote(student, RATIO, 0)
        says(teacher, "2 of 2 answered")
        link = phone.url
        phone.close()
        (phone := phone.context.new_page()).goto(link)  # which has one vote all the same
        says(phone, "Sent:")
        vote(phone, RATIO, 1)
        says(teacher, "2 of 2 answered")
        press(teacher, f"{RATIO}_show")
        press(teacher, f"{RATIO}_vote_again")
        says(phone, "Vote again. Your first vote")
        vote(phone, RATIO, 3)
        phone.reload()
        says(phone, "Sent:")
        server.kill()
    with Server(port=server.port, **store):
        says(teacher, r"1 of \d answered · second vote")  # who gave no sign meanwhile is not here
        says(laptop, "Vote again. Your first vote")
        vote(laptop, RATIO, 3)
        says(teacher, "2 of 2 answered · second vote")
        press(teacher, f"{RATIO}_reveal")
        assert teacher.locator(".ballot .right b").inner_text() == "0 → 2"
        for student in (phone, laptop):
            says(student, "You predicted “about 4.5 times as large”")
            assert student.locator(".ballot .right b").inner_text() == "0 → 2"
        (late := teacher.context.new_page()).clock.set_fixed_time(datetime.now() + timedelta(days=1))
        late.goto("/?console=on")
        late.wait_for_function(f"{SEATS} === '[]'")  # a key ends with its day


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
def test_a_lecture_of_five_with_a_console_own_questions_and_the_wall_survives_crashes_and_meets_again(
    visitor, tmp_path, where
):
    one = Server(CLASS_STORE=str(tmp_path / "classes.sqlite")) if where == "one server" else None
    with one or three_replicas(tmp_path) as found:
        server = found if one else found[0]
        projector, phone = visitor(server, 1024, 768), visitor(server, 390, 844)
        students = student, other, *_ = [visitor(server, *size) for size in [(390, 844)] * 4 + [(1280, 900)]]
        projector.goto(f"/teach?plan={PLAN.written}")
        projector.locator(".st-key-teach_start button").click()
        frame = in_sight(projector)
        word = frame.locator(".st-key-class_bar b").inner_text()
        frame.locator("[data-desk]:not([data-desk*='\"begun\": 0.0'])").wait_for(state="attached")  # the stage told
        settle(frame)
        press(frame, "class_more")
        own = frame.locator(".st-key-class_console a").get_attribute("href")
        frame.get_by_role("dialog").get_by_label("Close").click()
        phone.goto(own)
        says(phone, "1 of 3")
        for slide, move in [(2, "tap"), (3, "PageDown"), (2, "PageUp")]:
            settle(phone)
            press(phone, "console_next") if move == "tap" else phone.keyboard.press(move)
            says(phone, f"{slide} of 3")
            projector.locator(".corner").get_by_text(f"{slide} of 3").wait_for()
        assert not projector.get_by_role("button", name="Show").count()
        for each in students:
            each.goto(f"/?class={word}")
        for each, option in zip(students, (0, 2, 0, 1, 3), strict=True):
            says(each, "How large will the weight")
            vote(each, RATIO, option)
        says(phone, "5 of 5 answered")
        assert not phone.locator(".ballot .right").count()  # until it is asked for: the screen may be mirrored
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390
        frame = in_sight(projector)
        says(frame, "5 of 5 answered")
        assert not frame.locator(".ballot").count()
        projector.keyboard.press("n")  # the console has the note
        assert not projector.locator(".attention-stage .note").is_visible()
        for number in [one["value"] for one in student.context.cookies() if one["name"] == "replica"]:
            found[1][int(number) - 1].kill()  # of three replicas one, and its students come to another
        for way in (own, "/?console=on"):  # only the own link is left, or nothing but the browser
            phone.close()
            (phone := phone.context.new_page()).goto(way)
            says(phone, "5 of 5 answered")
            says(phone, "2 of 3")
        assert not phone.locator("time").first.inner_text().startswith("0:0")
        settle(phone)
        for act, focused in (("show", "Reveal"), ("vote_again", "Show"), ("reveal", "")):
            press(phone, f"{RATIO}_{act}")
            phone.wait_for_function("text => !text || document.activeElement.innerText === text", arg=focused)
        frame.locator(".ballot .right").wait_for()
        for each in students:
            each.locator(".verdict").wait_for()
        for switched in ("console_right", "class_follow"):
            phone.locator(f".st-key-{switched} label").click()
            settle(phone)
        press(phone, "console_next")
        projector.locator(".corner").get_by_text("3 of 3").wait_for()
        frame, place = in_sight(projector), ""
        for number, given in enumerate(((0, 0, 0, 1, 1), (17.0, 17.5, 17.25, 16.0, 0.5)), start=1):
            asked, last = THREE.split("\n\n")[number - 1].split("\n")[0], f"_{number}" * (number > 1)
            says(frame, re.escape(asked))
            for each, one_given in zip(students, given, strict=True):
                says(each, re.escape(asked))
                place = f"qkv_teachers_{parse_qs(urlsplit(each.url).query)['qkv_quiz'][0]}"
                vote(each, place + last, one_given)
            question = phone.locator(f".st-key-console_{place}{last}")
            question.get_by_text("5 of 5 answered").wait_for()
            assert question.locator(".ballot .right b").inner_text() == "3"
            assert not frame.get_by_text("What surprised you?").count()
            question.get_by_role("button", name=f"Reveal, then question {number + 1} of 3").click()
            settle(phone)
        says(frame, "What surprised you")
        for number, each in enumerate(students):
            field(each, f"{place}_3").fill(f"surprise {number}")
            each.get_by_role("button", name="Send this text").click()
            says(each, "Sent: “surprise")
        says(phone, "0 of 5 chosen")
        phone.locator(".st-key-console_texts label", has_text="surprise 3").click()
        settle(phone)
        press(phone, "console_wall")
        frame.locator("[role=dialog] .wall", has_text="surprise 3").wait_for()
        assert frame.locator("[role=dialog] :is(.wall, input)").count() == 1
        press(phone, "console_code")
        projector.locator(".over b", has_text=word).wait_for()
        assert not frame.locator("[role=dialog]").count()
        projector.close()
        (projector := visitor(server, 1024, 768)).goto(phone.get_attribute("a:has-text('Open the projector')", "href"))
        assert in_sight(projector).locator(".st-key-class_bar b").inner_text() == word
        assert "teach=" not in projector.url
        assert not re.match(r"3 of 3 · 0:[0-2]", projector.locator(".corner").inner_text())  # it goes on
        phone.get_by_role("button", name="Keep or close the class …").click()
        phone.locator(".st-key-class_keep label").click()
        says(student, "at most for 14 days")
        phone.wait_for_function(f"{SEATS} === '[]'")  # from now on the own link alone opens it
        before = student.evaluate(SEATS)
        student.close()  # and next week another tab of the browser is in the same seat
        (student := student.context.new_page()).goto(f"/?class={word}")
        student.wait_for_url(re.compile("/qkv"))  # to which the home page leads
        says(student, "at most for 14 days")
        settle(student)
        assert student.evaluate(SEATS) == before
        press(student, "class_give_up")
        student.wait_for_function(f"{SEATS} === '[]'")
        visit(other)
        unfold(other, "home_points")
        handed_in = downloaded(other, other.locator(".st-key-home_hand_in button"))
        visit(projector, "/teach")
        projector.get_by_text("Check hand-ins", exact=True).click()
        file = handed_in.path().rename(tmp_path / handed_in.suggested_filename)
        projector.locator(".st-key-home_hand_ins input").set_input_files(file)
        press(projector, "home_check")
        table = downloaded(projector, projector.get_by_role("button", name="Table (CSV)"))
        assert file.name in table.path().read_text(encoding="utf-8")
        kept = downloaded(phone, phone.locator(".st-key-class_html_last button")).path().read_text(encoding="utf-8")
        told = ["How large will the weight", "Which word?", "How many weights?", *(f"surprise {i}" for i in range(5))]
        assert [text in kept for text in told] == [True, True, True, False, False, False, True, False]
        phone.get_by_text("Close the class", exact=True).click()
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
