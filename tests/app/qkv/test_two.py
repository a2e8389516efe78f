"""two: one matrix for queries and keys beside two, random heads, and both merged."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.qkv.named_head import NAMED_JOBS
from attention_core.experiments.qkv.one_head import HeadMatrices
from attention_core.experiments.qkv.two_matrices import self_counts
from pages.page.questions.kinds import Choice
from pages.qkv.two import mirror_question
from tests.app.every_page import same
from tests.app.qkv.heads import assert_sound
from tests.app.qkv.scene import KINDS, SCENES, close, computed, computed_from, every_scene, shown
from tests.app.steps import step
from tests.app.visits import charts, controls, heatmap, html_of, main, press, said, set_to, shared, to_step, visit

show = partial(step, "qkv", "two")
ON, OFF = {"same": "true"}, {"same": "false"}


def heads(**link):
    """Return a head with its two matrices, and with W_Q for the keys too."""
    two = computed(**link)
    words = [label.rstrip("₀₁₂₃₄₅₆₇₈₉") for label in two.labels]
    return two, computed_from(words, two.x, HeadMatrices(two.head.w_q, two.head.w_q, two.head.w_v), two.mask)


def table_of(app):
    """Return the rows of the comparison, the numbers read."""
    (block,) = [block for block in html_of(app) if "<td>score of" in block]
    rows = [row.split("</td>")[:3] for row in block.split("<tr>")[2:]]
    return [[cell.split(">")[-1] for cell in row] for row in rows]


@every_scene
@pytest.mark.promise("qkv 3")
def test_the_same_head_stands_there_with_two_matrices_and_with_one(link):
    two, one = heads(**link)
    app = show(**(link | OFF))
    close(heatmap(main(app)).values, two.softmax)
    assert len(app.charts) == 2
    app = show(**(link | ON))
    left, right = map(heatmap, app.charts[:2])
    close(left.values, two.softmax)
    close(right.values, one.softmax)
    assert left.rows == right.rows == right.columns == two.labels
    asks = two.labels.index(app.page.controls.made["q"].value)
    for chart in app.charts[:2]:
        assert set(chart.data[chart.data["mark"] & 1 > 0]["i"]) == {asks}
    best = int(two.softmax[asks].argmax())
    forth, *back, weight, selves = table_of(app)
    assert forth[1:] == [shown(value) for value in (two.scores[asks, best], one.scores[asks, best])]
    assert len(back) == (best != asks)
    for line in back:
        assert line[1:] == [shown(value) for value in (two.scores[best, asks], one.scores[best, asks])]
        assert forth[2] == line[2]
    assert weight[1:] == [shown(value) for value in (two.softmax[asks, best], one.softmax[asks, best])]
    for cell, head in zip(selves[1:], (two, one), strict=True):
        rows = [np.delete(row, i) for i, row in enumerate(head.softmax)]
        own = sum(head.softmax[i, i] > row.max() + 1e-9 for i, row in enumerate(rows))
        assert cell == f"{own} of {len(rows)}"


@pytest.mark.parametrize("job", NAMED_JOBS)
def test_the_job_of_every_hand_made_head_ends_with_one_matrix(job):
    word = {"pronoun to noun": "it", "adjective to noun": "warm", "noun to its adjectives": "mat"}.get(job, "it")
    two, one = heads(weights="hand-made", job=job)
    asks = two.labels.index(word)
    best = two.softmax[asks].argmax()
    assert best != asks
    assert two.softmax[asks, best] > 0.65
    assert one.softmax[asks, best] <= 0.1001
    text = said(show(weights="hand-made", job=job, q=word, **ON))
    assert f"is {two.softmax[asks, best]:.2f} with two matrices and {one.softmax[asks, best]:.2f} with one" in text


@pytest.mark.parametrize("name", KINDS)
def test_the_numbers_of_one_matrix_wait_for_the_answer_and_for_the_switch(name):
    for link in (ON, OFF):
        closed = show(unanswered="all", **(SCENES[name] | link))
        assert "score of" not in said(closed)
        assert "random heads" not in [chart.name for chart in closed.page.shown if hasattr(chart, "name")]
        assert closed.ready
    assert "Now switch on" in said(show(**(SCENES[name] | OFF)))
    assert "Now switch on" not in said(show(**(SCENES[name] | ON)))
    assert "Now switch on" not in said(show(lock="same", **(SCENES[name] | OFF)))


@pytest.mark.parametrize(
    "link", [{"weights": "random"}, {"weights": "random", "d_model": 13, "d_k": 5, "seed": 3, "text": "a b"}, {}]
)
def test_random_heads_of_these_widths_are_counted(link):
    app = show(**(link | ON))
    head = computed(**({"weights": "hand-made"} | link))
    (n_words, d_model), d_k = head.x.shape, head.q.shape[1]
    counts = self_counts(n_words, d_model, d_k, 500, int(link.get("seed", 20)))
    bars = app.charts[2]
    close(bars.data["value"], [counts.two.mean() / n_words, counts.one.mean() / n_words])
    close(bars.data["expected"], 1 / n_words)
    half = [sum(2 * count >= n_words for count in kind) for kind in (counts.two, counts.one)]
    assert f"in {half[0]} of the heads with two matrices and in {half[1]} with one" in bars.alt


@every_scene
def test_both_matrices_merged_give_the_same_scores(link):
    two, _ = heads(**link)
    for switch in (ON, OFF):
        app = show(**(link | switch))
        merged = two.head.w_q @ two.head.w_k.T
        close(heatmap(app.charts[-1]).values, merged)
        close(app.page.recipe.arrays()["merged_scores"], two.scores)
        assert app.page.recipe.arrays()["gap"] < 1e-11
        d_model, d_k = two.head.w_q.shape
        (block,) = [block for block in html_of(app) if "<td>this head" in block]
        assert f">2 · {d_model} · {d_k} = {2 * d_model * d_k:,}<" in block
        assert f">{d_model}² = {d_model**2:,}<" in block
        assert ">2 · 768 · 64 = 98,304<" in block
        assert ">768² = 589,824<" in block


@pytest.mark.parametrize(
    ("d_model", "d_k", "said_so"), [(8, 3, "fewer parameters than"), (8, 4, "as many parameters as"), (2, 9, "more")]
)
def test_which_way_has_fewer_parameters_depends_on_the_widths(d_model, d_k, said_so):
    assert f"Here WQ and WK have {said_so}" in said(show(weights="random", d_model=d_model, d_k=d_k))
    assert "has 6 times as many" in said(show())


@pytest.mark.parametrize("d_k", [7, 8, 9])
def test_only_thin_matrices_are_called_thin(d_k):
    assert ("Two thin matrices" in said(show(weights="random", d_model=8, d_k=d_k))) == (d_k < 8)


def test_the_map_with_one_matrix_is_the_one_that_is_its_own_mirror_image():
    places = set()
    for variant in range(23):
        question = mirror_question(variant)
        assert isinstance(question, Choice)
        assert_sound(question)
        assert len(set(question.pictures)) == 3
        places.update(question.right)
    assert places == {0, 1, 2}


def test_the_switch_is_in_this_step_alone_and_is_found_there_as_it_was_left():
    app = visit("qkv", step="two", ask="no")
    set_to(app, qkv_same=True)
    assert "score of" in said(app)
    assert shared(app)["qkv_same"] == "true"
    there = to_step(app, "mix")
    assert "qkv_same" not in controls(there)
    assert same(there, visit("qkv", step="mix"))
    assert shared(there)["qkv_same"] == "true"
    assert controls(to_step(there, "two"))["qkv_same"].value is True


def test_an_answer_is_kept_when_the_switch_moves_the_question():
    app = visit("qkv", step="two", weights="random")
    press(app, mirror_question(0).options[mirror_question(0).right[0]])
    assert "verdict right" in " ".join(html_of(app))
    set_to(app, qkv_same=True)
    assert "verdict right" in " ".join(html_of(app))
    assert len(charts(app)) == 4


@pytest.mark.parametrize("text", ["word", "a a a", "x " * 30, "<b> & 'x'"])
def test_any_sentence_will_do(text):
    for switch in (ON, OFF):
        app = show(text=text, **switch)
        assert "nan" not in said(app).lower().split()
        assert "<b> &" not in " ".join(html_of(app))


def test_where_all_weights_are_equal_none_is_called_the_largest():
    first = show(q="cat").charts[0]
    assert "attends equally to all words: 0.10 each" in first.alt


def test_a_word_that_attends_most_to_itself_has_one_score_to_compare():
    app = show(weights="trained", head="4", q="cat", **ON)
    assert [row[0] for row in table_of(app)] == [
        "score of cat → cat",
        "weight of cat → cat",
        "words that attend most to themselves",
    ]


def test_random_heads_over_a_single_word_would_tell_nothing():
    app = show(text="word", **ON)
    assert "Is it only this head?" not in said(app)
    assert "random heads" not in said(app)
