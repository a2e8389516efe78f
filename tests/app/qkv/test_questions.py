"""Every question of the lesson: a word stays a word in all that it says, and made again it is the same."""

import re
from html.parser import HTMLParser

import numpy as np

from attention_core.equations.attention import attention_forward
from pages.page.questions.kinds import Cell, Choice
from pages.qkv.mix.one_number import reach_question
from pages.qkv.scaled import scale_question
from pages.qkv.scores import cell_question
from pages.qkv.shape_question import shape_question
from pages.qkv.softmax import ratio_question
from pages.qkv.softmax.constants import shift_question
from tests.app.qkv.heads import VARIANTS, random_heads

HOSTILE = [
    "<b>",
    "</div>",
    "&",
    "&lt;",
    '"',
    "'",
    "<script>alert(1)</script>",
    "{asks}",
    "{0}",
    "**a**",
    ":key[a]",
    "<!--",
]


def makers(labels):
    """Return every question that names words, made of a head over as many words as there are labels."""
    rng = np.random.default_rng(7)
    q, k, v = rng.standard_normal((3, len(labels), 3))
    caches = [attention_forward(q, k, v), attention_forward(q, k, v, np.where(np.tri(len(labels)) == 1, 0, -np.inf))]
    questions = [cell_question(q @ k.T, labels, variant % len(labels), variant) for variant in range(37)]
    for cache in caches:
        for variant in VARIANTS:
            questions.append(scale_question(q @ k.T, cache, labels, variant % len(labels), variant))
            questions.append(ratio_question(cache, labels, variant % len(labels), variant))
            questions.append(shift_question(cache, labels, 0, variant))
    return [question for question in questions if question]  # a row with a single key has none to compare


def texts(question):
    """Return everything that a question says as HTML, to any answer."""
    found = [question.text, question.told, question.why]
    if isinstance(question, Choice):
        found += [*question.mistakes, *(question.judge(i).text for i in range(len(question.options)))]
    elif isinstance(question, Cell):
        n_words = len(question.labels)
        found += [question.transposed, question.otherwise]
        found += [question.judge(place).text for place in np.ndindex(n_words, n_words)]
    else:
        values = [question.right, 1e6, *(mistake.value for mistake in question.mistakes)]
        found += [question.otherwise, *(question.judge(value).text for value in values)]
    return found


class Events(HTMLParser):
    """What a browser makes of HTML: tags with their attributes, and the text between them."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, attributes))

    def handle_endtag(self, tag):
        self.found.append(("/" + tag, []))

    def handle_data(self, data):
        self.found.append(("text", data))

    def handle_comment(self, data):
        self.found.append(("comment", data))


def test_no_word_arrives_as_markup():
    harmless = [f"word{i:02}" for i in range(len(HOSTILE))]
    for usual, hostile in zip(makers(harmless), makers(HOSTILE), strict=True):
        for plain, other in zip(texts(usual), texts(hostile), strict=True):
            expected = []
            for kind, content in Events(plain).found:
                text = kind == "text"
                expected.append(
                    (kind, re.sub(r"word(\d\d)", lambda m: HOSTILE[int(m[1])], content) if text else content)
                )
            assert Events(other).found == expected


def test_a_question_made_again_is_the_same_question():
    labels = ["the₁", "cat", "the₃"]
    assert makers(labels) == makers(labels)
    first, again = (next(random_heads("tea is hot")) for _ in range(2))
    assert shape_question(first, 1) == shape_question(again, 1)
    moves = {"X": ("Q", "the output"), "W_V": ("V",)}
    assert reach_question(moves, "X") == reach_question(dict(moves), "X")
