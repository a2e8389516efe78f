"""x + p: words and positions recovered from their sum."""

import re
from functools import partial

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.positions.probes import probe_by_strength
from attention_core.text.word_vectors import word_vectors
from tests.app.positional_encoding.scene import SEED, WORDS, close, line, plain
from tests.app.steps import step
from tests.app.visits import said

show = partial(step, "positional_encoding", "add")


@pytest.mark.promise("positional_encoding 4")
def test_words_and_positions_are_recovered_as_measured():
    seen = show(add_strength=3, d_model=32)
    found = probe_by_strength("sinusoidal", 24, 32, 10000.0, SEED)
    close(line(seen, "words")[1], found.words)
    close(line(seen, "positions")[1], found.places)
    close(line(seen, "positions ± 2")[1], found.places_nearly)
    sums = word_vectors(WORDS, 32, SEED) + 3 * core.sinusoidal_positions(7, 32)
    cosines = (sums @ core.sinusoidal_positions(24, 32).T) / np.linalg.norm(sums, axis=1)[:, None]
    right = cosines.argmax(axis=1) == np.arange(7)
    assert f"{right.sum()} of 7 positions" in seen.charts[0].alt
    (table,) = [block for block in seen.html if "recovered word" in block]
    assert table.count("✕") == (~right).sum() + 7 - table.count("✓") + right.sum()
    assert [f">{t}</td>" in table for t in range(7)] == [True] * 7


def test_it_opens_where_all_words_and_positions_are_recovered():
    assert "7 words and 7 of 7 positions" in show().charts[0].alt.replace("7 of 7 words", "7 words")


@pytest.mark.parametrize(("scale", "told"), [(0, "7 of 7 words"), (8, "7 of 7 positions")])
def test_at_each_end_of_the_scale_one_of_the_two_is_recovered(scale, told):
    assert told in show(add_strength=scale).charts[0].alt


def test_what_is_not_added_is_not_recovered():
    seen = show(kind="ALiBi")
    assert "7 of 7 words of this sentence, and no position" in seen.charts[0].alt
    assert "ALiBi adds nothing to the words" in said(seen)


def test_concatenation_keeps_both_at_twice_the_width():
    (table,) = [block for block in show().html if "concatenation" in block and "<table>" in block]
    cells = [plain(cell) for cell in re.findall("<td.*?>(.*?)</td>", table)]
    assert cells[6:] == ["128 columns", "1,024 in WQ", "7 of 7", "7 of 7"]
