"""lens: the reading of every layer, the logit contribution of every part, and a head switched off."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.inside.logit_lens import logit_lens
from attention_core.model.activations import insides
from pages.tiny_lm.common import N_LIKELIEST
from pages.tiny_lm.lens import ROWS, lens_question
from pages.tiny_lm.model_in_view import visible
from tests.app.steps import step
from tests.app.tiny_lm.models import close, each_model, in_view, named, values
from tests.app.visits import charts, click, heatmap, main, reveal, said, shared, visit
from tests.tiers import first

show = partial(step, "tiny_lm", "lens")
DEEP = "Small Stories"


@each_model
@pytest.mark.parametrize("when", first(1, ["trained", "untrained"]))
def test_the_lens_shows_every_reading(label, when):
    viewed = in_view(label, when)
    labels, names, inside = viewed.labels, viewed.vocabulary.tokens, insides(viewed.model, viewed.tokens)
    lens = logit_lens(inside)
    seen = show(model=label, when=when)
    found, rows = main(seen), slice(max(0, len(labels) - ROWS), None)
    drawn = heatmap(found)
    close(drawn.values, lens.shares.T[rows])
    assert drawn.rows == labels[rows]
    assert drawn.columns == ["embedding", *(f"layer {i + 1}" for i in range(len(inside.stream) - 1))]
    texts = [visible(names[token]) for token in lens.likeliest.T[rows].ravel()]
    assert found.data["text"].tolist() == [text if len(text) <= 11 else text[:10] + "…" for text in texts]
    agrees = (lens.likeliest == lens.likeliest[-1]).T[rows]
    agrees[:, -1] = False
    assert found.data["moved"].tolist() == agrees.ravel().tolist()
    order = np.argsort(-lens.bets[0, -1], kind="stable")[:N_LIKELIEST]
    rank = 1 + np.count_nonzero(lens.bets[0, -1] > lens.bets[0, -1, lens.likeliest[-1, -1]])
    assert f"and rank {rank:,} of {len(names):,}." in said(seen)
    reading = named(seen, "The likeliest tokens of the chosen reading")
    assert reading.data["label"].tolist() == [visible(names[token]) for token in order]
    assert ("Bold: " in said(seen)) == (lens.likeliest[-1, -1] in order)


def test_the_reading_of_the_embedding_is_asked_for_and_hidden():
    asked = show(model="Small Stories", unanswered="all")
    assert not asked.ready
    (shown,) = charts(asked)
    cells = shown.data["text"].to_numpy().reshape(ROWS, -1)
    assert set(cells[:, 0]) == {"?"}
    assert heatmap(shown).values[:, 0].max() == 0


def test_all_tokens_with_the_largest_probability_as_shown_are_right():
    seen = show(model=DEEP)
    even = seen.result("lens")._replace(bets=np.full_like(seen.result("lens").bets, 0.01))
    asked = lens_question(seen.scene, even, 0)
    assert asked.right == tuple(range(len(asked.options)))


def test_a_click_chooses_position_and_layer():
    app = reveal(visit("tiny_lm", step="lens", model=DEEP))
    viewed = in_view(DEEP)
    place = len(viewed.labels) - ROWS + 1
    click(app, 1, 2)
    link = {"step": "lens", "at": viewed.labels[place], "layer": "layer 2"}
    assert shared(app) == {f"tiny_lm_{word}": value for word, value in link.items()}
    bets = logit_lens(insides(viewed.model, viewed.tokens)).bets[2, place]
    close(values(named(app, "The likeliest tokens of the chosen")), np.sort(bets)[::-1][:N_LIKELIEST])
