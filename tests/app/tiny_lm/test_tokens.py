"""tokens: the text, the merges and the lengths in the picture are those of byte-pair encoding; the questions hold."""

import html
import json
import re
from functools import partial

import numpy as np
import pytest

from attention_core.experiments.language.each_merge import learn_merges, merged_text, pair_counts
from attention_core.text.byte_pairs import ALPHABET, BytePairs, merges_of, visible_piece
from attention_core.text.corpora import bible_text
from attention_core.text.stories import N_MERGES, story_pieces, told_for_pieces
from pages.tiny_lm.tokens import MOST, USUAL
from pages.tiny_lm.tokens.learned import OPTIONS, VERSES
from pages.tiny_lm.tokens.next_merge import WORDS, next_question
from pages.tiny_lm.tokens.one_word import forms_of
from tests.app.steps import step
from tests.app.visits import move, said, sent_to, shared, visit

show = partial(step, "tiny_lm", "tokens")
STORIES, BIBLE, THIS_TEXT = OPTIONS
each_corpus = pytest.mark.parametrize("corpus", OPTIONS)


def drawn(**link):
    """Return what is sent to the browser, and the page."""
    app = visit("tiny_lm", step="tokens", ask="no", **link)
    (proto,) = sent_to(app, "attention_moving_pieces")
    return json.loads(proto.json), app


def training_text(corpus, text):
    return {STORIES: told_for_pieces(), BIBLE: bible_text()[:VERSES], THIS_TEXT: text}[corpus]


def shown(piece):
    return visible_piece(piece).replace(" ", "␣").replace("\n", "⏎")


@each_corpus
@pytest.mark.promise("tiny_lm 12")
def test_the_picture_holds_the_merges_and_what_they_join(corpus):
    data, _ = drawn(corpus=corpus, typed="a kite, a kite and a café")
    text = "a kite, a kite and a café"
    merges = list(merges_of(training_text(corpus, text), N_MERGES))
    pieces = BytePairs([*ALPHABET, *(merge.piece for merge in merges)])
    found = merged_text(pieces, text)
    assert data["merges"] == [[shown(left), shown(right), shown(piece), times] for left, right, times, piece in merges]
    assert (data["ids"], data["joined"], data["first"]) == (found.ids.tolist(), found.joined.tolist(), 256)
    assert [char for char, _ in data["characters"]] == list(text.replace(" ", "␣"))
    assert data["characters"][-1] == ["é", ["<0xC3>", "<0xA9>"]]
    (slider,) = data["sliders"]
    assert (slider["stops"], slider["at"]) == ([str(merge) for merge in range(len(merges) + 1)], len(merges))


@each_corpus
def test_the_lengths_are_those_of_both_texts_after_each_merge(corpus):
    data, _ = drawn(corpus=corpus)
    learned = learn_merges(training_text(corpus, USUAL), N_MERGES)
    both = [merged_text(learned.pieces, USUAL).lengths, learned.lengths]
    for line, lengths in zip(data["lines"], both, strict=False):
        np.testing.assert_allclose(line["values"], 100 * lengths / lengths[0], atol=0.005)
    assert len(data["lines"]) == (1 if corpus == THIS_TEXT else 2)
    for n_merges in (0, len(learned.merges)):
        some = BytePairs(learned.pieces.vocabulary.tokens[: 256 + n_merges])
        assert both[0][n_merges] == len(some.encode(USUAL))


@pytest.mark.parametrize("word", ["kite", "", "  ", "Zoë", "a" * 100, "<b>&amp;"])
def test_each_form_of_a_word_has_the_tokens_of_the_merges_in_view(word):
    seen = show(word=word, merges="430")
    typed = word.strip()[:40] or "kite"
    (table,) = [block for block in seen.html if "without a space" in block]
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", table)[1:]]
    pieces = BytePairs(story_pieces().vocabulary.tokens[:686])
    assert [row[0] for row in rows] == [*forms_of(typed)]
    for form, (_, tokens, ids, n_tokens) in zip(forms_of(typed).values(), rows, strict=True):
        expected = pieces.encode(form)
        assert ids == ", ".join(map(str, expected))
        assert n_tokens == str(len(expected))
        found = [html.unescape(token) for token in re.findall("<code>(.*?)</code>", tokens)]
        assert found == [shown(piece) for piece in pieces.vocabulary.decode(expected)]


@pytest.mark.parametrize("variant", range(len(WORDS)))
def test_the_second_merge_is_that_of_learning_and_the_wrong_ones_are_mistakes(variant):
    question, words = next_question(variant), WORDS[variant]
    text = "\n".join(word for word, times in words.items() for _ in range(times))
    first, second = merges_of(text, 2)
    (right,) = question.right
    assert question.options[right] == f"{second.left} + {second.right}"
    assert f"{first.left} + {first.right}, occurs {first.times} times" in question.text
    for n_merges, found in enumerate((first, second)):  # no tie, which a student could not decide
        counts = pair_counts(words, n_merges).most_common(2)
        assert counts[0] == ((found.left, found.right), found.times)
        assert counts[1][1] < found.times
    assert len(set(question.options)) == 4
    assert [bool(mistake) for mistake in question.mistakes] == [i != right for i in range(4)]


def test_a_released_slider_moves_the_table_and_the_link():
    _, app = drawn()
    assert f"After {N_MERGES:,} merges, 5 forms" in said(app)
    move(app, "attention_moving_pieces", merges="20")
    assert "After 20 merges, 5 forms" in said(app)
    assert shared(app)["tiny_lm_merges"] == "20"


@pytest.mark.parametrize("text", ["é", "\u0301\u202e", "🙂" * 300, "$x$ <b>&lt;</b>", "\t\n", "x" * 1000])
@each_corpus
def test_any_text_can_be_cut(text, corpus):
    data, _ = drawn(typed=text, corpus=corpus)
    assert sum(len(values) for _, values in data["characters"]) == len(data["ids"]) <= 4 * MOST
    assert len(data["joined"]) == len(data["ids"]) - 1
