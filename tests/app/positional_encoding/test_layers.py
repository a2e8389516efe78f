"""blocks: what is left of words and positions after each block."""

from functools import partial

import pytest

from attention_core.experiments.position_kinds import KINDS
from attention_core.experiments.probes import probe_by_layer, probe_trained_model
from tests.app.positional_encoding.scene import SEED, close, line
from tests.app.steps import step

show = partial(step, "positional_encoding", "layers")


@pytest.mark.parametrize(("kind", "cut"), [*((kind, "false") for kind in KINDS), ("sinusoidal", "true")])
@pytest.mark.promise("positional_encoding 4")
def test_what_is_left_after_each_block(kind, cut):
    seen = show(kind=kind, cut=cut, blocks=2)
    found = probe_by_layer(kind, 32, 2, cut == "false", 10000.0, 1.0, SEED)
    layers, words = line(seen, "words")
    assert layers.tolist() == [0, 1, 2]
    close(words, found.words)
    close(line(seen, "positions")[1], found.places)


def test_the_trained_model_has_one_block():
    close(line(show(model="trained"), "positions")[1], probe_trained_model(SEED).places)
