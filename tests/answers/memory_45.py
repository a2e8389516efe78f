"""Questions from memory on masks and positions: all of their numbers stand in the text."""

import re

import numpy as np

from tests.answers.memory import softmax
from tests.answers.oracle import Found, oracle
from tests.answers.view import numbers, quoted


@oracle("causal_mask", "now_weight")
def weight(view):
    word, length, score, future = (int(size) for size in numbers(view.text))
    row = [float(score)] * word + [float(future)] * (length - word)
    assert word == length - 1
    whole, kept = softmax(row), softmax(row[:word])
    mistakes = {"weight before the mask": whole[0], "a score of 0": softmax([*row[:word], 0.0])[0]}
    mistakes |= {"counted the masked word too": 1 / length, "masked the word itself": softmax(row[: word - 1])[0]}
    return Found(kept[0], mistakes | {"the masked word’s weight": whole[-1]}, why=f"1 ÷ {word} = {kept[0]:.2f}")


@oracle("causal_mask", "now_copy")
def copy(view):
    """The word that must be predicted is the one that follows in the text."""
    text, word = re.findall(r"It reads (.*), and at (\w+) it must", view.text)[0]
    words = text.split()
    at = words.index(word, 1)  # its first word has none before it
    mistakes = {words[-1]: "last word of the text", words[at - 1]: "An earlier word", word: "A word only helps"}
    return Found({words[at + 1]}, mistakes, why=f"^{words[at + 1]} is the answer")


@oracle("positional_encoding", "now_order")
def order(view):
    """A head without positions over both orders, at random."""
    one, other, word = quoted(view.text)
    first, second = one.split(), other.split()
    assert sorted(first) == sorted(second)
    assert first.index(word) != second.index(word)
    rng = np.random.default_rng(4)
    vectors, (q, k, v) = {name: rng.normal(size=6) for name in first}, rng.normal(size=(3, 6, 6))
    rows = (np.array([vectors[name] for name in words]) for words in (first, second))
    here, there = (softmax([(vectors[word] @ q) @ (key @ k) for key in x]) @ (x @ v) for x in rows)
    assert np.allclose(here, there)
    assert not np.allclose(there, 0)
    same, elsewhere, others, zero = (
        next(option for option in view.options if part in option)
        for part in ("the same", "elsewhere", "before it", "is 0")
    )
    return Found({same}, {elsewhere: "where a word stands", others: "before and after", zero: "same as before"})


@oracle("positional_encoding", "now_turn")
def turn(view):
    long, start, end = numbers(view.text)
    steps, step = end - start, 360 / long
    mistakes = {"That is one step": step, "number of positions": steps}
    mistakes |= {"where the hand points\\. ": end * step % 360, "points at the start": start * step % 360}
    return Found(steps * step, mistakes, why=rf"^{steps:.0f} of {long:.0f} positions are {steps / long:.2f} of")
