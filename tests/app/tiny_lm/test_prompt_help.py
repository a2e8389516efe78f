"""The prompt: what of it is read, what is said of the rest, starts to click, and the vocabulary."""

import pytest

from attention_core.text.stories import START
from pages.tiny_lm.model_in_view import MAX_PROMPT, NAMES, NOUNS, PROMPTS, visible
from pages.tiny_lm.texts import TEXTS
from pages.tiny_lm.units import tokens_in
from tests.app.steps import step
from tests.app.tiny_lm.models import each_model, model_of, prompt_of, vocabulary_of
from tests.app.visits import controls, html_of, press, reveal, said, set_to, visit

LONG = "a hat and a cat and " * 12
KNOWN = {"Copy task": "a1b2c3d4e5f6" * 6}


@each_model
def test_of_a_long_prompt_the_last_tokens_are_read_and_the_page_says_so(label):
    text = KNOWN.get(label, LONG)
    unit, longest = (
        model_of(label)[1].unit,
        min(MAX_PROMPT[model_of(label)[1].unit], model_of(label)[0].config.max_len),
    )
    app = visit("tiny_lm", step="bet", ask="no", model=label, **{PROMPTS[NAMES[label]][0]: text})
    read = step("tiny_lm", "bet", model=label, **{PROMPTS[NAMES[label]][0]: text}).scene.words
    begun = [START] if label == "Small Stories" else []
    longest -= len(begun)
    assert read == begun + tokens_in(text, vocabulary_of(label), unit)[-longest:]
    assert f"the last {longest} {NOUNS.get(unit, unit)}s" in said(app)


def test_unknown_words_and_an_empty_field_are_said_and_all_that_is_left_out():
    app = visit("tiny_lm", step="bet", ask="no", model="Toy English", text="the zebra sang")
    assert "never met “\u2068zebra\u2069”, “\u2068sang\u2069”" in said(app)
    assert "The field is empty" in said(set_to(app, tiny_lm_text=""))
    assert "No token of your text" in said(set_to(app, tiny_lm_text="zebra"))
    both = said(set_to(app, tiny_lm_text="zebra " + "the cat " * 20))
    assert "never met" in both
    assert "the last 24 words" in both
    assert "The field is empty" in said(visit("tiny_lm", step="bet", ask="no", story=""))


@pytest.mark.parametrize("label", [label for label, name in NAMES.items() if name in TEXTS["beginnings"]])
def test_a_start_is_read_whole_as_a_new_text(label):
    unit, field = model_of(label)[1].unit, PROMPTS[NAMES[label]][0]
    for text in TEXTS["beginnings"][NAMES[label]].values():
        tokens = tokens_in(text, vocabulary_of(label), unit)
        assert all(token in vocabulary_of(label) for token in tokens)
        assert 0 < len(tokens) <= MAX_PROMPT[unit]
    app = reveal(visit("tiny_lm", step="bet", ask="no", model=label, new="3"))
    name, text = next(iter(TEXTS["beginnings"][NAMES[label]].items()))
    press(app, name)
    assert controls(app)[f"tiny_lm_{field}"].value == text
    assert step("tiny_lm", "bet", model=label, **{field: text}).scene.tokens.tolist() == prompt_of(label, text).tolist()
    locked = visit("tiny_lm", step="bet", ask="no", model=label, lock=field)
    assert locked.button(key="tiny_lm_put_start_0").disabled


@each_model
def test_the_whole_vocabulary_is_there_when_it_is_asked_for(label):
    tokens = vocabulary_of(label).tokens
    (block,) = [block for block in html_of(step("tiny_lm", "bet", model=label)) if "chips" in block]
    assert block.count("<span title=") == len(tokens)
    assert f'title="{len(tokens) - 1}">{visible(tokens[-1])}<' in block
    assert not [block for block in html_of(step("tiny_lm", "bet", model=label, opened=False)) if "chips" in block]
