"""heads: all of them at a glance, one enlarged, and other seeds."""

import json
from functools import partial

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.multi_head.retrained import SEEDS, heads_that_follow, links_by_seed
from attention_core.experiments.scaling import head_metrics
from attention_core.shipped.plans import ENGLISH
from attention_core.text.word_vectors import position_labels
from pages.charts.heatmap import ATTENTION_AXES
from pages.charts.matrix_image import matrix_picture
from pages.multi_head.heads.other_seeds import job_question
from pages.multi_head.heads.retrained import LINKS, SHIPPED, place_question
from pages.multi_head.scene import SENTENCE as FIRST
from pages.qkv.scene import SENTENCE as FIRST_OF_LESSON_1
from tests.app.multi_head.scene import LABELS, SENTENCE, close, every_kind, expected, page, step, written
from tests.app.visits import charts, click, domain, heatmap, main, press, report, said, sent_to, visit

show = partial(step, "heads")
QUERY = "one query"


@every_kind
@pytest.mark.promise("pitfall 1", "tutorial 15")
def test_every_head_is_drawn_with_the_numbers_of_the_core(link):
    found = expected(**link)
    _, weights = core.multi_head_attention(found.x, *found.matrices, found.n_heads, found.mask)
    *maps, _ = charts(show(**link))
    assert len(maps) == found.n_heads
    for head, chart in enumerate(maps):
        seen = heatmap(chart)
        close(seen.values, weights[head])
        assert domain(chart) == [0, 1]
        assert (seen.rows, seen.columns) == (LABELS, LABELS)


@every_kind
@pytest.mark.promise("multi_head 1")
def test_the_measures_under_the_heads_are_computed(link):
    found = expected(**link)
    measures = head_metrics.measure_heads(found.attention.weights, found.words, found.mask)
    close(show(**link).result("measures"), measures)


@pytest.mark.promise("multi_head 1")
def test_one_head_enlarged_can_be_clicked_and_left_again():
    weights = expected().attention.weights
    app = press(page(), "Head 3")
    close(heatmap(main(app)).values, weights[2])
    click(app, 5, 6)
    assert f"became {written(weights[2, 5, 6])}" in said(app)
    press(app, "All heads")
    assert len(charts(app)) == len(weights) + 1


@every_kind
@pytest.mark.promise("tutorial 15")
def test_bars_are_the_weights_of_one_query_in_each_head(link):
    weights = expected(**link).attention.weights
    *bars, _ = charts(show(show=QUERY, q="the₅", **link))
    for chart, own in zip(bars, weights[:, 4], strict=True):
        close(chart.data["value"], own)
        assert chart.spec["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0, 1]


def test_of_a_long_sentence_the_largest_weights_are_shown_in_order():
    text = "one two three four five six seven eight nine ten eleven"
    *bars, _ = charts(show(text=text, show=QUERY, q="two"))
    for chart, own in zip(bars, expected(text).attention.weights[:, 1], strict=True):
        kept = sorted(np.argsort(-own)[:8])
        close(chart.data["value"], own[kept])
        assert chart.data["label"].tolist() == [text.split()[i] for i in kept]


def test_many_heads_over_a_long_sentence_are_drawn_as_images_of_the_same_numbers():
    link = {"text": "one two three " * 8, "d_model": "24", "heads": "12"}
    *images, _ = charts(show(**link))
    for chart, weights in zip(images, expected(**link).attention.weights, strict=True):
        wanted = matrix_picture(weights, ATTENTION_AXES, limit=None, name="", sentence="")
        assert chart.data["light"][0] == wanted.data["light"][0]


NAMES = dict(
    zip(("entropy", "word before", "first word", "itself", "same word"), head_metrics.HeadMeasures._fields, strict=True)
)


@pytest.mark.parametrize(("name", "field"), NAMES.items())
@pytest.mark.promise("tutorial 17")
def test_other_seeds_have_other_heads(name, field):
    chart = charts(show(measure=name))[-1]
    rows = [
        getattr(head_metrics.measure_heads(expected(seed=seed).attention.weights, SENTENCE.split()), field)
        for seed in range(18, 24)
    ]
    close(heatmap(chart).values, rows)
    assert len({int(row.argmax()) for row in rows}) > 1


def test_the_question_stands_before_other_seeds_and_not_before_the_heads():
    asked = show(unanswered="all")
    assert asked.ready
    assert len(charts(asked)) == 4
    question = asked.question("job")
    assert [question.options[i] for i in question.right] == ["Different heads, from set to set"]


@pytest.mark.parametrize(
    "link", [{"text": "a big dog ran", "measure": "same word"}, {"text": "dog", "measure": "itself"}, {"heads": "1"}]
)
def test_where_no_head_leads_none_is_said_to_and_nothing_is_asked(link):
    seen = show(unanswered="all", **link)
    assert seen.page.asked == []
    rows = heatmap(charts(seen)[-1]).values
    assert (rows == rows[:, :1]).all()


@pytest.mark.parametrize("leaders", [(1, 1, 1), (1, 0, 0), (1, 0, 2), (1, 1, 0)])
def test_of_what_heads_may_do_under_other_seeds_one_option_is_true(leaders):
    question = job_question("itself", leaders, 4, 0)
    first, *others = leaders
    true = {
        "Head 2 every time": set(others) == {first},
        "Another single head every time": len(set(others)) == 1 and first not in others,
        "Different heads, from set to set": len(set(others)) > 1,
    }
    assert [question.options[i] for i in question.right] == [option for option, holds in true.items() if holds]


@every_kind
def test_arcs_are_the_weights_of_the_chosen_head_over_the_sentence(link):
    app = page(q="warm", arcs="2", **link)
    (drawn,) = sent_to(app, "attention_arcs")
    arcs = json.loads(drawn.json)
    np.testing.assert_allclose(arcs["weights"], expected(**link).attention.weights[1], atol=5.1e-5)
    assert (arcs["words"], arcs["asks"]) == (SENTENCE.split(), 5)
    report(app, drawn, "picked", 3)
    assert app.selectbox(key="multi_head_q").value == "on"


def test_the_lesson_opens_on_the_trained_head_that_finds_what_it_refers_to():
    app = visit("multi_head")
    (drawn,) = sent_to(app, "attention_arcs")
    arcs, words = json.loads(drawn.json), FIRST.split()
    assert FIRST == FIRST_OF_LESSON_1
    assert arcs["words"] == words
    row = np.array(arcs["weights"])[arcs["asks"]]
    assert (words[arcs["asks"]], words[row.argmax()]) == ("it", "cat")
    assert row.max() > 0.9
    close(heatmap(charts(app)[3]).values, expected(FIRST, "trained").attention.weights[3])
    assert heatmap(charts(app)[3]).columns == position_labels(words)


@pytest.mark.parametrize(("field", "name"), LINKS.items())
@pytest.mark.promise("tutorial 17")
def test_the_grid_has_the_weight_of_each_head_of_each_seed_along_a_link(field, name):
    seen = show(weights="trained", job=name)
    grid = heatmap(charts(seen)[-1])
    wanted = getattr(links_by_seed(), field)
    close(grid.values, wanted)
    assert [row.split()[1] for row in grid.rows] == list(map(str, SEEDS))
    assert grid.rows[SHIPPED] == f"seed {ENGLISH.plan.seed} (shipped)"
    assert charts(seen)[-1].data["moved"].tolist() == (wanted >= 0.5).ravel().tolist()


def test_where_the_job_is_after_another_training_is_predicted_before_the_grid():
    asked = show(weights="trained", unanswered="all")
    assert len(charts(asked)) == 4
    question = asked.question("job")
    assert [question.options[i] for i in question.right] == ["Different heads, or none"]
    places = heads_that_follow(links_by_seed().pronoun)
    assert len(set(places)) > 2
    assert None in places


@pytest.mark.parametrize(
    ("others", "right"),
    [([3] * 6, "Head 4 in all 6"), ([1] * 6, "One other head in all 6"), ([None] * 6, "Different heads, or none")],
)
def test_of_where_a_job_may_be_one_option_is_true(others, right):
    places = [*others[:SHIPPED], 3, *others[SHIPPED:]]
    question = place_question(places, 1, "to *it*")
    assert [question.options[i] for i in question.right] == [right]
