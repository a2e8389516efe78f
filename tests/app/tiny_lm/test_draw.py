"""draw: the table and the cumulative probability hold the numbers of the core."""

import html
import re
from functools import partial

import numpy as np
import pytest

from attention_core.experiments.language.next_token import decisions
from attention_core.model.generate import choose
from pages.tiny_lm.model_in_view import NAMES, visible
from pages.tiny_lm.sampling import most_uncertain
from tests.app.steps import step
from tests.app.tiny_lm.models import close, model_of, prompt_of, vocabulary_of
from tests.app.visits import controls, html_of, press, reveal, visit
from tests.tiers import first

WAYS = [{}, {"temperature": "2.0"}, {"top_k": "3"}, {"top_p": "0.6", "temperature": "1.5"}, {"greedy": "true"}]
each_way = pytest.mark.parametrize("way", WAYS, ids=str)
show = partial(step, "tiny_lm", "draw", drawn="5")  # by default a model that only answers generates none
ENGLISH = "Toy English"


def expected(label=ENGLISH, drawn=5, seed=3):
    """Return the vocabulary and the decisions of a text, made by the core alone."""
    model, _ = model_of(label)
    return vocabulary_of(label), decisions(model, prompt_of(label), drawn + 1, *drawing_of(), seed)


def drawing_of(temperature="0.8", top_k="0", top_p="1", greedy=""):
    heat = 0.0 if greedy else float(temperature)
    return heat, int(top_k) or None, float(top_p) if float(top_p) < 1 else None


def rows_of(seen):
    """Return the cells of the table of the decision."""
    (block,) = [block for block in html_of(seen) if 'class="decision"' in block]
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr[^>]*>(.*?)</tr>", block)]
    return [[html.unescape(cell) for cell in row] for row in rows if row]


def number(text):
    return float(re.sub("[,,]", "", text.replace("−", "-")))


@pytest.mark.parametrize(
    ("label", "way"),
    first(len(WAYS), [(label, way) for label in sorted(NAMES, key=ENGLISH.__ne__) for way in WAYS]),
    ids=str,
)
def test_the_table_is_the_decision(label, way):
    vocabulary, found = expected(label)
    heat, top_k, top_p = drawing_of(**way)
    chosen = choose(found.logits[5], heat, top_k, top_p, found.drawn[5], 1)
    seen = show(model=label, **way)
    rows = [row for row in rows_of(seen) if len(row) == 7]
    order = chosen.order
    shares = chosen.probabilities[order]
    for rank, row in enumerate(rows[:6]):
        token = order[rank]
        assert row[0] == visible(vocabulary.tokens[token])
        assert number(row[1]) == pytest.approx(found.logits[5, token], abs=0.0051)
        if heat:
            assert number(row[2]) == pytest.approx(found.logits[5, token] / heat, abs=0.0051)
        kept = rank < chosen.n_kept
        by_k = not top_k or rank < top_k
        assert row[3] == ("✓" if kept else "greedy" if not heat else "top-p" if by_k else "top-k")
        assert number(row[4]) == pytest.approx(shares[rank], abs=0.0051)
        if kept:
            assert number(row[5]) == pytest.approx(shares[: rank + 1].sum(), abs=0.0051)
    (drawn,) = [row for row in rows if row[6]]
    assert drawn[0] == visible(vocabulary.tokens[chosen.token])
    assert drawn[6] == (f"← {found.drawn[5]:.2f}" if heat else "←")
    (others,) = [row[0] for row in rows_of(seen) if len(row) == 1 and "others" in row[0]]
    assert others.startswith(f"{len(order) - len(rows):,} others")


@each_way
def test_the_cumulative_probability_is_cut_into_what_is_kept(way):
    vocabulary, found = expected()
    made = choose(found.logits[5], *drawing_of(**way), found.drawn[5], 1)
    spec, data, sentence = show(**way).charts[0]
    assert spec["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0, 1]
    pieces = data[data["kind"] != "number"]
    shares = np.sort(made.probabilities)[::-1]
    close(pieces["probability"].iloc[: min(24, made.n_kept)], shares[: min(24, made.n_kept)], 1e-6)
    assert pieces["probability"].sum() == pytest.approx(1)
    (chosen,) = pieces[pieces["kind"] == "chosen"].itertuples()
    assert chosen.label == visible(vocabulary.tokens[made.token])
    fell = data[data["kind"] == "number"]
    if way.get("greedy"):
        assert fell.empty
        assert "Greedy decoding takes the likeliest" in sentence
    else:
        assert fell["start"].tolist() == [found.drawn[5]]
        assert chosen.start <= found.drawn[5] < chosen.end


@each_way
def test_the_settings_change_one_prediction_and_not_the_text_before_it(way):
    def text(seen):
        (block,) = [block for block in seen.html if 'class="spoken"' in block]
        return block

    usual, other = show(), show(**way)
    assert text(usual) == text(other)
    np.testing.assert_array_equal(usual.result("decision").logits, other.result("decision").logits)


@pytest.mark.parametrize(("link", "least"), [({"temperature": "0.1", "when": "late"}, 2), ({}, 2)])
def test_a_number_between_two_others_is_seen_between_them(link, least):
    sentence = show(drawn=str(most_uncertain("english")), **link).charts[0].alt
    drawn, low, high = (
        float(text) for text in re.search(r"seed, ([\d.]+), is between ([\d.]+) and ([\d.]+)\.", sentence).groups()
    )
    assert low < drawn < high


def test_the_buttons_under_the_line_set_the_controls():
    app = reveal(visit("tiny_lm", step="draw", top_k="2"))
    for label, name, value in (("Greedy", "greedy", True), ("T = 2", "temperature", 2.0), ("Keep all", "top_k", 0)):
        press(app, label)
        assert controls(app)[f"tiny_lm_{name}"].value == value
    assert controls(app)["tiny_lm_greedy"].value is False
    assert controls(app)["tiny_lm_top_p"].value == 1.0
