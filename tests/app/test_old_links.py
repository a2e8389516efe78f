"""Links of an earlier version, with the numbers that it computed for them, open the same views today.

`old_links.json` was written by that version and is never written again; what changes is `pages/page/renamed.py`.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.page.course import LESSONS
from pages.page.renamed import MOVED, RENAMED, VERSIONS, with_present_names
from tests.app.steps import step
from tests.app.visits import (
    ENTRY,
    FILES,
    ROOT,
    components,
    controls,
    nodes,
    page_of,
    press,
    sound,
)

BIBLE = {"model": "King James Bible"}
RARE = [  # what a link of that version may say too; no numbers were kept of these
    {"lesson": "tiny_lm", "step": name, "link": BIBLE | link, "numbers": []}
    for name, link in (
        ("cache", {"mask": "taken off"}),
        *(("parts", {"part": part}) for part in ("norm 2", "feed-forward")),
        *(("stream", {"adds": f"feed-forward {layer}"}) for layer in (1, 2, 3)),
        *(("stream", {"stream": "a norm", "which": f"before feed-forward {layer}"}) for layer in (1, 2, 3)),
    )
]
LINKS = [*json.loads((Path(__file__).parent / "old_links.json").read_text(encoding="utf-8")), *RARE]
each_lesson = pytest.mark.parametrize("lesson", [lesson.name for lesson in LESSONS])


def links_of(lesson):
    return [link for link in LINKS if link["lesson"] == lesson]


def present(lesson, link):
    """Return the page that an old link opens, and its words by their present names, without the prefix of the page."""
    words = with_present_names({f"{lesson}_{name}": value for name, value in link.items()})
    moved = MOVED.get((lesson, link["step"]))
    page = moved.page if moved else lesson
    assert all(key.startswith(f"{page}_") for key in words)
    return page, {key.removeprefix(f"{page}_"): value for key, value in words.items()}


def as_then(lesson, link):
    """Return a page opened by a link as it was written then; those that tests visit say the version of today."""
    app = AppTest.from_file(ROOT / FILES[lesson], default_timeout=30)
    app._bidi_component_manager = components()
    app.query_params = {f"{lesson}_{word}": value for word, value in link.items()}
    return sound(app.run())


def stage(app):
    """Return the step in view, as the picture of all steps marks it."""
    return next(name for name, node in nodes(app).items() if node["current"])


def sums(array):
    """Return what was kept of an array: its shape, the sum of its finite numbers, and of their sizes."""
    finite = array[np.isfinite(array)].astype(float)
    return list(array.shape), finite.sum(), np.abs(finite).sum()


def is_among(kept, computed):
    shape, total, size = kept
    close = 1e-5 * size + 1e-12
    return any(shape == a and abs(total - b) <= close and abs(size - c) <= close for a, b, c in computed)


@each_lesson
def test_a_link_of_the_version_before_opens_the_same_view_with_the_same_numbers(lesson):
    lost = []
    for old in links_of(lesson):
        page, words = present(lesson, {"step": old["step"], **old["link"]})
        seen = step(page, words.pop("step"), **words)
        arrays = [array for array in seen.page.recipe.arrays().values() if array.dtype.kind in "biuf" and array.size]
        computed = [sums(array) for array in arrays]
        if seen.page.controls.refused or not all(is_among(kept, computed) for kept in old["numbers"]):
            lost.append((old["step"], old["link"], seen.page.controls.refused))
    assert lost == []


def test_the_links_cover_every_lesson_and_every_word_that_was_renamed():
    assert len(LINKS) > 300
    assert all(len(links_of(lesson.name)) >= 7 for lesson in LESSONS)
    said = {(link["lesson"], *word) for link in LINKS for word in (*link["link"].items(), ("step", link["step"]))}
    for page, renamed in RENAMED.items():
        for control, words in renamed.items():  # of defaults and of what only one model has, links say nothing
            assert any((page, control, word) in said for word in words), (page, control)


@each_lesson
def test_an_old_word_is_rewritten_before_a_control_reads_it(lesson):
    for name, words in RENAMED[lesson].items():
        links = [{"step": link["step"], "ask": "no", **link["link"]} for link in links_of(lesson)]
        link = next(link for link in links if link.get(name) in words)  # a control may stand behind a question
        app = as_then(lesson, link)
        assert (stage(app) if name == "step" else controls(app)[f"{lesson}_{name}"].value) == words[link[name]]
        assert not any("could not be used" in element.proto.body for element in app.get("html"))


@pytest.mark.parametrize(("version", "d_v"), [("", "64"), ("2", "64"), (VERSIONS["scaling"], "16")])
def test_a_link_means_the_defaults_of_the_version_that_it_says(version, d_v):
    app = as_then("scaling", {"step": "d_v", "ask": "no"} | ({"v": version} if version else {}))
    assert controls(app)["scaling_d_v"].value == d_v
    assert VERSIONS["scaling"] in app.query_params["scaling_v"]


@pytest.mark.parametrize(("version", "n_new"), [("", "5"), (VERSIONS["tiny_lm"], "0")])
def test_an_old_link_to_a_model_that_only_answers_opens_its_words(version, n_new):
    link = {"step": "draw", "ask": "no", "model": "Pronouns"} | ({"v": version} if version else {})
    app = as_then("tiny_lm", link)
    assert len(controls(app)["tiny_lm_decision"].options) == 1 + int(n_new)


MOVED_LINKS = [
    ("multi_head", {"step": "cost", "n": "2048", "layers": "96", "text": "a b"}, "cost", {"n": 2048, "n_layers": 96}),
    (
        "positional_encoding",
        {"step": "layers", "kind": "learned", "blocks": "2", "cut": "true"},
        "blocks",
        {"encoding": "learned", "blocks": 2, "no_residual": True},
    ),
    (
        "positional_encoding",
        {"step": "norms", "text": "one two three", "deviation": "0.2", "q": "2", "v": "2"},
        "blocks",
        {"block_look": "lengths", "sentence": "one two three", "deviation": "0.2", "way_row": 2},
    ),
]


def at_once(query, page):
    """Return the course as a browser opens it by a link to one of its pages."""
    app = AppTest.from_file(ROOT / ENTRY, default_timeout=30)
    app._bidi_component_manager = components()
    app.switch_page(FILES[page])
    app.query_params = query
    return sound(app.run())


@pytest.mark.parametrize(("page", "link", "name", "set_to"), MOVED_LINKS)
def test_a_link_to_a_step_that_moved_opens_the_page_that_has_it(page, link, name, set_to):
    query = {f"{page}_{word}": value for word, value in ({"ask": "no"} | link).items()}
    app = at_once(query, page)
    assert (page_of(app), stage(app)) == ("tiny_lm", name)
    assert {word: controls(app)[f"tiny_lm_{word}"].value for word in set_to} == set_to
    assert not any("could not be used" in element.proto.body for element in app.get("html"))
    press(app, "Back")
    app.switch_page(FILES[page])  # as the button of a browser, which leads to the old address again
    app.query_params = query
    assert (page_of(sound(app.run())), stage(app)) == ("tiny_lm", name)


def test_what_a_teacher_locked_and_planned_moves_with_the_step():
    link = {"multi_head_step": "cost", "multi_head_lock": "step.layers.seed", "multi_head_hide": "code.text"}
    words = with_present_names(link | {"lessons": "qkv.multi_head.scaling"})
    moved = {"tiny_lm_step": "cost", "tiny_lm_lock": "step.n_layers", "tiny_lm_hide": "code"}
    assert words == moved | {"lessons": "qkv.tiny_lm.scaling", "tiny_lm_v": VERSIONS["tiny_lm"]}
    both = link | {"lessons": "multi_head.tiny_lm", "tiny_lm_step": "lens", "tiny_lm_v": VERSIONS["tiny_lm"]}
    kept = with_present_names(both)
    assert (kept["lessons"], kept["tiny_lm_step"]) == ("multi_head.tiny_lm", "lens")
    assert "multi_head_step" not in kept
