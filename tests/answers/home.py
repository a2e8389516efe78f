"""The home page: what the same word attends to most in another head, which its settings show."""

import re

import numpy as np

from tests.answers.oracle import Found, oracle
from tests.answers.view import numbers, quoted, rounded


@oracle("home", "elsewhere")
def elsewhere(view):
    """The weights of the word that asks, as the arcs of each head have them."""
    asks, first, *_ = quoted(view.text)
    usual, head = re.findall(r"[Ii]n head (\d+)", view.text)
    there, here = ({**view.tried(head=number).weights_of(asks)} for number in (usual, head))
    assert [word for word in there if as_shown(there[word]) == as_shown(max(there.values()))] == [first], there
    right = {word for word in view.options if as_shown(here[word]) == as_shown(max(here.values()))}

    def told(weight):
        return lambda reason: np.abs(np.subtract(numbers(reason)[:2], [float(head), weight])).max() <= 0.0051

    return Found(right, {word: told(here[word]) for word in view.options}, why=told(max(here.values())))


def as_shown(weight):
    return rounded(weight, 2).item()


class Arcs:
    """The arcs of a sentence as the browser gets them."""

    def __init__(self, data, labels):
        self.weights, self.labels = np.array(data["weights"]), labels

    def weights_of(self, word):
        return dict(zip(self.labels, self.weights[self.labels.index(word)].tolist(), strict=True))
