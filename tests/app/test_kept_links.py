"""Links of released versions: each opens the view that it named, whatever was renamed since."""

from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from pages.links.earlier import RENAMED, renew
from pages.teaching.plan import plan_in
from tests.app.visits import FILES, opened, said, shared
from tests.lessons import controls_of
from tests.tiers import first

LINKS = sorted((Path(__file__).parent / "links").glob("*.txt"))


def links():
    """Return the links of all versions, those of all pages in turns."""
    return [line for path in LINKS for line in path.read_text(encoding="utf-8").splitlines()]


# The first picture shows another head now, which reads every word: these texts stand, and had a usual sentence instead.
FOR_ANOTHER_HEAD = ("/qkv?qkv_text=aaaa", "/qkv?qkv_text=%3Cb%3Ebold")


@pytest.mark.parametrize("link", first(21, links()))
def test_a_link_of_an_earlier_version_opens_and_says_the_same(link):
    page, _, query = link.strip("/").partition("?")
    words = dict(parse_qsl(query))
    app = opened(page or "home", words)
    gone = {"qkv_q"} if link.startswith(FOR_ANOTHER_HEAD) else set()
    assert ("could not be used" in said(app)) == bool(gone)
    assert shared(app) == {name: word for name, word in renew(words).items() if name not in gone}


def test_a_word_and_a_value_of_a_link_can_be_renamed_or_dropped():
    renamed = {"qkv_old": "qkv_new", "qkv_step=first": "qkv_step=it", "qkv_gone": "", "qkv_step=none": ""}
    assert renew({"qkv_old": "a=b", "qkv_step": "first", "qkv_gone": "1"}, renamed) == {
        "qkv_new": "a=b",
        "qkv_step": "it",
    }
    assert renew({"qkv_step": "none", "qkv_seed": "3"}, renamed) == {"qkv_seed": "3"}
    assert renew({"qkv_lock": "gone.old.k", "qkv_hide": "old"}, renamed) == {"qkv_lock": "new.k", "qkv_hide": "new"}


def test_a_renamed_word_is_found_in_a_plan_too(monkeypatch):
    monkeypatch.setitem(RENAMED, "qkv_old", "qkv_seed")
    assert plan_in("qkv?qkv_old=7").views == plan_in("qkv?qkv_seed=7").views


def test_what_was_renamed_leads_to_a_word_of_today():
    words = {f"{page}_{name}" for page in FILES for name in controls_of(page)}
    assert {target.partition("=")[0] for target in RENAMED.values()} - words <= {""}
