"""Every control at both ends, and links that say nonsense or mean harm."""

import numpy as np
import pytest

from pages.look.html import seen
from tests.app.every_page import asked, each_page, each_walk, ends, everywhere, last_place, pictured, same
from tests.app.visits import controls, html_of, opened, reveal, said, set_to, shared, visit
from tests.lessons import controls_of
from tests.tiers import first


@each_walk
def test_every_control_works_at_both_ends_by_itself(page, whole):
    done = set()
    for app in everywhere(page, whole):
        for key, widget in controls(app).items():
            if key in done or widget.disabled:
                continue
            done.add(key)
            for value in (*ends(widget), widget.value):
                set_to(app, **{key: value})
                reveal(app)
                if key not in controls(app):
                    break
                assert controls(app)[key].value == value


NONSENSE = ["y", "", "nan", "1e309", "-1e12", "9" * 50, "<b>1</b>", "<script>", "\x00", "٣٣٣٣٣٣٣٣٣٣٣٣", "{0}", "null"]


@each_page
@pytest.mark.parametrize("nonsense", first(2, NONSENSE))
def test_nonsense_gives_the_usual_value_and_a_note_that_names_it(page, nonsense):
    place = last_place(page)
    usual = opened(page, place)
    offered = {key: widget for key, widget in controls(usual).items() if key not in place}
    keys = [key for key, widget in offered.items() if widget.type != "text_input" and not widget.disabled]
    app = opened(page, dict.fromkeys(keys, nonsense) | place)
    assert same(app, usual)
    for key in keys:
        assert f"{key}={seen(nonsense[:40])}" in said(app)
    assert not any(f"={nonsense}" in block for block in html_of(app) if "<" in nonsense)
    assert shared(app) == place


@each_walk
def test_a_good_link_is_not_complained_of(page, whole):
    for app in everywhere(page, whole):
        assert "could not be used" not in said(app), app.query_params


def test_a_step_that_does_not_exist_is_the_first():
    app = visit("qkv", step="<b>x</b>")
    assert same(app, visit("qkv"))
    assert "qkv_step=<b>x</b>" in said(app)
    assert not any("<b>x" in block for block in html_of(app))


def test_a_switch_may_be_written_in_capitals():
    app = visit("qkv", step="two", same="True")
    assert controls(app)["qkv_same"].value is True
    assert "could not be used" not in said(app)


def hostile(rng, page, names):
    """Return the words of a link that nobody should send."""
    words = [
        "", " ", "x", "0", "-1", "1.5", "1e309", "-1e309", "nan", "NaN", "inf", "9" * 400, "1e-320", "0x1F", "1_000",
        "+7", "--5", "٣", "½", "true", "false", "True", "None", "null", "[]", "{}", "{0}", "%s", "%00", "../../passwd",
        "<script>alert(1)</script>", "</style>", "<img src=x onerror=alert(1)>", "&amp;", '"', "'; DROP TABLE",
        "$x^2$", "**bold**", ":red[x]", "[a](javascript:x)", "\x00", "\x07\x1b[2J", "\r\n", "\u202eabc", "\u200d",
        "\ufeff", "é\u0301", "👩‍👩‍👧", "𝔘" * 300, "a" * 20_000, "word " * 3_000, "\U0010ffff", "softmax", "trained",
        "hand-made", "random", "head 9", "A soft look-up", "Softmax, closely", "∞", "√2", "mix", "24", "32", "9999",
    ]  # fmt: skip
    every = [f"{page}_{name}" for name in [*names, "lock", "hide", "share", "keep", "code"]]
    every += ["embed", "embed_options", "lessons", "amp;", f"amp;{page}_seed", "unknown", "", "__proto__", "seed"]
    every += [f"{page}_", f"{page}_reset", f"_{page}_refused"]
    query = {}
    for _ in range(rng.integers(1, 7)):
        key = every[rng.integers(len(every))]
        values = [words[i] for i in rng.integers(len(words), size=rng.integers(1, 4) if rng.random() < 0.2 else 1)]
        if key.endswith(("_lock", "_hide", "lessons")) and rng.random() < 0.7:
            values = [rng.choice([".", ",", "..", "\x00."]).join([*rng.choice(every, 3), *values])]
        query[key] = values if len(values) > 1 else values[0]
    return query


@each_page
@pytest.mark.parametrize("times", first(1, [10, 60]))
def test_no_link_breaks_a_page(page, times):
    rng = np.random.default_rng(2017)
    names = sorted(controls_of(page))
    for _ in range(times):
        query = hostile(rng, page, names)
        app = opened(page, query)  # sees that there is no exception
        assert pictured(app) or asked(app), query
        blocks = " ".join(html_of(app))
        assert not any(tag in blocks for tag in ("<script", "<img", "</style>")), query
