"""Steps with a test or two: add, compare, beyond, simple, alike; and which controls a step has."""

from functools import partial

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.multi_head.english_heads import trained_positions
from attention_core.experiments.positions.beyond import LONG, TRAINED, losses_beyond
from attention_core.experiments.positions.position_kinds import added_positions
from attention_core.experiments.positions.position_similarity import cosine_matrix
from pages.positional_encoding.simple import asked_position
from tests.app.positional_encoding.scene import VARIANTS, WIDTH, close, line, matrix
from tests.app.steps import step
from tests.app.visits import domain, said

show_add = partial(step, "positional_encoding", "add")
show_compare = partial(step, "positional_encoding", "compare")
show_beyond = partial(step, "positional_encoding", "beyond")
show_simple = partial(step, "positional_encoding", "simple")
show_alike = partial(step, "positional_encoding", "alike")


@pytest.mark.parametrize(("scale", "n_right"), [(None, 7), (0, 0), (8, 7)])
def test_positions_are_recovered_from_the_sum_where_they_are_large_enough(scale, n_right):
    seen = show_add(**({} if scale is None else {"add_strength": scale}))  # it opens where all are recovered
    assert (seen.result("position") == np.arange(7)).sum() == n_right


@pytest.mark.parametrize("offset", [0, 40])
def test_four_encodings_of_one_sentence_and_which_stay(offset):
    seen = show_compare(offset=offset)
    for i, kind in enumerate(("sinusoidal", "learned", "RoPE", "ALiBi")):
        assert domain(seen.charts[i]) == [0, 1]
        stays = kind in ("RoPE", "ALiBi") or offset == 0
        assert seen.charts[i].data["moved"].any() == (not stays)
        assert f"{kind} · {'same' if stays else 'changed: '}" in said(seen) or not offset


@pytest.mark.parametrize("kind", ["sinusoidal", "learned", "RoPE", "ALiBi", "none", LONG])
def test_a_line_is_the_mean_of_the_runs_over_four_positions(kind):
    x, loss = line(show_beyond(read=40), kind)
    close(loss, losses_beyond()[kind].mean(axis=0).reshape(16, 4).mean(axis=1)[:10])
    close(x, np.arange(10) * 4 + 1.5)


def test_before_the_answer_no_line_goes_beyond_the_training():
    seen = show_beyond(unanswered="all")
    assert all(line(seen, kind)[0].max() < TRAINED for kind in losses_beyond())


def test_before_the_answer_the_line_ends_before_the_position_that_is_asked_about():
    for variant in VARIANTS:
        seen = show_simple(unanswered="all", variants={"drown": variant})
        assert line(seen, "0, 1, 2 …")[0].max() < asked_position(20, variant)


def test_tutorial_001_finds_its_two_products():
    waves = core.sinusoidal_positions(20, 64)
    seen = matrix(show_alike())
    close(seen, waves @ waves.T)
    np.testing.assert_allclose(seen[0, [1, 19]], [30.917, 19.974], atol=0.0005)


def test_training_makes_neighbours_similar_and_random_rows_are_not():
    cosines = [cosine_matrix(table) for table in (trained_positions(32), added_positions("learned", 32, WIDTH))]
    neighbours = [np.diagonal(table, 1).mean() for table in cosines]
    assert neighbours[0] > 0.9
    assert abs(neighbours[1]) < 0.1


@pytest.mark.parametrize(
    ("name", "kind", "there", "missing"),
    [
        ("add", "learned", {"d_model", "add_strength"}, {"base"}),
        ("compare", "learned", {"d_model", "seed"}, {"strength"}),
        ("order", "sinusoidal", {"d_model"}, {"base", "strength"}),
        ("rope", "none", {"base"}, {"d_model", "strength"}),
    ],
)
def test_a_control_that_would_move_nothing_is_not_drawn(name, kind, there, missing):
    drawn = step("positional_encoding", name, kind=kind).page.controls.made.keys()
    assert there <= drawn
    assert not missing & drawn
