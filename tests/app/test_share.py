"""Sharing: what a teacher locks, hides, asks and plans is what students get, whatever their mail does to the link."""

import html
import quopri
import re
from email.message import EmailMessage
from itertools import pairwise
from urllib.parse import parse_qsl, quote, unquote, urlsplit
from xml.etree import ElementTree

import pytest
import segno

from pages.page.course import LESSONS, lessons_named
from pages.page.share import qr_code
from tests.app.steps import step as one_step
from tests.app.visits import (
    ENTRY,
    FILES,
    blank,
    charts,
    controls,
    go,
    html_of,
    opened,
    press,
    rerun,
    reveal,
    said,
    set_to,
    shared,
    through_menu,
    visit,
    words_of_link,
)

each_page = pytest.mark.parametrize("page", FILES)
SCENE = {"qkv_step": "scores", "qkv_text": "café & “thé”, 100 % <b> + 🐈", "qkv_seed": "5", "qkv_lock": "seed.text"}


def style(app):
    return next(element.proto.body for element in app.get("html") if "<style>" in element.proto.body)


def menu(app):
    """Return the lessons in the menu, in order, each with the words of its link."""
    links = [link.proto for link in app.sidebar.get("page_link")]
    return {link.page: dict(parse_qsl(link.query_string)) for link in links if link.page}


def next_lesson(app):
    (link,) = [link.proto for link in app.main.get("page_link") if link.proto.label.startswith("Next lesson")]
    return link.page, dict(parse_qsl(link.query_string))


# What students do not see


@each_page
@pytest.mark.promise("page 6")
def test_what_is_hidden_stands_at_what_the_link_says_and_is_drawn_for_nobody(page):
    app = visit(page)
    name = next(key.removeprefix(f"{page}_") for key, widget in controls(app).items() if not widget.disabled)
    link = shared(app, hides=[name])
    assert link == {f"{page}_hide": name}
    hidden = opened(page, link)
    assert f".st-key-{page}_{name}{{display:none!important}}" in style(hidden)
    assert controls(hidden)[f"{page}_{name}"].disabled
    assert "Set by your teacher" not in said(hidden)
    assert shared(hidden) == link


def test_steps_exercises_and_what_stands_at_the_end_can_be_hidden():
    app = visit("qkv", step="softmax", hide="step.exercise.code.keep.presets")
    for part in ("strip", "walk", "practice", "code", "keep", "presets"):
        assert f".st-key-qkv_{part}" in style(app)
    assert app.button(key="qkv_next").disabled
    assert "code" not in shared(app, "seed")["qkv_lock"]


@pytest.mark.parametrize("names", ["</style><b>", "seed{}", "seed,*", "a b;c}", "*", "."])
def test_a_link_cannot_write_styles(names):
    rules = style(visit("qkv", hide=names)).rpartition(".qkv")[2]
    assert "<b>" not in rules
    assert re.search(r",\s*\*", style(visit("qkv", hide=names))) is None
    assert style(visit("qkv", hide="</style>")).count("</style>") == 1


# Which question


def asks(app):
    return "Check" in [button.label for button in app.button]


def test_a_link_asks_one_question_alone():
    step_q = visit("qkv", step="projections", ask="cell")
    assert not asks(step_q)
    assert charts(step_q)
    step_scores = visit("qkv", step="scores", ask="cell")
    assert asks(step_scores)
    assert all(map(blank, charts(step_scores)))


def test_sharing_offers_all_none_or_one_question_of_this_step():
    app = visit("qkv", step="softmax")
    assert shared(app) == {"qkv_step": "softmax"}
    assert shared(app, ask="none") == {"qkv_step": "softmax", "qkv_ask": "no"}
    press(app, "qkv_share")
    only = app.selectbox(key="_qkv_ask").options[2]
    assert only.startswith("only “")
    assert "<" not in only
    assert shared(rerun(app), ask=only) == {"qkv_step": "softmax", "qkv_ask": "ratio"}


def key_of(app, page="qkv"):
    """Return what the key says in the dialog of a view, or None where no key is offered."""
    press(app, f"{page}_share")
    if f"_{page}_key" not in [box.key for box in app.checkbox]:
        return None
    assert "<ol>" not in " ".join(html_of(app))  # not before it was asked for
    app.session_state[f"_{page}_key"] = True
    press(app, f"{page}_share")
    (found,) = [block for block in html_of(app) if "<ol>" in block]
    return found


def test_the_key_has_the_right_answers_to_the_questions_of_this_very_view():
    link = {"step": "scaled", "weights": "random", "seed": "7", "q": "mat"}
    app = visit("qkv", **link)
    (question,) = asked_in("qkv", **link)
    found = key_of(app)
    assert question.text in found
    assert question.told in found


def asked_in(page, step, **link):
    return one_step(page, step, **link).page.asked


def test_the_key_is_that_of_the_first_variant_whatever_was_answered_here():
    app = reveal(visit("qkv", step="scaled"))
    press(app, "Another question")
    (first,) = asked_in("qkv", "scaled")
    assert first.text not in " ".join(html_of(app))
    assert first.told in key_of(app)
    (other,) = asked_in("qkv", "scaled", q="meowed", weights="random")
    set_to(app, qkv_weights="random")
    reveal(app)
    set_to(app, qkv_q="meowed")
    assert other.told in key_of(app)


def test_the_key_is_that_of_the_questions_that_the_link_asks():
    app = reveal(visit("scaling", step="d_v"))
    assert "variance" in key_of(app, "scaling")
    app.session_state["_scaling_ask"] = "none"
    press(app, "scaling_share")
    assert "_scaling_key" not in [box.key for box in app.checkbox]
    assert key_of(visit("qkv", step="x")) is None  # which asks nothing


@pytest.mark.parametrize("teacher", [{"lock": "seed"}, {"hide": "weights"}])
def test_a_link_with_a_lock_or_a_hidden_control_offers_no_key(teacher):
    assert key_of(visit("qkv", step="scaled")) is not None
    assert key_of(visit("qkv", step="scaled", **teacher)) is None


@each_page
def test_every_question_of_a_page_may_be_named(page):
    for lesson in LESSONS:
        if lesson.name == page:
            for name in lesson.questions:
                assert "could not be used" not in said(visit(page, ask=name))


# On its way


def mailed(link):
    """Return a link as it stands in a mail that was sent in lines of at most 76 signs."""
    mail = EmailMessage()
    mail.set_content(f"Please open <{link}> before class.", cte="quoted-printable")
    lines = bytes(mail).split(b"\n\n", 1)[1]
    assert max(map(len, lines.splitlines())) <= 78
    return re.search(r"<(.+?)>", quopri.decodestring(lines).decode())[1]


def encoded(link):
    """Return a link whose query was encoded once too often."""
    page, query = link.split("?")
    return f"{page}?{quote(query, safe='')}"


WAYS = {
    "as it is": lambda link: link,
    "a mail": mailed,
    "HTML": lambda link: html.unescape(html.escape(link)),
    "HTML, once too often": lambda link: html.escape(link),
    "HTML, twice too often": lambda link: html.escape(html.escape(link)),
    "a safe link": lambda link: unquote(quote(link, safe="")),
    "values encoded twice": lambda link: link.replace("%", "%25"),
    "values encoded twice, small": lambda link: WAYS["written small in its escapes"](link).replace("%", "%25"),
    "all encoded twice": lambda link: encoded(link),
    "all encoded twice, by a tracker": lambda link: encoded(link) + "&fbclid=IwAR0x",
    "HTML, then all encoded twice": lambda link: encoded(html.escape(link)),
    "a tracker": lambda link: link + "&fbclid=IwAR0x&utm_source=mail",
    "written small in its escapes": lambda link: re.sub(r"%[0-9A-F]{2}", lambda found: found[0].lower(), link),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_link_survives_its_way(way):
    app = reveal(opened("qkv", SCENE))
    press(app, "qkv_share")
    link = "https://example.org/qkv" + app.code[0].proto.code_text
    assert re.fullmatch(r"[A-Za-z0-9:/?=&%._~-]+", link), "a sign that a mail may cut off or turn into another"
    arrived = WAYS[way](link)
    other = opened("qkv", dict(parse_qsl(urlsplit(arrived).query, keep_blank_values=True)))
    assert controls(other)["qkv_text"].value == SCENE["qkv_text"]
    assert controls(other)["qkv_seed"].value == 5
    assert controls(other)["qkv_seed"].disabled
    assert "could not be used" not in said(other)
    reveal(other)
    assert [one.data.equals(two.data) for one, two in zip(charts(app), charts(other), strict=True)] == [True]
    assert shared(other) == SCENE | {"qkv_k": "café"}  # the cell that was asked for


@pytest.mark.parametrize("text", ["100%25", "tea%20is", "%C3%A9", "50 %", "%", "a%2", "%zz", "%ff", "a=b&c=d", "&amp;"])
def test_a_text_with_signs_of_encoding_comes_back_as_it_was_typed(text):
    app = set_to(visit("qkv", step="x"), qkv_text=text)
    press(app, "qkv_share")
    link = app.code[0].proto.code_text
    assert controls(opened("qkv", dict(parse_qsl(urlsplit(link).query))))["qkv_text"].value == text


def test_words_of_streamlit_that_were_encoded_too_often_are_left_out():
    app = opened("qkv", {"qkv_step": "x", "amp;embed": "true", "amp;EMBED_OPTIONS": "x", "amp;qkv_seed": "7"})
    assert controls(app)["qkv_seed"].value == 7


def test_the_frame_and_the_mail_carry_the_link():
    app = visit("qkv", step="softmax", seed="5")
    press(app, "qkv_share")
    link, frame = [code.proto.code_text for code in app.code]
    source = html.unescape(re.search(r'src="([^"]+)"', frame)[1])
    assert source == link + "&embed=true"
    (mail,) = [button.proto.url for button in app.get("link_button")]
    assert dict(parse_qsl(urlsplit(mail).query))["body"] == f"<{link}>"


def test_a_code_holds_the_link_has_a_white_rim_and_says_what_it_is():
    link, alt = "https://example.org/qkv?qkv_text=caf%C3%A9&qkv_lock=seed", 'Code of "<b>"'
    expected = segno.make_qr(link, error="m")
    name, source = re.fullmatch('<img alt="([^"<]*)" src="data:image/svg[^,]*,([^"]*)">', qr_code(link, alt)).groups()
    assert html.unescape(name) == alt
    paper, code = ElementTree.fromstring(unquote(source))
    size = expected.symbol_size(border=4)[0]
    assert (paper.get("fill"), paper.get("d")) == ("#fff", f"M0 0h{size}v{size}h-{size}z")
    assert sum(map(int, re.findall(r"h(\d+)", code.get("d")))) == sum(map(sum, expected.matrix))


def test_a_link_that_is_too_long_has_no_code():
    assert qr_code("x" * 2331, "")
    assert qr_code("x" * 2332, "") is None


# Several lessons


def test_a_link_leads_through_the_lessons_that_it_names_in_its_order():
    plan = {"lessons": "causal_mask.qkv", "qkv_step": "dot", "qkv_seed": "9", "qkv_lock": "seed"}
    link = plan | {"causal_mask_step": "swap"}
    app = go(opened("causal_mask", link, ENTRY), "causal_mask", link)
    assert list(menu(app)) == ["causal_mask", "qkv"]
    page, words = next_lesson(app)
    assert page == "qkv"
    assert words == link
    set_to(app, causal_mask_text="dogs bark")
    own = {"causal_mask_text": "dogs bark"}
    assert next_lesson(app)[1] == words | own, "a plan is not changed by a sentence of the lesson before"
    go(app, *next_lesson(app))
    assert controls(set_to(press(app, "Next"), qkv_weights="random"))["qkv_seed"].disabled
    assert menu(app)["causal_mask"] == words | own | {"qkv_step": "x", "qkv_weights": "random"}
    assert not [link for link in app.main.get("page_link") if link.proto.label.startswith("Next lesson")]


@pytest.mark.promise("home 4")
def test_a_plan_is_whole_in_the_address_of_each_of_its_lessons():
    link = {
        "lessons": "causal_mask.qkv",
        "qkv_seed": "3",
        "causal_mask_seed": "9",
        "causal_mask_step": "swap",
        "causal_mask_lock": "seed",
    }
    app = go(opened("home", {}, ENTRY), "causal_mask", link)
    set_to(app, causal_mask_text="dogs bark")
    page, words = next_lesson(app)
    bound = ("causal_mask_seed", "causal_mask_text")  # Streamlit takes these out of an address with their widgets
    rerun(go(app, page, {key: value for key, value in words.items() if key not in bound}))
    address = {key: value if isinstance(value, str) else value[0] for key, value in app.query_params.items()}
    assert address == words == link | {"causal_mask_text": "dogs bark"}
    anew = go(opened("home", {}, ENTRY), page, address)
    assert menu(anew)["causal_mask"] == words


@pytest.mark.parametrize("named", ["", "nonsense", "..", "home", "<b>.x", "\x00"])
def test_a_plan_of_nothing_is_all_lessons(named):
    assert lessons_named(named) is LESSONS


def test_a_lesson_named_twice_comes_once():
    assert [lesson.name for lesson in lessons_named("scaling.qkv.scaling")] == ["scaling", "qkv"]


@pytest.mark.promise("home 4")
def test_a_teacher_plans_lessons_with_their_scenes():
    app = through_menu("causal_mask", step="leak", seed="4")
    app.session_state["_causal_mask_lock"] = ["seed"]
    press(app, "causal_mask_share")
    press(app, "_causal_mask_plan")
    go(app, "home", {})
    app.session_state["home_teachers"] = True
    rerun(app)
    choice = app.multiselect(key="_home_plan")
    assert choice.value == ["Causal Mask"]
    choice.set_value(["Causal Mask", "Scaling"]).run()
    (link,) = [code.proto.code_text for code in app.code]
    assert words_of_link(link) == {
        "lessons": "causal_mask.scaling",
        "causal_mask_step": "leak",
        "causal_mask_seed": "4",
        "causal_mask_lock": "seed",
    }
    assert urlsplit(link).path.endswith("causal_mask")
    (listed,) = [block for block in html_of(app) if "<ol>" in block]
    assert "Causal Mask, with your settings: step: leak; seed: 4; locked: seed" in listed
    assert "Scaling, with its defaults" in listed
    choice = app.multiselect(key="_home_plan").set_value(["Scaling", "Causal Mask"]).run()
    (link,) = [code.proto.code_text for code in app.code]
    assert urlsplit(link).path.endswith("scaling")
    assert words_of_link(link)["causal_mask_lock"] == "seed"


def test_nothing_of_a_crafted_link_becomes_markup_in_a_teachers_plan():
    markup = "<img src=x onerror=zq>"
    link = {f"qkv_{markup}": "1", "qkv_closer": markup, "qkv_lock": markup, "qkv_text": markup, "qkv_ask": markup}
    app = opened("home", {}, ENTRY)
    go(app, "qkv", link)
    press(app, "qkv_share")
    press(app, "_qkv_plan")
    go(app, "home", {})
    app.session_state["home_teachers"] = True
    (listed,) = [block for block in html_of(rerun(app)) if "<ol>" in block]
    assert set(re.findall(r"<(\w+)", listed)) == {"div", "ol", "li"}
    assert "img src" in html.unescape(listed)


def test_lessons_follow_one_another():
    names = [lesson.name for lesson in LESSONS]
    for one, following in pairwise(names):
        assert next_lesson(opened(one, {f"{one}_lock": "step"}, ENTRY))[0] == following
