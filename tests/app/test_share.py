"""Sharing: what a teacher locks, hides, asks and plans is what students get, whatever their mail does to the link."""

import html
import quopri
import re
from email.message import EmailMessage
from urllib.parse import parse_qsl, quote, unquote, urlsplit
from xml.etree import ElementTree

import pytest
import segno

from pages.links.nearby import qr_code
from tests.app.steps import step as one_step
from tests.app.visits import (
    FILES,
    charts,
    controls,
    html_of,
    opened,
    press,
    rerun,
    reveal,
    said,
    set_to,
    shared,
    visit,
    words_of_link,
)

each_page = pytest.mark.parametrize("page", FILES)
SCENE = {"qkv_step": "match", "qkv_text": "café & “thé”, 100%25 %ff a=b&c &amp; <b> + 🐈", "qkv_seed": "5"}
SCENE |= {"qkv_weights": "random", "qkv_lock": "seed.text"}


def style(app):
    return next((element.value for element in app.markdown if "<style>" in element.value), "")


# What students do not see


@each_page
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
    headings = [
        {block.label for block in one.expander} | {block.value for block in one.header}
        for one in (app, visit("qkv", step="softmax"))
    ]
    hidden, usual = ({"Code behind this view", "Download", "Practise"} & found for found in headings)
    assert not hidden  # not drawn, so that they are not seen for a moment
    assert len(usual) == 3
    assert app.button(key="qkv_next").disabled
    assert "code" not in shared(app, "text")["qkv_lock"]


@pytest.mark.parametrize("names", ["</style><b>", "seed{}", "seed,*", "a b;c}", "*", "."])
def test_a_link_cannot_write_styles(names):
    assert style(visit("qkv", hide=names)) == ""
    assert style(visit("qkv", hide=f"{names}.seed")) == "<style>.st-key-qkv_seed{display:none!important}</style>"


# Which question


def asks(app):
    return "Check" in [button.label for button in app.button]


def test_a_link_asks_one_question_alone():
    other = visit("qkv", step="projections", ask="ratio")
    assert not asks(other)
    assert charts(other)
    asking = visit("qkv", step="softmax", ask="ratio")
    assert asks(asking)
    assert "?" in charts(asking)[0].data["text"].tolist()


def test_sharing_offers_all_none_or_one_question_of_this_step():
    app = visit("qkv", step="softmax")
    assert shared(app) == {"qkv_step": "softmax"}
    assert shared(app, ask="none") == {"qkv_step": "softmax", "qkv_ask": "no"}
    press(app, "qkv_share")
    whole, none, only = app.selectbox(key="_qkv_ask").options
    assert (whole, none) == ("all of this step", "none")
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


def test_the_key_is_that_of_the_first_variant_whatever_was_answered_here():
    app = reveal(visit("qkv", step="softmax"))
    press(app, "Another question")
    (first,) = one_step("qkv", "softmax").page.asked
    assert first.text not in " ".join(html_of(app))
    key = key_of(app)
    assert (first.text in key, first.told in key) == (True, True)
    (other,) = one_step("qkv", "softmax", q="meowed", weights="random").page.asked
    set_to(app, qkv_weights="random")
    reveal(app)
    set_to(app, qkv_q="meowed")
    assert other.told in key_of(app)


@pytest.mark.parametrize("teacher", [{"lock": "seed"}, {"hide": "weights"}])
def test_a_link_with_a_lock_or_a_hidden_control_offers_no_key(teacher):
    assert key_of(visit("qkv", step="softmax")) is not None
    assert key_of(visit("qkv", step="softmax", **teacher)) is None


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
    "a mail": mailed,
    "HTML, twice too often": lambda link: html.escape(html.escape(link)),
    "values encoded twice, small": lambda link: WAYS["written small in its escapes"](link).replace("%", "%25"),
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
    assert shared(other) == SCENE


def test_the_frame_and_the_mail_carry_the_link():
    app = visit("qkv", step="softmax", seed="5")
    press(app, "qkv_share")
    link, frame = [code.proto.code_text for code in app.code]
    source = html.unescape(re.search(r'src="([^"]+)"', frame)[1])
    assert source == link + "&embed=true"
    mail, lecture = [button.proto.url for button in app.get("link_button")]
    assert lecture == link + "&lecture=on"
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


# What a link locks


def test_with_all_locked_that_the_dialog_offers_students_still_walk_on():
    app = visit("qkv", step="x")
    press(app, "qkv_share")
    offered = app.multiselect(key="_qkv_lock")
    offered.set_value(offered.options)  # as “Select all” does
    press(app, "qkv_share")
    locked = words_of_link(app.code[0].proto.code_text)
    assert {"text", "seed", "weights"} < {*locked["qkv_lock"].split(".")}
    assert not opened("qkv", locked).button(key="qkv_next").disabled
    app.session_state["_qkv_stay"] = True
    assert opened("qkv", shared(app)).button(key="qkv_next").disabled
