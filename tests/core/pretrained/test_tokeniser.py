"""Byte-pair encoding: merges worked by hand, special tokens, every text and back."""

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.pretrained.tokeniser import MOST_SPECIAL, read_tokeniser
from tests.core.errors import check
from tests.core.pretrained.files import LETTERS, MERGES, TOKENS, tiny

METADATA = tiny().metadata
PAIRS = read_tokeniser(METADATA)


def changed(**values):
    own = {f"tokenizer.ggml.{key}": value for key, value in values.items()}
    return read_tokeniser({key: value for key, value in (METADATA | own).items() if value is not None})


def tokens(text, pairs=PAIRS):
    return [pairs.tokens[i] for i in pairs.encode(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hello", ["hello"]),
        ("hello hello", ["hello", "Ġhello"]),
        ("hell", ["hell"]),
        ("helo", ["he", "l", "o"]),
        ("lll", ["ll", "l"]),  # of equal pairs the leftmost
        ("12", ["1", "2"]),  # digits are apart, though a merge would join them
        ("é", ["Ã©"]),
        ("   a", ["ĠĠ", "Ġ", "a"]),
        ("a\nt", ["a", "Ċ", "t"]),
        ("", []),
    ],
)
def test_tokens_worked_by_hand(text, expected):
    assert tokens(text) == expected
    assert PAIRS.decode(PAIRS.encode(text)) == text


def test_the_pre_tokeniser_is_the_one_that_the_file_names():
    assert tokens("12", changed(pre="gpt-2")) == ["12"]


def test_a_special_token_stands_for_itself_or_is_text():
    assert PAIRS.encode("<|start|>hello<|end|>") == [1, PAIRS.ids["hello"], 0]
    as_text = PAIRS.encode("<|start|>", special=False)
    assert 1 not in as_text
    assert PAIRS.decode(as_text) == PAIRS.decode([1]) == "<|start|>"
    assert PAIRS.end == 0


def test_of_special_tokens_that_begin_alike_the_longest_is_found():
    pairs = changed(tokens=["<a", "<a>", *TOKENS[2:]])
    assert pairs.encode("<a><a") == [1, 0]


def test_the_token_that_begins_a_text_is_added_where_the_file_says_so():
    assert changed(add_bos_token=True).encode("hello") == [1, PAIRS.ids["hello"]]
    assert changed(add_bos_token=True).encode("") == [1]


def test_an_empty_token_stands_for_no_merge():
    assert tokens("hello hello", changed(tokens=[*TOKENS, ""], token_type=None)) == ["hello", "Ġhello"]


def test_a_byte_that_the_vocabulary_lacks_is_skipped():
    lacking = changed(tokens=[token if token != LETTERS[4] else "other" for token in TOKENS])
    assert lacking.decode(lacking.encode("a\x04b")) == "ab"


def test_half_of_a_character_is_shown_as_such():
    first, second = (PAIRS.ids[LETTERS[byte]] for byte in "ü".encode())
    assert PAIRS.decode([first]) == "�"
    assert PAIRS.decode([first, second]) == "ü"


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_text_comes_back(text):
    assert PAIRS.decode(PAIRS.encode(text, special=False)) == text
    assert PAIRS.decode(PAIRS.encode(text)) == text


def test_each_token_is_shown_alone_with_the_bytes_of_a_part_of_a_character(opened):
    model = opened(tiny().content)
    assert model.pieces(model.encode("hello é€")) == ["hello", " ", "é", "<0xE2>", "<0x82>", "<0xAC>"]


def test_merges_are_those_of_a_search_for_the_best_pair_after_each_merge():
    rng = random.Random(0)
    made, merges = ["a", "b", "c"], []
    while len(merges) < 40:
        pair = rng.choice(made), rng.choice(made)
        if "".join(pair) not in made:
            merges.append(" ".join(pair))
            made.append("".join(pair))
    pairs = changed(tokens=[*LETTERS.values(), *made[3:]], merges=merges, token_type=None)
    for _ in range(300):
        text = "".join(rng.choice("abc") for _ in range(rng.randint(1, 40)))
        parts = list(text)
        while True:
            found = [(merges.index(p), i) for i, p in enumerate(map(" ".join, pairwise(parts))) if p in merges]
            if not found:
                break
            _, i = min(found)
            parts[i : i + 2] = ["".join(parts[i : i + 2])]
        assert tokens(text, pairs) == parts


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"model": "llama"}, "tokenizer.ggml.model must be one of ['gpt2'], got 'llama'"),
        ({"model": None}, "tokenizer.ggml.model must be one of ['gpt2'], got 'None'"),
        ({"pre": "unheard"}, "tokenizer.ggml.pre must be one of ['gpt-2', 'smollm'], got 'unheard'"),
        ({"pre": ["smollm"]}, "tokenizer.ggml.pre must be one of"),
        ({"tokens": None}, "tokenizer.ggml.tokens must be a list of different strings"),
        ({"tokens": TOKENS[:-1] + TOKENS[-2:-1]}, "tokenizer.ggml.tokens must be a list of different strings"),
        ({"tokens": np.arange(9)}, "tokenizer.ggml.tokens must be a list of different strings"),
        ({"merges": MERGES + MERGES[:1]}, "tokenizer.ggml.merges must be a list of different strings"),
        ({"merges": ["x y"]}, "tokenizer.ggml.merges must make tokens of the vocabulary, got 'x y'"),
        (
            {"token_type": np.ones(3, np.int32)},
            f"tokenizer.ggml.token_type must be a number for each of the {len(TOKENS)}",
        ),
        ({"token_type": ["1"]}, "tokenizer.ggml.token_type must be a number for each"),
        ({"eos_token_id": len(TOKENS)}, f"tokenizer.ggml.eos_token_id must be between 0 and {len(TOKENS) - 1}"),
        ({"bos_token_id": "1"}, "tokenizer.ggml.bos_token_id must be a whole number"),
    ],
)
def test_a_vocabulary_that_contradicts_itself_is_refused(values, message):
    check(lambda: changed(**values), message)


def test_too_many_special_tokens_are_refused():
    many = [f"<{i}>" for i in range(MOST_SPECIAL + 1)]
    check(
        lambda: changed(tokens=many, merges=[], token_type=np.full(len(many), 3)),
        f"tokenizer.ggml.token_type must have at most {MOST_SPECIAL} special tokens",
    )


def test_what_is_no_text_is_refused():
    check(PAIRS.encode, "text must be a string, got bytes", b"hello")
    check(PAIRS.encode, "text must contain whole characters", "\ud83d")
    check(PAIRS.decode, f"ids must be between 0 and {len(TOKENS) - 1}, got {len(TOKENS)}", [len(TOKENS)])
    check(PAIRS.decode, "ids must be a whole number, got 0.5", [0.5])
