"""tokens: the text and the merges in the picture are those of byte-pair encoding; the questions hold."""

import html
import re
from functools import partial

import pytest

from attention_core.experiments.language.each_merge import merged_text
from attention_core.text.byte_pairs import BytePairs, visible_piece
from attention_core.text.stories import N_MERGES, story_pieces
from pages.tiny_lm.tokens import MAX_TEXT, USUAL_TEXT
from pages.tiny_lm.tokens.learned import OPTIONS
from pages.tiny_lm.tokens.picture import SLIDER
from tests.app.steps import step
from tests.app.visits import press, rerun, said, shared, visit

show = partial(step, "tiny_lm", "tokens")
opened = partial(visit, "tiny_lm", step="tokens", ask="no")


def tokens_in(seen):
    (block,) = [block for block in seen.html if 'class="course pieces"' in block]
    return block


def shown(piece):
    return visible_piece(piece).replace(" ", "␣").replace("\n", "⏎")


@pytest.mark.parametrize("word", ["kite", "", "  ", "Zoë", "a" * 100, "<b>&amp;"])
def test_each_form_of_a_word_has_the_tokens_of_the_merges_in_view(word):
    seen = show(word=word, merges="430")
    typed = word.strip()[:40] or "kite"
    (table,) = [block for block in seen.html if "without a space" in block]
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", table)[1:]]
    pieces = BytePairs(story_pieces().vocabulary.tokens[:686])
    forms = [f" {typed}", typed, f" {typed.capitalize()}", f" {typed.upper()}", f" {typed}s"]
    kinds = ["after a space", "without a space", "with a capital", "in capitals", "plural"]
    assert [row[0] for row in rows] == kinds
    for form, (_, tokens, ids, n_tokens) in zip(forms, rows, strict=True):
        expected = pieces.encode(form)
        assert ids == ", ".join(map(str, expected))
        assert n_tokens == str(len(expected))
        found = [html.unescape(token) for token in re.findall("<code>(.*?)</code>", tokens)]
        assert found == [shown(piece) for piece in pieces.vocabulary.decode(expected)]


def test_the_slider_and_the_buttons_move_the_table_and_the_link():
    app = opened()
    assert f"After {N_MERGES:,} merges, 5 forms" in said(app)
    app.slider(key=SLIDER).set_value(20)
    assert "After 20 merges, 5 forms" in said(rerun(app))
    assert shared(app)["tiny_lm_merges"] == "20"
    joined = merged_text(story_pieces(), USUAL_TEXT).joined
    press(app, "Next merge here ›")
    assert shared(app)["tiny_lm_merges"] == str(joined[joined > 20].min())
    press(app, "‹ Previous merge here")
    assert shared(app)["tiny_lm_merges"] == str(joined[joined <= 20].max())
    locked = opened(lock="merges")
    assert locked.slider(key=SLIDER).disabled
    assert all(button.disabled for button in locked.button if "merge here" in button.label)


@pytest.mark.parametrize("text", ["é", "\u0301\u202e", "🙂" * 300, "$x$ <b>&lt;</b>", "\t\n", "x" * 1000])
@pytest.mark.parametrize("corpus", OPTIONS)
def test_any_text_can_be_cut(text, corpus):
    assert 0 < tokens_in(show(typed=text, corpus=corpus, merges=0)).count("<i>") <= 4 * MAX_TEXT
