"""Lesson 1: keys, scores, weights and rows of X, by the numbers in view."""

import re

import numpy as np

from tests.answers.oracle import Found, oracle
from tests.answers.view import numbers, quoted

NONE = r"\b(?:0|none) of \d"
SAME = "Every exponential of the row is multiplied by e, and so is their sum"
FACTORS = {"X": "Q, K and V", "WQ": "only Q", "WK": "only K", "WV": "only V"}  # of which products each is one


@oracle("qkv", "best_key")
def best_key(view):
    """The entries of the query stand beside the rows of the keys: multiply and add."""
    keys = view.chart("entry of k", "key", "text").table
    rows = [row for row in keys.index if "×" in row]
    query = np.array([numbers(row)[-1] for row in rows])
    scores = dict(zip(keys.columns, query @ keys.loc[rows].to_numpy(), strict=True))
    # an entry of the query is shown with one digit, an entry of a key with two
    unsure = {key: 0.05 * np.abs(keys[key]).sum() + 0.005 * np.abs(query).sum() for key in keys.columns}
    best = max(view.options, key=scores.get)

    def told(option):
        def of_this_key(reason):
            said = numbers(reason.split("Multiply")[0])[-1]
            return abs(said - scores[option]) <= unsure[option] + 0.005

        return of_this_key

    return Found({best}, {option: told(option) for option in view.options})


@oracle("qkv", "ratio")
def ratio(view):
    """e to the difference of the two scores, which stand in the text and in the row."""
    _, first, second, *_ = quoted(view.text)
    high, low = (numbers(found)[0] for found in re.findall(r"(?:score|has) ([−\d.,]+) ?(?:and|\.)", view.text))
    row = view.chart("stage", "key", "text").table.iloc[0]
    assert abs(row[first] - high) < 0.51
    assert abs(row[second] - low) < 0.51
    assert row[first] == row.max()
    wanted, gap = np.exp(min(high - low, 700)), high - low
    right, mistakes = set(), {}
    for option in view.options:
        times = 1.0 if option == "equally large" else numbers(option)[0]
        if (option.startswith("more than") and wanted > 9_950) or abs(times / wanted - 1) < 0.052:
            right.add(option)
        elif times == 1:
            mistakes[option] = "equal weights"
        else:
            quotient = high / low if low else np.inf
            divided = "divided the (?:scaled )?scores" + (".*never negative" if quotient < 0 else "")
            ways = {f"^{gap:.2f} is the difference": gap, divided: quotient}
            gives = [how for how, size in ways.items() if abs(times - size) <= max(0.051, 0.051 * abs(size))]
            mistakes[option] = "|".join(gives) or "?"
    return Found(right, mistakes, why=rf"= {gap:.2f}, and e\^{gap:.2f} is ")


@oracle("qkv", "reach")
def reach(view):
    """A matrix is a factor of a product; the weights come of Q and K, the output of the weights and V."""
    (matrix,) = re.findall(r"number of (\w+) is", view.text)

    def moved_by(name):
        made = {"X": "QKV", "WQ": "Q", "WK": "K", "WV": "V"}[name]
        parts = [*made, *["the weights"] * (made != "V"), "the output"]
        return ", ".join(parts[:-1]) + " and " + parts[-1]

    mistakes = {}
    for option in view.options:
        of = [name for name in FACTORS if moved_by(name) == option]
        mistakes[option] = rf"right for {' or '.join(of)}\."
    return Found({moved_by(matrix)}, mistakes, why=f"{matrix} is a factor of {FACTORS[matrix]}")


@oracle("qkv", "twins")
def twins(view):
    """Whether a row has columns for the position, the step says; the map then shows both rows."""
    _, first, second, *_ = (0, *map(int, re.findall(r"positions (\d+) and (\d+)", view.text)[0]))
    table = view.tried().chart("word", "dimension", "x").table
    differ, seen = ((rows.iloc[first - 1] != rows.iloc[second - 1]).to_numpy() for rows in (table, table.round(2)))
    count, close = differ.size, ", some by less than 0.01" * bool((seen != differ).any())
    none, some, everything = "none of them", "some of them", "all of them"
    right = {"random": none, "hand-made": some, "trained": everything}[view.link.get("weights", "hand-made")]
    assert {none: not differ.any(), some: 0 < differ.sum() < count, everything: differ.mean() > 0.9}[right]
    mistakes = {
        none: f"would tell position {first} from position {second}\\.",
        some: "columns for the position alone, and others for the word",
        everything: "same word" if right == some else "depends on the position",
    }
    told = {
        none: NONE + ".* matrices are random",
        some: rf"\b{differ.sum()} of {count} numbers{close}\. .* Only columns of the position",
        everything: rf"\b(?:{count} of|all) {count}\b.* The model adds a vector",
    }[right]
    return Found({right}, mistakes, why=told)


@oracle("qkv", "shape")
def shape(view):
    """The pictures of both factors are shown, and how large they are."""
    rows, middle, again, columns = map(int, numbers(view.text)[:4])
    assert [chart.table.shape for chart in view.charts] == [(rows, middle), (again, columns)]
    given = [
        (columns, rows, "swapped"),
        (rows, middle, "shape of X"),
        (middle, columns, "shape of W"),
        (middle, middle, "two inner"),
    ]
    mistakes = {option: "|".join(how for i, j, how in given if f"{i} × {j}" == option) for option in view.options}
    return Found({f"{rows} × {columns}"}, mistakes, why=f"The {middle} in the middle")


@oracle("qkv", "mirror")
def mirror(view):
    """Only one map is its own mirror image, as its colours show."""
    apart = [np.abs(shades - shades.T) for shades in view.pictures]
    right = {option for option, gaps in zip(view.options, apart, strict=True) if gaps.max() <= 0}

    def told(shades):
        def compared(reason):
            i, j, one, k, m, other = numbers(reason)
            here, there = shades[int(i) - 1, int(j) - 1], shades[int(k) - 1, int(m) - 1]
            ordered = (here - there) * (one - other) > 0 and abs(here - there) >= 0.4 * np.abs(shades - shades.T).max()
            return ordered and (i, j) == (m, k) and ((one - other) * (here - there) > 0)

        return compared

    return Found(right, {option: told(shades) for option, shades in zip(view.options, view.pictures, strict=True)})


@oracle("qkv", "shift")
def shift(view):
    """What all scores of a row have in common cancels; one raised score takes weight from the others of its row."""
    of_row = "in the row of" in view.text
    none, grows, one = view.options_by("No weight", "All weights", "The largest" if of_row else "This key")
    if of_row:
        return Found({none}, {grows: "sums to 1", one: "Here all .*scores .*rise"}, why=SAME)
    if len(view.words) == 1:
        return Found({none}, {grows: "sums to 1", one: "exactly 0 or 1"}, why="stays so")
    return Found({one}, {none: "if all .*scores of a row rise", grows: "sums to 1"}, why="one exponential alone")
