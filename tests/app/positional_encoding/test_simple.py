"""simple: plain numbers, one-hot vectors and waves as codes of positions."""

from functools import partial

import numpy as np
import pytest

import attention_core as core
from pages.positional_encoding.scene import BASES
from tests.app.positional_encoding.scene import VARIANTS, X, close, line
from tests.app.steps import step
from tests.app.visits import said

show = partial(step, "positional_encoding", "simple")
CODES = {
    "1, 2, 3 …": np.repeat(np.arange(1.0, 21)[:, None], 64, axis=1),
    "one-hot": np.eye(20, 64),
    "waves": core.sinusoidal_positions(20, 64),
}


def cosine(a, b):
    return (a @ b.T) / np.outer(np.linalg.norm(a, axis=-1), np.linalg.norm(b, axis=-1))


@pytest.mark.parametrize("code", CODES)
def test_lines_are_the_cosines_with_the_words_and_with_one_position(code):
    seen, rows = show(from_place=7), CODES[code]
    kept = [np.mean([cosine(x[None], (x + p)[None])[0, 0] for x in X]) for p in rows]
    close(line(seen, code)[1], kept)
    close(line(seen, code, 1)[1], cosine(rows, rows)[6])


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("length", [4, 20, 256])
def test_the_right_range_holds_the_cosine_that_is_told(variant, length):
    question = show(length=length, variants={"drown": variant}).question("drown")
    told = float(question.why.split("It is ")[1].split(". ")[0].replace("−", "-"))
    (right,) = (question.options[i] for i in question.right)
    assert right == ("above 0.6" if told > 0.6 else "0.2 to 0.6" if told >= 0.2 else "below 0.2")


def test_the_position_that_is_asked_about_changes_with_the_variant():
    right = [question.options[question.right[0]] for question in map(asked, range(3))]
    assert right == ["below 0.2", "above 0.6", "0.2 to 0.6"]


def asked(variant):
    return show(variants={"drown": variant}).question("drown")


def test_positions_beyond_the_width_have_no_one_hot_vector():
    assert "Here 12 positions have none" in said(show(length=20, d_model=8))
    assert "have none" not in said(show(length=20, d_model=64))


@pytest.mark.parametrize("width", [8, 16, 64, 128])
@pytest.mark.parametrize("base", BASES)
def test_near_positions_are_similar_and_a_distant_one_is_said_to_be_more_so_only_where_it_is(width, base):
    waves = core.sinusoidal_positions(20, width, float(base))
    cosines = waves[0] @ waves.T / (width / 2)
    assert cosines[1] > 0.8
    distant = 2 + int(cosines[2:].argmax())
    told = said(show(d_model=width, base=base, text=" ".join(["word"] * 20)))
    more = f"at distance {distant} the cosine is {cosines[distant]:.2f}, at distance 1 {cosines[1]:.2f}."
    assert (more in told) == ("a distant one can be more similar" in told) == (cosines[distant] > cosines[1])
    assert width == 8 or cosines[distant] < cosines[1]
