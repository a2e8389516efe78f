"""heads: all of them at a glance, one enlarged, and other seeds."""

import json
import re
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
from pages.look.html import quoted
from pages.look.sentences import brightest_cell
from pages.multi_head.heads.other_seeds import FROM, job_question
from pages.multi_head.heads.retrained import LINKS, SHIPPED, place_question
from pages.multi_head.scene import SENTENCE as FIRST
from pages.qkv.scene import SENTENCE as FIRST_OF_LESSON_1
from tests.app.multi_head.scene import LABELS, SENTENCE, close, every_kind, expected, page, step, written
from tests.app.visits import charts, click, domain, heatmap, html_of, main, press, report, said, sent_to, visit

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
        assert chart.alt == f"Head {head + 1}: {brightest_cell(weights[head], LABELS)}"


@every_kind
@pytest.mark.promise("multi_head 1")
def test_the_measures_under_the_heads_are_computed(link):
    found = expected(**link)
    measures = head_metrics.measure_heads(found.attention.weights, found.words, found.mask)
    blocks = [block for block in html_of(show(**link)) if 'class="meters"' in block]
    assert len(blocks) == found.n_heads
    for head, block in enumerate(blocks):
        assert re.findall(r'class="n">(?:<b>)?([\d.]+)', block) == [written(values[head]) for values in measures]


@every_kind
@pytest.mark.parametrize("head", [1, 3])
def test_one_head_is_enlarged_with_the_way_to_a_weight(link, head):
    weights = expected(**link).attention.weights[head - 1]
    seen = show(head=head, q="on", k="the₁", **link)
    chart = main(seen)
    close(heatmap(chart).values, weights)
    assert domain(chart) == [0, 1]
    assert chart.alt.startswith(quoted("on"))
    assert f"{quoted(LABELS[weights[3].argmax()])}: {weights[3].max():.2f}" in chart.alt
    assert f"became {written(weights[3, 0])}" in said(seen)
    assert len([block for block in html_of(seen) if 'class="meters"' in block]) == 1


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
        assert quoted("the₅") in chart.alt
        assert f": {own.max():.2f}" in chart.alt


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
    best = [int(row.argmax()) + 1 for row in rows]
    assert f"“{name}”: head {best[0]} " in chart.alt
    assert str(best[1:])[1:-1] in chart.alt
    assert len(set(best)) > 1


def test_the_question_stands_before_other_seeds_and_not_before_the_heads():
    asked = show(unanswered="all")
    assert asked.ready
    assert len(charts(asked)) == 4
    question = asked.question("job")
    assert [question.options[i] for i in question.right] == ["Different heads, from set to set"]
    assert sorted(bool(reason) for reason in question.mistakes) == [False, True, True]


@pytest.mark.parametrize(
    "link",
    [{"text": "a big dog ran", "measure": "same word"}, {"text": "dog", "measure": "itself"}, {"heads": "1"}],
)
def test_where_no_head_leads_none_is_said_to_and_nothing_is_asked(link):
    seen = show(unanswered="all", **link)
    assert seen.page.asked == []
    assert "all heads have the same value" in said(seen)
    assert "would lead" not in said(seen)
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


@pytest.mark.parametrize("kind", FROM)
def test_who_gave_the_heads_their_jobs_depends_on_whose_matrices_they_are(kind):
    text = said(show(weights=kind))
    assert [sentence in text for sentence in FROM.values()] == [other == kind for other in FROM]


@every_kind
@pytest.mark.parametrize(("link_of_head", "head"), [({"arcs": "2"}, 1), ({"head": "2"}, 1)])
def test_arcs_are_the_weights_of_the_chosen_head_over_the_sentence(link, link_of_head, head):
    app = page(q="warm", **link_of_head, **link)
    (drawn,) = sent_to(app, "attention_arcs")
    arcs = json.loads(drawn.json)
    np.testing.assert_allclose(arcs["weights"], expected(**link).attention.weights[head], atol=5.1e-5)
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
    followed = (wanted >= 0.5).any(axis=1)
    assert ("no head in" in charts(seen)[-1].alt) == (not followed.all())
    jobs = [block.partition('class="meters"')[0] for block in html_of(seen) if 'class="meters"' in block]
    assert [name in block for block in jobs] == (wanted[SHIPPED] >= 0.5).tolist()


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


def test_a_sentence_on_a_row_names_all_keys_that_share_its_largest_weight():
    weights = np.array([[0.25, 0.25, 0.25, 0.25], [0.4, 0.1, 0.4, 0.1], [0.7, 0.1, 0.1, 0.1]])
    uniform, tie, one = (brightest_cell(weights, list("xyz"), row, list("abcd")) for row in range(3))
    assert "equally to all" in uniform
    assert f"equally, to {quoted('a')} and {quoted('c')}: 0.40 each" in tie
    assert f"most to {quoted('a')}: 0.70." in one
    text = "the cat saw the dog"
    weights = expected(text).attention.weights[0]
    row = int(np.flatnonzero(weights.argmax(axis=1) == 0)[0])  # “the” has the largest weight, in both positions
    labels = position_labels(text.split())
    sentence = main(show(text=text, head=1, q=labels[row])).alt
    assert quoted(labels[0]) in sentence
    assert quoted(labels[3]) in sentence


def test_one_head_alone_is_not_called_the_highest():
    assert "Bold" not in said(show(heads=1))
    assert "Bold" in said(show(heads=2))
