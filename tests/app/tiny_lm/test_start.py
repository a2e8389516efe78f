"""start: the losses and the weights on position 1 are those of the same prompt with its start token and without it."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.inside.real_claims import shipped_claims
from attention_core.experiments.language.text_loss import examples
from attention_core.model.activations import insides
from attention_core.shipped.models import model_at
from pages.tiny_lm.start import WITH, WITHOUT
from tests.app.steps import step
from tests.app.tiny_lm.models import close, line
from tests.app.visits import charts, heatmap, said

show = partial(step, "tiny_lm", "start")


@pytest.mark.parametrize("story", ["", "Lily saw", "I like pizza in the city"])
@pytest.mark.promise("tiny_lm 4")
def test_both_ways_are_drawn_for_the_same_targets(story):
    seen = show(**({"story": story} if story else {}))
    model, tokens = seen.scene.model, seen.scene.tokens
    assert seen.scene.vocabulary.tokens[tokens[0]] == "\n"
    losses, sinks = charts(seen)
    texts = {WITH: tokens, WITHOUT: tokens[1:]}
    firsts = []
    for way, text in texts.items():
        own = examples(model, text).losses[-(len(tokens) - 2) :]
        close(line(losses, way)[1], own, rtol=1e-5)
        assert f"{own.mean():.3f}" in said(seen)
        firsts.append(insides(model, text).weights[..., 1:, 0].mean(axis=-1))
    close(heatmap(sinks).values, [own.ravel() for own in firsts], rtol=1e-5)
    found = shipped_claims()["found"].text.first
    assert f"with {found.picture.size} heads, it is {found.value:.2f}" in said(seen)


def test_without_the_start_token_a_beginning_is_a_surprise():
    seen = show(story="In a small town lived a shy boy.")  # as the step proposes
    with_it, without = (np.exp(-line(charts(seen)[0], way)[1]) for way in (WITH, WITHOUT))
    place = int(np.argmax(with_it / without))
    assert seen.scene.words[place + 2] == " small"
    assert with_it[place] > 0.9 > 0.03 > without[place]
    assert seen.scene.model is model_at("stories")


def test_a_prompt_of_one_token_has_no_target():
    assert "Type a second token" in said(show(story="Once"))
