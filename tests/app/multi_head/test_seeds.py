"""seeds: whether a head has a fixed job."""

from functools import partial

import pytest

from attention_core.experiments.multi_head.retrained import SEEDS, links_by_seed
from attention_core.shipped.plans import ENGLISH
from pages.multi_head.common import LINKS, SHIPPED
from tests.app.multi_head.scene import step
from tests.app.visits import charts, heatmap

show = partial(step, "seeds")


@pytest.mark.parametrize(("field", "name"), LINKS.items())
def test_the_grid_has_a_row_for_each_seed_and_outlines_the_heads_that_find_the_link(field, name):
    seen = show(job=name)
    grid = heatmap(charts(seen)[-1])
    wanted = getattr(links_by_seed(), field)
    assert [row.split()[1] for row in grid.rows] == list(map(str, SEEDS))
    assert grid.rows[SHIPPED] == f"seed {ENGLISH.plan.seed} (of the course)"
    assert charts(seen)[-1].data["moved"].tolist() == (wanted >= 0.5).ravel().tolist()
