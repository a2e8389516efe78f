"""Lesson 4: masks by the maps in view, stacked layers by small ones of our own, models by what is measured."""

import re

import numpy as np

from tests.answers.memory import softmax
from tests.answers.oracle import Found, oracle
from tests.answers.view import numbers, quoted


def row_of(view, chart):
    """Return a row of a map, the one of the word in question, and which of its keys come later."""
    word, *_ = quoted(view.text)
    at = view.words.index(word)
    return word, np.reshape(chart.data["weight"], (len(view.words), -1))[at], np.arange(len(view.words)) > at


@oracle("causal_mask", "examples")
def examples(view):
    """Each position but the last has a next one in the text."""
    length = int(numbers(view.text)[0])
    answers = [(at, at + 1) for at in range(length) if at + 1 in range(length)]
    mistakes = {"What follows the last": length, "only the last prediction": 1}
    return Found(len(answers), mistakes | {"You expected no answer": 0}, why=f"Each of the {length} positions")


@oracle("causal_mask", "twin")
def twin(view):
    """The card that follows has the losses and how often each model is right, with the mask and without."""
    (card,) = [text for text in view.tried().texts if "generating: right" in text]
    measured = {name: numbers(line)[-2:] for line in card.split("\n") for name in line.split("\t")[:1]}
    loss, right = measured["whole text read: loss"], measured["generating: right"]
    said = f"{'Lower' if loss[1] < loss[0] else 'Higher'} loss, "
    said += f"{'better' if right[1] > right[0] else 'worse'} generating"
    assert loss[0] != loss[1]
    assert right[0] != right[1]
    mistakes = {
        "Lower loss, better generating": "copying the answer",
        "Higher loss, worse generating": "it only blocks",
        "The same in both": "changes what training rewards",
    }
    return Found({said}, mistakes, why=lambda why: numbers(why) == [*loss[::-1], *right[::-1]])


@oracle("causal_mask", "filled")
def filled(view):
    """The row in view, and the same row under the mask, which follows."""
    word, plain, later = row_of(view, view.chart("query", "key", "weight"))
    removed = numbers(view.text)[0]
    assert abs(plain[later].sum() - removed) <= 0.005 * (later.sum() + 1) + 1e-9
    kept, left = row_of(view, view.tried(q=word).charts[1])[1][~later], 1 - removed
    assert not row_of(view, view.tried(q=word).charts[1])[1][later].any()
    assert abs(kept.sum() - 1) <= 0.005 * len(kept) + 1e-9
    assert (abs(kept * left - plain[~later]) <= 0.0101 + 0.005 * kept).all()
    assert np.ptp(np.round(kept - plain[~later], 2)) > 0, "one sees the same amount, as well as the same factor"
    stay, amount, factor = (next(one for one in view.options if part in one) for part in ("stay", "amount", "factor"))
    mistakes = {stay: lambda reason: abs(numbers(reason)[0] - left) < 0.0101, amount: "keeps the ratios"}
    return Found({factor}, mistakes, why="ach weight is divided by " + (f"{left:.2f}|" * (left > 0.02) + "[0-9]"))


@oracle("causal_mask", "multiplied")
def multiplied(view):
    """A score of 0 has the exponential 1: of the row’s sum the text says what the masked words have, and their part."""
    assert "−∞ before softmax" in view.texts  # over the map in view
    before, *_, total, _ = numbers(view.text)
    count = int(found[1]) if (found := re.search(r"to (\d+) words", view.text)) else 1
    nothing, less, more = view.options_by("Nothing", "Less", "As much")
    ends = ((total - 0.005, before + 0.005), (total + 0.005, before - 0.005))
    low, high = (size * (1 - part) / max(part, 1e-9) for size, part in ends)  # part = size ÷ (size + rest): the rest
    assert abs(total - count) > 0.005

    def told(why):
        return count / (count + high) - 0.0051 <= numbers(why)[-1] <= count / (count + max(low, 0)) + 0.0051

    mistakes = {nothing: "0 is an ordinary score"}
    mistakes[less] = "exponentials were at most 1 on average" if total <= count else "?"
    mistakes[more] = "exponentials were above 1 on average" if total > count else "?"
    return Found({less if total > count else more}, mistakes, why=told)


@oracle("causal_mask", "sums")
def sums(view):
    """The maps that follow have both rows: −∞ before softmax, and 0 after it."""
    assert "scores × 0 or 1" in view.texts
    word = quoted(view.text)[0]
    good, late = (row_of(view, view.tried(q=word).charts[place])[1] for place in (0, 2))
    later = row_of(view, view.tried(q=word).charts[0])[2]
    total, unsure = late.sum(), 0.005 * len(late) + 0.0051
    assert (abs(good * total - late) <= unsure).all(), "the ratios are others"
    true = {
        "Not at all": (abs(good - late) < 0.0051).all() and total > 0.99,
        "Its weights are too small": (late < good + 0.0051).all() and total < 0.99,
        "Masked words still have weight": late[later].any(),
    }
    mistakes = {"Not at all": "comes too late", "Its weights have other ratios": "ratios are right"}
    mistakes["Masked words still have weight"] = "Their weights are set to 0"
    return Found(
        {option for option in view.options if true.get(option)},
        mistakes,
        why=lambda why: abs(numbers(why)[0] - total) <= unsure,
    )


@oracle("causal_mask", "leak")
def leak(view):
    """Which vectors depend on the changed word: in layer 1 those that may attend to it, in the others all that may."""
    old, new, first = quoted(view.text)
    length = len(view.words)
    assert re.sub("[₀-₉]+$", "", old) != new
    assert view.words.index(old) > view.words.index(first) == 0
    depends, when = np.eye(length, dtype=bool), []
    masks = (np.tril(np.ones((length, length))), *[np.ones((length, length))] * 2)
    for layer, mask in enumerate(masks, 1):
        depends = (mask @ depends) > 0
        when += [layer] * int(depends[0, view.words.index(old)])
    right = {2: "From layer 2 on", 3: "Only after layer 3"}[when[0]]
    mistakes = {"In no layer": "each layer attends anew", "Only after layer 3": "One unmasked layer is enough"}
    return Found({right}, mistakes, why="attends to the future directly")


@oracle("causal_mask", "inverted")
def inverted(view):
    """The map shows −∞ where the mask is True; inverted, it blocks the other keys."""
    table = view.chart("query", "key", "score").table
    blocked = ~np.isneginf(table.iloc[-1].to_numpy())
    itself, before, none, error = (
        next(one for one in view.options if part in one) for part in ("itself alone", "as before", "NaN", "raises")
    )
    left = (~blocked).sum()
    assert not left or len(blocked) > 1
    mistakes = {itself: "diagonal is False", before: "mask is False everywhere", error: "nothing complains"}
    return Found({none} if not left else set(), mistakes, why="False everywhere")


@oracle("causal_mask", "reach")
def reach(view):
    """Two steps along the cells that the map in view allows; each word keeps its own vector."""
    allowed = view.chart("query", "key", "mask").table.to_numpy() == 0
    at, length = view.words.index(quoted(view.text)[0]), len(allowed)
    once = {at, *np.flatnonzero(allowed[at])}
    twice = {word for one in once for word in (one, *np.flatnonzero(allowed[one]))}
    assert re.search(f"on {len(once)} of {length} words?, itself included", view.text) or len(once) == length, view.text
    mistakes = {"counted one layer": len(once), "counted every word": length, "You doubled": 2 * len(once)}
    assert allowed[at].any() or not allowed.any(), "a word with a key is the one to ask about"
    return Found(len(twice), mistakes, why="depends on all of these" if allowed[at].any() else "attends to no word")


def read_by_layers(words, n_layers=3):
    """Return the last word’s vector after each of some masked layers, at random; equal words have equal vectors."""
    rng = np.random.default_rng(8)
    vectors = {word: rng.normal(size=6) for word in sorted({*words})}
    x, after = np.array([vectors[word] for word in words]), {}
    for layer in range(1, n_layers + 1):
        q, k, v = rng.normal(size=(3, 6, 6)) / np.sqrt(6)
        x = np.array(
            [row + softmax(x[: i + 1] @ k @ (row @ q) / np.sqrt(6)) @ (x[: i + 1] @ v) for i, row in enumerate(x)]
        )
        after[layer] = dict(zip(range(len(words)), x, strict=True))
    return after


@oracle("causal_mask", "shuffle")
def shuffle(view):
    """Our own layers over both orders; how far the layers of the page move it stands in the map that follows."""
    one, other = (int(place) - 1 for place in re.findall(r"\(word (\d+)\)", view.text))
    order = list(range(len(view.words)))
    order[one], order[other] = other, one
    words = [re.sub("[₀-₉]+$", "", word) for word in view.words]
    last = len(words) - 1
    before, after = read_by_layers(words), read_by_layers([words[place] for place in order])
    moved = [abs(before[layer][last] - after[layer][order.index(last)]).max() > 1e-9 for layer in before]
    place = moved.index(True) + 1 if any(moved) else 0
    followed = view.tried(order="".join("abcdefghijklmnopqrstuvwxyz"[at] for at in order)).charts[-1].table.iloc[:, -1]
    assert ((followed.fillna(0) > 0) == moved).all()
    none, first, second, third = options = view.options_by(
        "No,", "Yes, after the first", "Only from the sec", "Only after the th"
    )
    mistakes = {
        none: "what words see before them",
        first: "attends to the same words as before",
        second: "here it is otherwise",
        third: "arrives earlier, or there is none",
    }
    why = ("are the same", "Its own position", "In layer 2", "that many layers")[place]
    return Found({options[place]}, mistakes, why=why)
