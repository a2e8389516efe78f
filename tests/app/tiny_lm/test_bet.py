"""bet: what the model predicts, and what it generated."""

import html
import re
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from attention_core.experiments.language.next_token import decisions
from attention_core.model.generate import generate
from attention_core.shipped.models import model_at
from attention_core.text.corpora import source_of
from attention_core.text.small_english import rows
from pages.tiny_lm.model_in_view import visible
from tests.app.steps import step
from tests.app.tiny_lm.models import each_model, model_of, prompt_of, vocabulary_of
from tests.app.visits import html_of, press, said, set_to, shared, visit

WRITTEN = 4
show = partial(step, "tiny_lm", "bet")


def decided(label, n_new=WRITTEN):
    """Return the decisions of a model on its usual prompt, made by the core alone."""
    return decisions(model_of(label)[0], prompt_of(label), n_new + 1, 0.8, seed=3)


@each_model
def test_every_generated_token_says_its_probability(label):
    vocabulary, found = vocabulary_of(label), decided(label)
    (block,) = [block for block in html_of(show(model=label, new=WRITTEN)) if "spoken" in block]
    titles = [html.unescape(title).rpartition(": ") for title in re.findall(r'<span title="([^"]*)"', block)]
    tokens, shares = [title[0] for title in titles], [float(title[2]) for title in titles]
    assert len(tokens) == WRITTEN
    for place, token in enumerate(found.tokens[:WRITTEN]):
        assert tokens[place] == visible(vocabulary.tokens[token])
        assert shares[place] == pytest.approx(found.bets[place, token], abs=0.006)


def test_a_note_says_on_what_sampling_acts_until_something_is_generated():
    assert ["These act on" in " ".join(show(new=n).html) for n in (0, 1)] == [True, False]


def test_toy_english_follows_its_grammar_up_to_a_temperature_of_one():
    model, ids, follow = model_at("english"), source_of("english").vocabulary.encode(["the", "cat"]), {}
    sentences = rows(np.random.default_rng(1), 4000, 32)
    known = set(zip(sentences[:, :-1].ravel().tolist(), sentences[:, 1:].ravel().tolist(), strict=True))
    for heat in (0.5, 1.0, 2.0):
        texts = [generate(model, ids, 60, heat, seed=seed) for seed in range(8)]
        follow[heat] = np.mean([pair in known for text in texts for pair in pairwise(text)])
    assert min(follow[0.5], follow[1.0]) > 0.9
    assert follow[2.0] < 0.6


def test_the_start_token_is_shown_and_said():
    text = said(show(model="Small Stories"))
    assert "⏎Once there was" in text
    assert "⏎ is the start token" in text
    assert "start token" not in said(show())


def test_after_another_prompt_the_count_of_new_tokens_begins_anew():
    app = visit("tiny_lm", step="bet", model="Toy English", new="20")
    assert said(app).count("bar under a new") == 1
    set_to(app, tiny_lm_text="the dog saw a cat and it")
    assert "bar under a new" not in said(app)
    press(app, "Next 10")
    assert shared(app)["tiny_lm_new"] == "10"
    linked = visit("tiny_lm", step="bet", model="Toy English", new="20", text="the dog saw a cat and it")
    assert shared(linked)["tiny_lm_new"] == "20"
