"""p · p: every position times every other."""

from functools import partial

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.multi_head.english_heads import trained_positions
from attention_core.experiments.positions.position_kinds import SLOPE, added_positions
from attention_core.experiments.positions.position_similarity import cosine_matrix
from tests.app.positional_encoding.scene import SEED, WIDTH, close, line, matrix
from tests.app.steps import step

show = partial(step, "positional_encoding", "alike")


@pytest.mark.promise("tutorial 23")
def test_tutorial_001_finds_its_two_products():
    waves = core.sinusoidal_positions(20, 64)
    seen = matrix(show())
    close(seen, waves @ waves.T)
    np.testing.assert_allclose(seen[0, [1, 19]], [30.917, 19.974], atol=0.0005)


@pytest.mark.parametrize("whose", ["random", "trained"])
def test_learned_rows_are_compared_by_their_cosines_beside_the_other_table(whose):
    seen = show(alike_kind="learned", alike_whose=whose, length=32)
    tables = {"random": added_positions("learned", 32, WIDTH, seed=SEED), "trained": trained_positions(32)}
    for name, table in tables.items():
        unit = table / np.linalg.norm(table, axis=1, keepdims=True)
        cosines = unit @ unit.T
        close(line(seen, f"learned, {name}", 1)[1], [np.diagonal(cosines, d).mean() for d in range(32)])
        if name == whose:
            close(matrix(seen), cosines)


@pytest.mark.parametrize("kind", ["none", "RoPE", "ALiBi"])
def test_without_added_vectors_the_numbers_depend_on_the_distance_alone(kind):
    seen = show(alike_kind=kind)
    values = matrix(seen)
    assert all(np.ptp(np.diagonal(values, d)) < 1e-9 for d in range(20))
    distance, mean = line(seen, kind, 1)
    close(mean, values[0])
    assert distance.tolist() == list(range(20))
    assert not seen.page.asked


def test_alibi_subtracts_more_with_each_position_of_distance():
    values = matrix(show(alike_kind="ALiBi"))
    assert values[0, 0] == 0
    np.testing.assert_allclose(np.diff(values[0]), -SLOPE)


@pytest.mark.parametrize("base", [10.0, 10000.0, 1000000.0])
@pytest.mark.parametrize("width", [8, 64, 128])
def test_neighbours_are_similar_but_a_larger_distance_need_not_give_a_smaller_product(width, base):
    waves = core.sinusoidal_positions(256, width, base)
    products = waves[0] @ waves.T
    assert products.argmax() == 0
    assert products[1] > 0.8 * products[0]
    assert (np.diff(products) > 0).any()


def test_training_makes_neighbours_similar_and_random_rows_are_not():
    cosines = [cosine_matrix(table) for table in (trained_positions(32), added_positions("learned", 32, WIDTH))]
    neighbours = [np.diagonal(table, 1).mean() for table in cosines]
    assert neighbours[0] > 0.9
    assert abs(neighbours[1]) < 0.1


@pytest.mark.parametrize("length", [4, 20, 256])
@pytest.mark.parametrize("variant", [1, 3])
def test_a_product_is_asked_of_two_positions_as_far_apart_as_those_that_are_told(variant, length):
    question = show(variants={"own_product": variant}, length=length).question("own_product")
    row, column = question.place
    table = core.sinusoidal_positions(length, WIDTH)
    assert question.right == pytest.approx(table[row] @ table[column])
    assert 0 < column - row < 5
    assert [mistake.value for mistake in question.mistakes] == [0, WIDTH / 2]


@pytest.mark.parametrize("variant", [0, 2])
def test_a_row_times_itself_is_half_the_width(variant):
    question = show(variants={"own_product": variant}).question("own_product")
    assert question.right == pytest.approx(32)
    assert [mistake.value for mistake in question.mistakes] == pytest.approx([64, 1, 0, 32**0.5])


def test_a_question_stands_before_both_pictures():
    assert show(unanswered="all").charts == []
