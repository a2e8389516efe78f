"""draw: the table and the cumulative probability hold the numbers of the core."""

import html
import re
from functools import partial

import numpy as np
import pytest

from pages.tiny_lm.model_in_view import visible
from tests.app.steps import step
from tests.app.tiny_lm.models import close
from tests.app.visits import controls, html_of, press, reveal, visit

WAYS = [{}, {"temperature": "2.0"}, {"top_k": "3"}, {"top_p": "0.6", "temperature": "1.5"}, {"greedy": "true"}]
each_way = pytest.mark.parametrize("way", WAYS, ids=str)
show = partial(step, "tiny_lm", "draw", drawn="5")  # by default a model that only answers generates none
ENGLISH = "Toy English"


def rows_of(seen):
    (block,) = [block for block in html_of(seen) if 'class="decision"' in block]
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr[^>]*>(.*?)</tr>", block)]
    return [[html.unescape(cell) for cell in row] for row in rows if row]


def number(text):
    return float(re.sub("[,,]", "", text.replace("−", "-")))


@each_way
def test_the_table_is_the_decision(way):
    seen, heat = show(**way), 0 if "greedy" in way else float(way.get("temperature", 0.8))
    made, tokens = seen.result("decision"), seen.scene.vocabulary.tokens
    rows = [row for row in rows_of(seen) if len(row) == 7]
    for rank, (name, logit, scaled, kept, share, total, _) in enumerate(rows[:6]):
        assert (name, number(logit)) == (
            visible(tokens[made.tokens[rank]]),
            pytest.approx(made.logits[rank], abs=0.0051),
        )
        assert not heat or number(scaled) == pytest.approx(made.logits[rank] / heat, abs=0.0051)
        why = "greedy" if not heat else "top-p" if made.kept_by_k[rank] else "top-k"
        assert kept == ("✓" if made.kept[rank] else why)
        assert number(share) == pytest.approx(made.shares[rank], abs=0.0051)
        assert not made.kept[rank] or number(total) == pytest.approx(made.shares[: rank + 1].sum(), abs=0.0051)
    (drawn,) = [row for row in rows if row[6]]
    assert drawn[0] == visible(tokens[made.tokens[made.rank]])
    assert drawn[6] == (f"← {made.drawn:.2f}" if heat else "←")
    (others,) = [row[0] for row in rows_of(seen) if len(row) == 1 and "others" in row[0]]
    assert others.startswith(f"{len(tokens) - len(rows):,} others")


@each_way
def test_the_cumulative_probability_is_cut_into_what_is_kept(way):
    seen = show(**way)
    made, (_, data, sentence) = seen.result("decision"), seen.charts[0]
    pieces = data[data["kind"] != "number"]
    few = min(24, int(made.kept.sum()))
    close(pieces["probability"].iloc[:few], made.shares[:few], 1e-6)
    assert pieces["probability"].sum() == pytest.approx(1)
    (chosen,) = pieces[pieces["kind"] == "chosen"].itertuples()
    assert chosen.label == visible(seen.scene.vocabulary.tokens[made.tokens[made.rank]])
    fell = data[data["kind"] == "number"]["start"].tolist()
    assert ("Greedy decoding takes the likeliest" in sentence) == (not fell)
    assert not fell or (fell == [made.drawn] and chosen.start <= made.drawn < chosen.end)


@each_way
def test_the_settings_change_one_prediction_and_not_the_text_before_it(way):
    def text(seen):
        (block,) = [block for block in seen.html if 'class="spoken"' in block]
        return block

    usual, other = show(), show(**way)
    assert text(usual) == text(other)
    np.testing.assert_array_equal(usual.result("decision").logits, other.result("decision").logits)


def test_the_buttons_under_the_line_set_the_controls():
    app = reveal(visit("tiny_lm", step="draw", top_k="2"))
    for label, name, value in (("Greedy", "greedy", True), ("T = 2", "temperature", 2.0), ("Keep all", "top_k", 0)):
        press(app, label)
        assert controls(app)[f"tiny_lm_{name}"].value == value
    assert controls(app)["tiny_lm_greedy"].value is False
    assert controls(app)["tiny_lm_top_p"].value == 1.0
