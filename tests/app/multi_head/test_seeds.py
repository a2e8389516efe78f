"""seeds: whether a head has a fixed job."""

from functools import partial

import pytest

from attention_core.experiments.multi_head.retrained import SEEDS, heads_that_follow, links_by_seed
from attention_core.experiments.scaling import head_metrics
from attention_core.shipped.plans import ENGLISH
from pages.multi_head.links import LINKS, SHIPPED
from pages.multi_head.seeds.other_seeds import job_question
from pages.multi_head.seeds.retrained import place_question
from tests.app.multi_head.scene import SENTENCE, close, expected, step
from tests.app.visits import charts, heatmap

show = partial(step, "seeds")

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


def test_the_question_stands_before_other_seeds():
    asked = show(unanswered="all")
    assert not charts(asked)
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
    assert not charts(asked)
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
