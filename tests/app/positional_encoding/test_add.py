"""x + p: words and positions recovered from their sum."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.positions.probes import probe_by_strength
from tests.app.positional_encoding.scene import SEED, close, line
from tests.app.steps import step

show = partial(step, "positional_encoding", "add")


@pytest.mark.promise("positional_encoding 4")
def test_words_and_positions_are_recovered_as_measured():
    seen = show(add_strength=3, d_model=32)
    found = probe_by_strength("sinusoidal", 24, 32, 10000.0, SEED)
    close(line(seen, "words")[1], found.words)
    close(line(seen, "positions")[1], found.places)
    close(line(seen, "positions ± 2")[1], found.places_nearly)


@pytest.mark.parametrize(("scale", "n_right"), [(None, 7), (0, 0), (8, 7)])
def test_positions_are_recovered_from_the_sum_where_they_are_large_enough(scale, n_right):
    seen = show(**({} if scale is None else {"add_strength": scale}))  # it opens where all are recovered
    assert (seen.result("position").row == np.arange(7)).sum() == n_right
