"""Tasks: numbers by hand, expressions and orders of lines by running them."""

from itertools import permutations

import numpy as np

from tests.answers.memory import softmax
from tests.answers.oracle import Found, oracle
from tests.answers.view import numbers

RNG = np.random.default_rng(3)
Q, K, V = RNG.standard_normal((5, 3)), RNG.standard_normal((5, 3)), RNG.standard_normal((5, 2))


def rows(scores):
    return np.array([softmax(row) for row in scores])


def runs(source, name, *arguments):
    """Return what a program returns; None where it does not run."""
    space = {"np": np}
    try:
        with np.errstate(all="ignore"):
            exec(source, space)
            return space[name](*arguments)
    except Exception:
        return None


def is_result(found, wanted):
    return found is not None and np.shape(found) == wanted.shape and np.allclose(found, wanted)


def orders(view, name, *cases):
    """Return the orders of the lines in which they give what is wanted; the cases are arguments and results."""
    found = set()
    for order in permutations(range(len(view.task))):
        source = "\n".join(view.task[place] for place in order)
        if source.startswith("def ") and all(is_result(runs(source, name, *given), wanted) for given, wanted in cases):
            found.add(order)
    return Found(found)


@oracle("tasks", "exercise_weight")
def weight(view):
    query, *keys = np.reshape(numbers(view.text), (4, 2))
    scores = keys @ query
    scaled = scores / np.sqrt(2)
    mistakes = {"did not scale": softmax(scores)[0], "divided the scores by dk": softmax(scores / 2)[0]}
    return Found(softmax(scaled)[0], mistakes | {"gave the scaled score": scaled[0]})


@oracle("tasks", "exercise_product")
def product(view):
    """The score of query i with key j is their dot product; the other expressions are what their reasons say."""
    scores = np.array([[sum(q * k) for k in K] for q in Q])
    gives = {
        "transposed": scores.T,
        "dk × dk": np.array([[sum(Q[:, i] * K[:, j]) for j in range(3)] for i in range(3)]),
        "entry by entry": np.array([q * k for q, k in zip(Q, K, strict=True)]),
    }
    given = {option: eval(option, {"Q": Q, "K": K}) for option in view.options}
    right = {option for option in given if is_result(given[option], scores)}
    assert all(
        is_result(runs(view.filled(one), "compute_attention_weights", Q, K), rows(scores / 3**0.5)) for one in right
    )
    return Found(right, {one: how for one in given for how, wanted in gives.items() if is_result(given[one], wanted)})


@oracle("tasks", "exercise_order")
def attention(view):
    return orders(
        view, "attention", ((Q, K, V), rows(Q @ K.T / 3**0.5) @ V), ((300 * Q, K, V), rows(300 * Q @ K.T / 3**0.5) @ V)
    )


@oracle("tasks", "exercise_score")
def score(view):
    query, key = np.reshape(numbers(view.text), (2, 2))
    dot = sum(query * key)
    return Found(
        dot / 2**0.5, {"gave the dot product": dot, "divided by dk": dot / 2, "multiplied by √2": dot * 2**0.5}
    )


LARGE = np.array([[1000.0, 1001.0, 1002.0], [-800.0, -801.0, -799.0]])


@oracle("tasks", "exercise_shift")
def shift(view):
    """Small and large scores through softmax, with each expression subtracted."""
    right, mistakes = set(), {}
    for option in view.options:
        small, large = (runs(view.filled(option), "softmax", scores) for scores in (Q, LARGE))
        if is_result(small, rows(Q)) and is_result(large, rows(LARGE)):
            right.add(option)
        elif not is_result(small, rows(Q)):
            mistakes[option] = "different number in each column"
        else:
            assert not np.isfinite(large).all()
            mistakes[option] = "infinity" if option == "0" else "sum can be far"
    return Found(right, mistakes)


@oracle("tasks", "exercise_stable_order")
def stable(view):
    return orders(view, "softmax", ((Q,), rows(Q)), ((LARGE,), rows(LARGE)))


@oracle("tasks", "exercise_column")
def column(view):
    width, heads = numbers(view.text)[:2]
    own = width / heads
    mistakes = {f"width of {heads:.0f}": width - heads, "second head": own, "past the last": width}
    return Found(width - own, mistakes)


@oracle("tasks", "exercise_split")
def split(view):
    """Each head has its block of columns; the other expressions give what their reasons say."""
    x, n_heads = np.arange(30.0).reshape(5, 6), 2
    wanted = np.stack([x[:, :3], x[:, 3:]])
    gives = {
        "cuts up the rows": np.stack([x.ravel()[:15].reshape(5, 3), x.ravel()[15:].reshape(5, 3)]),
        "neighbouring columns": np.stack([x[:, ::2], x[:, 1::2]]),
        "still in the middle": np.stack([[row[:3], row[3:]] for row in x]),
    }
    given = {option: runs(view.filled(option), "split_heads", x, n_heads) for option in view.options}
    right = {option for option in given if is_result(given[option], wanted)}
    return Found(right, {one: how for one in given for how, other in gives.items() if is_result(given[one], other)})


@oracle("tasks", "exercise_join_order")
def join(view):
    heads = RNG.standard_normal((2, 5, 3))
    return orders(view, "join_heads", ((heads,), np.hstack([heads[0], heads[1]])))
