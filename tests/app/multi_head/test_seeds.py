"""seeds: whether a head has a fixed job."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.multi_head.retrained import SEEDS, links_by_seed
from attention_core.shipped.plans import ENGLISH
from pages.multi_head.common import LINKS, SHIPPED
from pages.multi_head.seeds import ASKED, asked_place, place_question
from tests.app.multi_head.scene import close, step
from tests.app.visits import charts, heatmap

show = partial(step, "seeds")


@pytest.mark.parametrize(("field", "name"), LINKS.items())
@pytest.mark.promise("tutorial 17")
@pytest.mark.promise("pitfall 13")
def test_the_grid_has_the_weight_of_each_head_of_each_seed_along_a_link(field, name):
    seen = show(job=name)
    grid = heatmap(charts(seen)[-1])
    wanted = getattr(links_by_seed(), field)
    close(grid.values, wanted)
    assert [row.split()[1] for row in grid.rows] == list(map(str, SEEDS))
    assert grid.rows[SHIPPED] == f"seed {ENGLISH.plan.seed} (of the course)"
    assert charts(seen)[-1].data["moved"].tolist() == (wanted >= 0.5).ravel().tolist()


def test_where_the_job_is_after_another_training_is_predicted_before_the_grid():
    asked = show(unanswered="all")
    assert not charts(asked)
    question = asked.question("job")
    assert [question.options[i] for i in question.right] == ["Different heads, or none"]
    following = (links_by_seed().pronoun >= 0.5).tolist()
    assert len(set(map(tuple, following))) > 2
    assert [False] * 4 in following


@pytest.mark.parametrize(
    ("others", "right"),
    [
        ([[3]] * 6, "Head 4 in all 6"),
        ([[1]] * 6, "One other head in all 6"),
        ([[]] * 6, "Different heads, or none"),
        ([[1, 3]] * 6, "Different heads, or none"),
    ],
)
def test_of_where_a_job_may_be_one_option_is_true(others, right):
    places = [*others[:SHIPPED], [3], *others[SHIPPED:]]
    question = place_question(np.array([[head in place for head in range(4)] for place in places]), 1, "to *it*")
    assert [question.options[i] for i in question.right] == [right]


@pytest.mark.parametrize("variant", range(len(ASKED)))
def test_each_head_that_follows_a_link_is_told_not_only_the_strongest(variant):
    (field, _), question = list(ASKED.items())[variant], asked_place(variant)
    for weights in np.delete(getattr(links_by_seed(), field), SHIPPED, axis=0):
        following = [str(head + 1) for head in np.flatnonzero(weights >= 0.5)]
        assert (" and ".join(following) or "none") in question.why
