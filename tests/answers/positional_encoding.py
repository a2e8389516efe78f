"""Lesson 5: outputs in the tables in view, sinusoids and rotations by their definition."""

import re

import numpy as np

from tests.answers.oracle import Found, oracle
from tests.answers.view import numbers, quoted


def speeds(view, width=None):
    """Return by which angle each pair turns in a step, by the settings that stand in the menu."""
    width = width or setting(view, "d_model")
    return setting(view, "base") ** (-2 * np.arange(width // 2) / width)


def setting(view, name):
    return getattr(view.seen.scene, name)


@oracle("positional_encoding", "order")
def order(view):
    """The rows of the word in both tables, of which the second follows."""
    (word,) = quoted(view.text)
    first, second = (chart.table for chart in view.tried(told="false").charts)
    assert [*second.index] == [*view.charts[1].table.index]
    same, place = (first.loc[word] == second.loc[word]).all(), [*first.index].index(word) == [*second.index].index(word)
    right = "Other numbers" if not same else f"The same numbers, in {'the same' if place else 'another'} row"
    mistakes = {"Other numbers": "the same query as before", "The same numbers, in the same row": "in another row now"}
    return Found({right}, mistakes, why="A sum has no order")


@oracle("positional_encoding", "drown")
def drown(view):
    """Entries of size 1 around 0: their product with the same number everywhere is nearly 0, so x · (x + p) ≈ |x|²."""
    place = int(re.findall(r"At position (\d+)", view.text)[0])
    about = 1 / np.sqrt(1 + place**2)
    right = "above 0.6" if about > 0.6 else "0.2 to 0.6" if about >= 0.2 else "below 0.2"
    lines = view.tried(from_place=place).charts[0].data.query("kind == 'line' and series == '0, 1, 2 …'")
    measured = lines.set_index("x")["value"][place]

    def told(why):
        return abs(numbers(why)[0] - measured) < 0.0051 and ("not much larger" in why) == (right == "above 0.6")

    mistakes = {"above 0.6": "do not grow with the position", "below 0.2": "not much larger"}
    return Found({right}, mistakes | {"0.2 to 0.6": "Equal sizes give a cosine of about 0.7"}, why=told)


@oracle("positional_encoding", "wavelength")
def wavelength(view):
    """How much the numbers of each column in view change from row to row."""
    table = view.chart("position", "column", "number").table
    changes = {option: np.abs(np.diff(table[option.removeprefix("column ")])).sum() for option in view.options}
    best = max(changes, key=changes.get)
    assert [round(change, 1) for change in changes.values()].count(round(changes[best], 1)) == 1, changes

    def told(option):
        long = 2 * np.pi / speeds(view)[int(option.split()[-1]) // 2]
        return lambda reason: abs(numbers(reason)[0] - long) <= 0.0501

    return Found({best}, {option: told(option) for option in view.options}, why=told(best))


@oracle("positional_encoding", "turn")
def turn(view):
    start, end, degrees, far, beyond = numbers(view.text)[:2] + numbers(view.text)[3:]
    assert beyond - far == end - start
    step = degrees / (end - start)
    gives = {"to {:.0f}. Count the steps after": far * step, "since position 0. Count the 3 steps": beyond * step}
    right, mistakes = set(), {}
    for option in view.options:
        turned = (numbers(option) or [None])[0]
        if turned is None:
            mistakes[option] = "read only the position"
        elif turned == degrees:
            right.add(option)
        else:
            (mistakes[option],) = (how.format(far) for how, angle in gives.items() if abs(angle - turned) < 1)
    return Found(right, mistakes, why=rf"by {step:.1f}°, and it is {end - start:.0f} steps")


@oracle("positional_encoding", "same_score")
def same_score(view):
    """The arrows in view stand where the text says; each turns on from there."""
    q_at, k_at, score = numbers(view.text)[:3]
    pairs = [chart.data.query("kind == 'arrow'").set_index("label") for chart in view.charts]
    q, k = (np.array([complex(pair["x"][name], pair["y"][name]) for pair in pairs]) for name in "qk")
    turns = speeds(view, 2 * len(pairs))
    offsets, scores = {}, {}
    for option in view.options:
        a, b = numbers(option)
        offsets[option] = int(b - a)
        turned = q * np.exp(1j * turns * (a - q_at)), k * np.exp(1j * turns * (b - k_at))
        scores[option] = (turned[0] * np.conj(turned[1])).real.sum() / np.sqrt(2 * len(pairs))
    wanted = int(k_at - q_at)
    right = {option for option in view.options if offsets[option] == wanted}
    right |= {option for option in view.options if abs(scores[option] - score) < 0.00002}

    def told(option):
        return lambda why: (
            numbers(why)[:2] == [offsets[option], wanted] and abs(numbers(why)[2] - scores[option]) < 0.002
        )

    return Found(right, {option: told(option) for option in view.options}, why="the same extra angle")


@oracle("positional_encoding", "stay")
def stay(view):
    """What the maps and their titles show when the sentence is moved."""
    shift = int(numbers(view.text)[0])
    moved = view.tried(offset=shift)
    kinds = [chart.alt.split(":")[0] for chart in view.charts]
    most = {
        kind: np.abs(before.table.to_numpy() - after.table.to_numpy()).max()
        for kind, before, after in zip(kinds, view.tried(offset=0).charts, moved.charts, strict=True)
    }
    changed = {kind for kind in kinds if any(re.match(f"{kind}.*changed", text) for text in moved.texts)}
    assert {kind for kind in kinds if most[kind] > 0} <= changed, (most, changed)
    one = len(view.charts[0].table) == 1
    mistakes = {"RoPE": "the same extra angle", "ALiBi": "uses only the distances"}
    mistakes = dict.fromkeys(view.options, "A single word gives itself") if one else mistakes

    def told(why):
        said = {kind: float(by) for kind, by in re.findall(r"(\w+) by up to (\d\.\d+)", why)}
        return {*said} == changed and all(abs(said[kind] - most[kind]) <= 0.0106 for kind in said)

    return Found(changed or {"with none of them"}, mistakes, why=told)


@oracle("positional_encoding", "own_product")
def own_product(view):
    """Of a vector with itself by its pairs, of two vectors by others that are as far apart."""
    if "with itself" in view.text:
        width, n_pairs = (int(size) for size in numbers(view.text)[:2])
        angles = np.random.default_rng(9).random(width // 2)
        right = np.sum(np.sin(angles) ** 2 + np.cos(angles) ** 2)
        mistakes = {"each of": width, "counted one pair": 1, "perpendicular": 0, "the length": np.sqrt(right)}
        return Found(right, mistakes, why=f"{n_pairs} pairs give {right:.0f}")
    first, second, told, third, fourth = numbers(view.text)
    assert abs(second - first) == abs(fourth - third)
    mistakes = {"perpendicular": 0, "a position with itself": len(speeds(view))}
    return Found(told, mistakes, within=0.0051, why=f"are {abs(second - first):.0f} position")


@oracle("positional_encoding", "meter")
def meter(view):
    """Each check by its definition, on a table and on queries and keys with the bug that the text describes."""
    length, turns = setting(view, "length"), speeds(view)
    angles, width = np.arange(length)[:, None] * turns, 2 * len(turns)
    interleaved = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(length, width)
    bug = "raw" if "2j ÷" in view.text else "halves" if "first half" in view.text else "mixed"
    table = interleaved
    if bug == "halves":
        table = np.hstack([np.sin(angles), np.cos(angles)])
    if bug == "raw":
        own = np.arange(length)[:, None] * setting(view, "base") ** (-2 * np.arange(width) / width)
        table = np.where(np.arange(width) % 2, np.cos(own), np.sin(own))
    next_rows = (table[:, 1::2] + 1j * table[:, ::2]) * np.exp(1j * turns)
    missed = np.stack([next_rows.imag, next_rows.real], axis=-1).reshape(length, width)[:-1] - table[1:]
    vector = np.random.default_rng(10).normal(size=width)

    def products(start):
        places = np.exp(1j * (angles + start * turns))
        q, k = ((vector[::2] + 1j * vector[1::2]) * places,) * 2
        if bug == "mixed":
            half = width // 2
            k = (vector[:half] + 1j * vector[half:]) * places
            k = np.stack([k.real, k.imag], axis=1).reshape(length, -1)  # first halves, then second
            q = np.stack([q.real, q.imag], axis=-1).reshape(length, -1)
            return q @ k.T
        return (q @ np.conj(k).T).real

    values = [
        max(np.ptp(np.diagonal(table @ table.T, offset)) for offset in range(len(table))),
        np.ptp(np.linalg.norm(table, axis=1)),
        np.abs(missed).max(),
        np.abs(products(0) - products(5)).max(),
    ]
    caught = [value > 1e-9 for value in values]
    spread, norms, step, drift = options = view.options_by("difference of p", "difference of len", "error", "change")
    right = {option for option, found in zip(options, caught, strict=True) if found != ("still 0" in view.text)}
    mistakes = {
        "raw": dict.fromkeys((spread, norms, step), "no pair is a clock"),
        "halves": {spread: "same terms in any order", norms: "so the same length", drift: "does not read this table"},
        "mixed": dict.fromkeys((spread, norms, step), "does not read the table"),
    }[bug]

    def told(why):
        said = why.removeprefix("In this order, the checks are ").rstrip(".").split(", ")
        return [one != "0" for one in said] == caught and all(
            abs(numbers(one)[0] - value) < 0.0051 for one, value in zip(said[:3], values, strict=False) if value > 0.01
        )

    return Found(right, mistakes, why=told)


@oracle("positional_encoding", "beyond")
def beyond(view):
    """The lines that follow, at positions on which no model but one was trained."""
    lines = view.tried(read=64).charts[0].data.query("kind == 'line' and x > 16")
    losses = {option: lines[lines["series"] == option]["value"].mean() for option in view.options}
    right = (max if "worst" in view.text else min)(losses, key=losses.get)
    said = {
        "learned": "as random as before",
        "sinusoidal": "never met those beyond",
        "RoPE": "offsets that it never met",
    }
    said["ALiBi"] = "Scores of distant words"

    def told(option):
        return lambda reason: said[option] in reason and abs(numbers(reason)[-1] - losses[option]) < 0.0052

    return Found({right}, {option: told(option) for option in losses}, why=told(right))
