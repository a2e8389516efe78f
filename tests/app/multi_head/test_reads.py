"""reads: all numbers of a word, or a slice of them."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.multi_head.head_parts import block_diagonal
from attention_core.experiments.multi_head.several_heads import attend_heads
from pages.look.html import quoted
from tests.app.multi_head.scene import LABELS, close, every_kind, expected, step
from tests.app.visits import charts, heatmap, html_of, press, said, visit

show = partial(step, "reads")


@every_kind
@pytest.mark.promise("multi_head 2")
def test_a_head_reads_every_number_and_a_slice_only_its_own(link):
    _, x, matrices, n_heads, _, _ = expected(**link)
    width = x.shape[1] // n_heads
    seen = show(head=2, d=2, **link)
    close(charts(seen)[0].data[["from", "to"]].iloc[0], (width + 0.5, 2 * width + 0.5))
    column = matrices.w_q[:, width + 1]
    assert f"{np.count_nonzero(column)} of the {x.shape[1]} entries of {quoted('sat')}" in said(seen)
    column = block_diagonal(matrices.w_q, n_heads)[:, width + 1]
    assert np.count_nonzero(column) <= width
    cut = show(head=2, d=2, reads="only its slice", **link)
    assert f"{np.count_nonzero(column)} of the {x.shape[1]} entries" in said(cut)


@pytest.mark.parametrize("place", [1, 6, 16])
@pytest.mark.promise("multi_head 2")
def test_who_notices_a_changed_number(place):
    _, x, matrices, n_heads, _, _ = expected()
    changed = x.copy()
    changed[1, place - 1] += 2
    cut = matrices._replace(
        **{name: block_diagonal(getattr(matrices, name), n_heads) for name in ("w_q", "w_k", "w_v")}
    )
    _, *maps = charts(show(head=2, change_row="cat", change_column=place))
    for chart, heads in zip(maps, (matrices, cut), strict=True):
        before, after = (attend_heads(rows, heads, n_heads).weights[1] for rows in (x, changed))
        close(heatmap(chart).values, after)
        moved = ~np.isclose(before, after, rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(chart.data["moved"], moved.ravel())
        assert f"{moved.sum()} of 49 attention weights" in chart.alt
        assert (moved.sum() > 0) == (heads is matrices or place == 6)


@pytest.mark.parametrize(("link", "width"), [({}, 16), ({"weights": "hand-made"}, 32), ({"weights": "trained"}, 32)])
def test_a_query_is_a_sum_of_as_many_products_as_the_vector_has_numbers(link, width):
    asked = show(unanswered="all", **link)
    assert (asked.ready, charts(asked)) == (False, [])
    question = asked.question("reads")
    assert question.right == width
    assert [mistake.value for mistake in question.mistakes] == [width // 4]
    assert f" of the {width} entries of" in said(show(**link))


def test_the_outline_of_a_head_of_one_column_names_one():
    assert "head 2: column 2." in charts(show(d_model="6", heads="6", head=2))[0].alt
    assert "head 2: columns 5 to 8." in charts(show(head=2))[0].alt


def test_another_question_is_about_another_word():
    asked = [show(q="on", variants={"reads": variant}).question("reads").text for variant in range(7)]
    first = LABELS.index("on")
    wanted = LABELS[first:] + LABELS[:first]
    assert [label for label, text in zip(wanted, asked, strict=True) if f"<i>{label}</i>" in text] == wanted


def test_the_question_is_about_the_word_in_the_picture():
    for link in ({}, {"q": "mat"}):
        app = visit("multi_head", step="reads", **link)
        (text,) = [html for html in html_of(app) if 'class="course ask"' in html]
        press(app, "Just show me")
        assert f"<i>{app.selectbox(key='multi_head_q').value}</i>" in text
        press(app, "Another question")
        (text,) = [html for html in html_of(app) if 'class="course ask"' in html]
        press(app, "Just show me")
        assert f"<i>{app.selectbox(key='multi_head_q').value}</i>" in text
