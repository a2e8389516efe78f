"""Tasks of the lessons on masks, positions and a small model: by hand, and by running their programs."""

import numpy as np

from tests.answers.memory import softmax
from tests.answers.oracle import Found, oracle
from tests.answers.tasks import K, Q, V, is_result, orders, runs
from tests.answers.view import numbers


def masked(q, k, v, fill=None):
    """Return attention word by word, each to those up to itself; the later ones have a score to fill in, or none."""
    out = []
    for row in range(len(q)):
        scores = k @ q[row] / np.sqrt(q.shape[1])
        scores = scores[: row + 1] if fill is None else np.append(scores[: row + 1], fill(scores[row + 1 :]))
        out.append(softmax(scores) @ v[: len(scores)])
    return np.array(out)


@oracle("tasks", "exercise_second_row")
def second_row(view):
    assert "All scaled scores of three words are 0" in view.text
    mistakes = {"used no mask": softmax([0, 0, 0])[0], "gives that weight to itself": softmax([0])[0]}
    return Found(softmax([0, 0])[0], mistakes | {"so it is not masked": softmax([-np.inf, 0])[0]}, why="1 ÷ 2 = 0.5")


@oracle("tasks", "exercise_blocked")
def blocked(view):
    count = int(numbers(view.text)[0])
    pairs = [(i, j) for i in range(count) for j in range(count)]
    mistakes = {"the diagonal too": sum(j >= i for i, j in pairs), "counted all 25": len(pairs)}
    mistakes["all cells but the diagonal"] = sum(i != j for i, j in pairs)
    return Found(sum(j > i for i, j in pairs), mistakes, why="= 10")


@oracle("tasks", "exercise_fill")
def fill(view):
    """Attention with each fill; a wrong one leaves weight on masked keys, or is no number."""
    gives = {
        "a score like any other": masked(Q, K, V, lambda later: 0 * later),
        "only a little less": masked(Q, K, V, lambda later: later - 1),
        "is NaN": None,
    }
    given = {option: runs(view.filled(option), "apply_causal_attention", Q, K, V)[0] for option in view.options}
    right = {option for option in given if is_result(given[option], masked(Q, K, V))}
    mistakes = {
        option: how
        for option in given
        for how, wanted in gives.items()
        if (np.isnan(given[option]).any() if wanted is None else is_result(given[option], wanted))
    }
    return Found(right, mistakes, why="its weight is 0")


@oracle("tasks", "exercise_mask_order")
def mask_order(view):
    return orders(
        view, "apply_causal_attention", ((Q, K, V), masked(Q, K, V)), ((300 * Q, K, V), masked(300 * Q, K, V))
    )


@oracle("tasks", "exercise_wave")
def wave(view):
    assert "in row 1, column 0 of the sinusoidal" in view.text
    mistakes = {"That is row 0": np.sin(0), "That is the cosine": np.cos(1), "one degree": np.sin(np.radians(1))}
    return Found(np.sin(1), mistakes, why=r"sin\(1\) = 0.84")


def rotated(x, exponents):
    """Return rows whose pairs turn by their position, one after the other."""
    out = np.zeros(x.shape)
    for t, row in enumerate(x):
        for pair, exponent in enumerate(exponents):
            turned = complex(*row[2 * pair : 2 * pair + 2]) * np.exp(1j * t / 10000**exponent)
            out[t, 2 * pair : 2 * pair + 2] = turned.real, turned.imag
    return out


X = np.random.default_rng(7).normal(size=(5, 6))


@oracle("tasks", "exercise_exponent")
def exponent(view):
    """Rotations with each exponent, which the reasons describe: how the speeds of the pairs compare."""
    right, mistakes = set(), {}
    for option in view.options:
        found = np.array([eval(option, {"pairs": pair, "width": 6}) for pair in range(3)], float)
        assert is_result(runs(view.filled(option), "rope", X), rotated(X, found))
        if np.allclose(found, [0, 2 / 6, 4 / 6]):
            right.add(option)
        elif np.allclose(found, [0, 1 / 6, 2 / 6]):
            mistakes[option] = "half of the exponent.*too fast"
        elif found[0] == max(found):
            mistakes[option] = "first pair would rotate most slowly"
        else:
            assert 10000 ** -found[1] < 1e-6
            mistakes[option] = "second pair hardly rotates"
    return Found(right, mistakes, why="2i ÷ width")


@oracle("tasks", "exercise_rope_order")
def rope_order(view):
    return orders(view, "rope", ((X,), rotated(X, [0, 2 / 6, 4 / 6])))


@oracle("tasks", "exercise_token")
def token(view):
    *_, zero, one, two, u = numbers(view.text)
    chances, total = dict(enumerate((zero, one, two))), 0.0
    ranks = sorted(chances, key=chances.get, reverse=True)
    for right in ranks:
        total += chances[right]
        if total > u:
            break
    mistakes = {f"below {chances[ranks[0]]} select token {ranks[0]}": ranks[0]}
    mistakes[rf"least likely.*from {1 - chances[ranks[2]]:.1f} on select it"] = ranks[2]
    return Found(right, mistakes, why=f"With token {right} it is {total:.1f}")


LOGITS = np.array([1.0, 3.0, 2.0, 0.0])
TRIES = [(LOGITS, temperature, k, u) for temperature in (0.5, 2.5) for k in (2, 4) for u in (0.05, 0.3, 0.6, 0.8, 0.97)]


def selected(logits, temperature, k, u):
    """Return the token that a random number selects, by softmax of the largest logits."""
    ranks = sorted(range(len(logits)), key=lambda token: -logits[token])[:k]
    sums = np.cumsum(softmax([logits[token] / temperature for token in ranks]))
    return np.array(ranks[int((sums <= u).sum())])


@oracle("tasks", "exercise_temperature")
def temperature(view):
    """The tokens of many random numbers, with each expression; a wrong one acts as another temperature does."""
    gives = {"even more likely": lambda heat: 1 / heat, "has no effect|does not change the softmax": lambda heat: 1}
    right, mistakes = set(), {}
    for option in view.options:
        tokens = [runs(view.filled(option), "next_token", *given) for given in TRIES]
        if tokens == [selected(*given) for given in TRIES]:
            right.add(option)
        for how, other in gives.items():
            if tokens == [selected(logits, other(heat), k, u) for logits, heat, k, u in TRIES]:
                mistakes[option] = "does not change the softmax" if "−" in option or " - " in option else how
    return Found(right, mistakes, why="closer together")


@oracle("tasks", "exercise_token_order")
def token_order(view):
    return orders(view, "next_token", *((given, selected(*given)) for given in TRIES))
