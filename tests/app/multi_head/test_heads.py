"""heads: all of them at a glance, one enlarged, and other seeds."""

import re
from functools import partial

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments import head_metrics
from pages.charts.heatmap import ATTENTION_AXES
from pages.charts.matrix_image import matrix_picture
from pages.look.html import quoted
from pages.multi_head.heads import job_question
from tests.app.multi_head.scene import LABELS, SENTENCE, close, every_kind, expected, page, written
from tests.app.steps import step
from tests.app.visits import charts, click, domain, heatmap, html_of, main, press, said

show = partial(step, "multi_head", "heads")
LOOK = "one word’s look"


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
        assert chart.spec["encoding"]["color"]["scale"]["domain"] == [0, 1]
        assert (seen.rows, seen.columns) == (LABELS, LABELS)
        query, key = np.unravel_index(weights[head].argmax(), weights[head].shape)
        assert chart.alt.startswith(f"Head {head + 1}: {quoted(LABELS[query])} looks")
        assert quoted(LABELS[key]) in chart.alt
        assert f": {weights[head].max():.2f}" in chart.alt


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
    assert chart.alt == f"{quoted('on')} looks most at {quoted(LABELS[weights[3].argmax()])}: {weights[3].max():.2f}."
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
def test_bars_say_where_one_word_looks_in_each_head(link):
    weights = expected(**link).attention.weights
    *bars, _ = charts(show(show=LOOK, q="the₅", **link))
    for chart, shares in zip(bars, weights[:, 4], strict=True):
        close(chart.data["value"], shares)
        assert chart.spec["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0, 1]


def test_of_a_long_sentence_the_largest_shares_are_drawn_in_order():
    text = "one two three four five six seven eight nine ten eleven"
    *bars, _ = charts(show(text=text, show=LOOK, q="two"))
    for chart, shares in zip(bars, expected(text).attention.weights[:, 1], strict=True):
        kept = sorted(np.argsort(-shares)[:8])
        close(chart.data["value"], shares[kept])
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
    assert chart.alt.startswith(f"Most “{name}”: head {best[0]} with")
    assert str(best[1:])[1:-1] in chart.alt
    assert len(set(best)) > 1


def test_the_question_stands_before_other_seeds_and_not_before_the_heads():
    asked = show(unanswered="all")
    assert asked.ready
    assert len(charts(asked)) == 4
    question = asked.question("job")
    assert [question.options[i] for i in question.right] == ["Now this head, now that one"]
    assert sorted(bool(reason) for reason in question.mistakes) == [False, True, True]


@pytest.mark.parametrize(
    "link",
    [{"text": "a big dog ran", "measure": "same word"}, {"text": "dog", "measure": "itself"}, {"heads": "1"}],
)
def test_where_no_head_leads_none_is_said_to_and_nothing_is_asked(link):
    seen = show(unanswered="all", **link)
    assert seen.page.asked == []
    assert "no head has more than another" in said(seen)
    assert "it would lead" not in said(seen)
    rows = heatmap(charts(seen)[-1]).values
    assert (rows == rows[:, :1]).all()


@pytest.mark.parametrize("leaders", [(1, 1, 1), (1, 0, 0), (1, 0, 2), (1, 1, 0)])
def test_of_what_heads_may_do_under_other_seeds_one_option_is_true(leaders):
    question = job_question("itself", leaders, 4, 0)
    first, *others = leaders
    true = {
        "Head 2 each time": set(others) == {first},
        "Another head, the same each time": len(set(others)) == 1 and first not in others,
        "Now this head, now that one": len(set(others)) > 1,
    }
    assert [question.options[i] for i in question.right] == [option for option, holds in true.items() if holds]
