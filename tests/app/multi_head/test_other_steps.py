"""Steps with a test or two: across, seeds, reads, free, ways."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.multi_head.head_parts import block_diagonal
from attention_core.experiments.multi_head.retrained import SEEDS, links_by_seed
from attention_core.experiments.multi_head.several_heads import attend_heads
from attention_core.shipped.plans import ENGLISH
from pages.multi_head.across import SECOND
from pages.multi_head.common import LINKS, SHIPPED
from pages.multi_head.scene import SENTENCE as FIRST
from tests.app.multi_head.scene import close, every_kind, expected, step
from tests.app.visits import charts, heatmap, main, said, visit

show_ways = partial(step, "ways")


def test_a_hand_made_head_finds_each_word_in_the_other_sentence():
    seen = step("across", text="the cat sat on the warm mat and it meowed", weights="trained")
    weights = heatmap(main(seen))
    rows, columns = FIRST.split(), SECOND.split()
    assert f"for each query, {len(rows)} × " in said(seen)
    for row, word in enumerate(rows):
        if word in columns:
            assert columns[weights.values[row].argmax()] == word
            assert weights.values[row, [other == word for other in columns]].sum() > 0.9
    assert visit("multi_head", step="across", ask="no").button_group(key="_multi_head_in_view").value == "2"


@pytest.mark.parametrize(("field", "name"), LINKS.items())
def test_the_grid_has_a_row_for_each_seed_and_outlines_the_heads_that_find_the_link(field, name):
    seen = step("seeds", job=name)
    grid = heatmap(charts(seen)[-1])
    wanted = getattr(links_by_seed(), field)
    assert [row.split()[1] for row in grid.rows] == list(map(str, SEEDS))
    assert grid.rows[SHIPPED] == f"seed {ENGLISH.plan.seed} (of the course)"
    assert charts(seen)[-1].data["moved"].tolist() == (wanted >= 0.5).ravel().tolist()


@pytest.mark.parametrize("place", [1, 6, 16])
def test_who_notices_a_changed_number(place):
    held = expected()
    x, matrices, n_heads = held.x, held.heads, held.n_heads
    changed = x.copy()
    changed[1, place - 1] += 2
    cut = matrices._replace(
        **{name: block_diagonal(getattr(matrices, name), n_heads) for name in ("w_q", "w_k", "w_v")}
    )
    seen = step("reads", head=2, change_row="cat", change_column=place)
    assert f"slice of head {(place - 1) * n_heads // x.shape[1] + 1}." in said(seen)
    whole, *maps = charts(seen)
    assert whole.alt.endswith("those of head 2.")
    for chart, heads in zip(maps, (matrices, cut), strict=True):
        before, after = (attend_heads(rows, heads, n_heads).weights[1] for rows in (x, changed))
        close(heatmap(chart).values, after)
        moved = ~np.isclose(before, after, rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(chart.data["moved"], moved.ravel())
        assert (moved.sum() > 0) == (heads is matrices or place == 6)


@pytest.mark.parametrize("d_model", [6, 16, 64])
def test_the_numbers_stay_while_heads_grow_and_rank_falls(d_model):
    counts = [n for n in range(1, 13) if d_model % n == 0]
    seen = step("free", d_model=d_model, heads=2)
    data = charts(seen)[0].data
    lines = data[data["kind"] == "line"]
    held, rank = (lines[lines["series"] == name] for name in ("parameters", "rank"))
    assert held["x"].tolist() == counts
    close(held["value"], np.ones(len(counts)))
    close(rank["value"], [1 / n for n in counts])
    assert seen.result("parameters") == 4 * d_model**2


@every_kind
def test_the_trace_shows_the_shapes_with_the_students_own_sizes(link):
    found = expected(**link)
    (t, d), n_heads = found.x.shape, found.n_heads
    seen = show_ways(**link)
    text = said(seen)
    assert f"({t}, {d}) → ({n_heads}, {t}, {d // n_heads}) → ({n_heads}, {t}, {t}) → ({t}, {d})" in text
    assert f"the same numbers in {n_heads} block" in text


WAYS = {"a loop over heads": "by_loop", "a reshape": "attention", "einsum": "by_einsum"}


@pytest.mark.parametrize(("way", "function"), WAYS.items())
def test_the_code_of_each_way_can_be_read(way, function):
    assert f"def multi_head_{function}(" in said(show_ways(way=way))
