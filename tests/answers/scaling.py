"""Lesson 2: variances, slopes and softmax of random scores, by theory and by trials of our own."""

import math
import re
from functools import cache

import numpy as np

from tests.answers.memory import size_of_slopes
from tests.answers.oracle import Found, oracle
from tests.answers.view import numbers

N_TRIALS = 3000
LARGEST = np.finfo(np.float32).max


def divided_by(text, width):
    return math.sqrt(width) if "√dk" in text else width if "by dk" in text or "÷ dk" in text else 1


@cache
def weights(width, by, length, seed=0):
    """Return the weights (N, length, length) of random queries and keys."""
    rng = np.random.default_rng([seed, width, length])
    q, k = rng.standard_normal((2, N_TRIALS, length, width)).astype(np.float32)
    powers = np.exp((scores := q @ k.mT / np.float32(by)) - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@oracle("scaling", "row")
def row(view):
    """What the picture shows once d_k was dragged: nearly all, nearly equal or between, and clearly so."""
    start, end = map(int, re.findall(r"from (\d+) to (\d+)", view.text)[0])
    by = "√d_k" if "√dk" in view.text else "d_k" if "by dk" in view.text else "none"
    assert view.charts[0].alt.startswith(f"At d_k = {start}, not divided")
    then = view.tried(collapse_d_k=end, collapse_divide=by).charts[0]
    n_keys, least, most = len(then.data), *then.data["value"].agg(["min", "max"]).round(2)  # as they are shown
    equal, between, one = view.options_by("All words", "Something", "One word")
    right = one if most >= 0.8 else equal if most < 1.5 / n_keys and least > 2 / 3 / n_keys else between
    pointed = view.tried(collapse_d_k=end).charts[1].data.set_index("divisor")["÷ divisor"]
    scores = np.sort(pointed[by.replace("_k", "ₖ")])
    mistakes = {
        equal: lambda told: "need equal scores" in told and abs(numbers(told)[-1] - np.ptp(scores)) < 0.006,
        between: lambda told: "smallest score to the" in told and abs(numbers(told)[-1] - np.ptp(scores)) < 0.006,
        one: lambda told: "Here it is" in told and abs(numbers(told)[-1] - np.diff(scores)[-1]) < 0.006,
    }
    return Found({right}, mistakes, why=f"largest weight.* {most:.2f}[.,].*Uniform.* {1 / n_keys:.2f} each")


@oracle("scaling", "middle")
def middle(view):
    """Who drags d_k to the end sees the three rows."""
    end = re.findall(r"at dk = (\d+)", view.text)[0]
    rows = view.tried(collapse_d_k=end).charts[1].table.round(2).rename(lambda name: name.replace("ₖ", "_k"))
    largest, n_keys = rows.max(axis=1), rows.shape[1]
    fair = {*rows.index[(largest < 0.8) & ((largest > 1.5 / n_keys) | (rows.min(axis=1) < 2 / 3 / n_keys))]}
    ends = {option: "nearly all weight" if largest[option] > 0.5 else "nearly equal" for option in view.options}
    mistakes = {option: f"{largest[option]:.2f}\\. .*{ends[option]}" for option in view.options}
    return Found(fair, mistakes, why=f"{max(largest[option] for option in fair):.2f}")


@oracle("scaling", "variance")
def variance(view):
    width = numbers(view.text)[0]
    by = divided_by(re.findall(r"variance of ([^?]*)\?", view.text)[0], width)
    mistakes = {
        "is the standard deviation": math.sqrt(width),
        "You multiplied": width**2,
        "after dividing by dk": 1 / width,
        "Each pair gives one": 2 * width,
        "variance before dividing": width,
        "variance of one product": 1,
        "is the mean": 0,
    }
    return Found(width / by**2, mistakes, why="their variances add up" if by == 1 else "the square of √")


@oracle("scaling", "learns")
def learns(view):
    """The ends of both lines, once they are seen."""
    width, _, rate = numbers(view.text)[:3]
    then = view.tried(train_d_k=int(width), rate=f"{rate:g}").charts[0].data
    lines = then[then["kind"] == "line"].sort_values("x")
    divided, undivided = (lines[lines["series"] == name]["value"].iloc[-1] for name in ("÷ √dₖ", "not divided"))
    lower, same, higher = view.options_by("Lower", "About", "Higher")
    gap = round(undivided.round(2) - divided.round(2), 2)  # as a pointer reads them
    right = same if abs(gap) <= 0.05 else higher if gap > 0 else lower
    mistake = "the two heads are the same" if width == 1 else "largest weight of a row is"
    mistakes, ends = dict.fromkeys(view.options, mistake), (divided, undivided)
    return Found({right}, mistakes, why=lambda why: np.allclose(numbers(why)[1:], ends, rtol=0, atol=0.0051))


@oracle("scaling", "nudge")
def nudge(view):
    """The slopes of both rows, from the weights that are shown; what is rounded away must not decide."""
    (chart,) = view.charts
    plain, scaled = chart.table.to_numpy()
    sizes = [size_of_slopes(one) for one in (plain, scaled)]
    assert abs(sizes[0] - sizes[1]) > 0.01, (view.text, sizes)
    undivided, divided, equally = view.options_by("Without", "Divided", "Under both")
    right = undivided if sizes[0] > sizes[1] else divided

    def told(reason):
        return np.abs(np.subtract(numbers(reason)[:2], sizes)).max() < 0.02

    return Found(
        {right}, dict.fromkeys((undivided, divided), r"w · \(1 − w\)") | {equally: "different weights"}, why=told
    )


def outcomes(scores, subtracts):
    """Return what softmax in 32 bits makes of scores that are known up to rounding."""
    rng = np.random.default_rng(0)
    for noise in (0, *[1] * 30):
        exact = scores + noise * rng.uniform(-0.005, 0.005, len(scores))
        exact = (exact - exact.max() * subtracts).astype(np.float32)
        with np.errstate(all="ignore"):
            powers = np.exp(exact)
            found = powers / powers.sum()
        yield 0 if not np.isfinite(found).all() or not found.any() else 1 if found.max() > 0.9 else 2


@oracle("scaling", "two")
def two(view):
    """Softmax in 32 bits of the products in the table, of which the two largest are in the text with more digits."""
    asked = re.findall(r"q · k are ([−\d.]+) and ([−\d.]+)\.", view.text)[0]
    products = np.sort(numbers(view.texts[2].split("q · k")[1]))
    ends = np.array([numbers(one)[0] for one in asked[::-1]])
    assert np.abs(products[-2:] - ends).max() <= 0.0501
    products[-2:] = ends
    (width,) = map(int, re.findall(r"divided by √(\d+)", view.text) or [1])
    added = numbers(re.findall(r"([−\d]+) is added", view.text)[0])[0]
    subtracts, scores = "maximum is subtracted" in view.text, products / math.sqrt(width) + added
    found = {*outcomes(scores, subtracts)}
    assert len(found) == 1, (view.text, found, "the digits in view leave it open")
    broken, one, spread = view.options_by("Every weight", "One weight", "All weights")
    apart = scores[-1] - scores[-2]

    def far(reason):
        return (
            abs(numbers(reason)[-1] - apart) < 0.0051
            if "apart" in reason
            else 0 in found and f"{added:.0f}" in reason.replace("−", "-")
        )

    def sound(reason):  # e to this is the largest power
        return "is neither" in reason and abs(numbers(reason)[0] - scores[-1] * (not subtracts)) < 0.06

    return Found({(broken, one, spread)[max(found)]}, {broken: sound, one: far, spread: far})


@cache
def trials(measure, width, by, seed):
    """Return a measure of each of many trials with 4 queries and 4 keys."""
    largest = weights(width, by, 4, seed).max(axis=-1)
    return largest.max(axis=-1) if measure == "largest" else largest.mean(axis=-1)


@oracle("scaling", "claim_falls", "claim_sharp", "claim_flat", "claim_rises")
def claim(view):
    """The part of trials of our own in which it comes true, far enough from a quarter and three quarters."""
    widths = [int(width) for width in re.findall(r"\d+", view.text.split("scores at")[1].split("divided")[0])]
    measure = "mean" if "the mean of" in view.text else "largest"
    by = [math.sqrt(width) if "by √dk" in view.text else 1 for width in widths]
    values = np.array(
        [trials(measure, width, one, place) for place, (width, one) in enumerate(zip(widths, by, strict=True))]
    )
    asked = view.text.split("trials")[-1]
    every, rises = "every step" in asked, "higher" in asked or "rise" in asked
    rises |= f"lower at {widths[0]}" in asked
    values = values if rises else -values
    true = (np.diff(values, axis=0) > 0).all(axis=0) if every else values[-1] > values[0]
    part, asked_of = true.mean(), int(re.findall(r"of ([\d,]+) trials", view.text)[0].replace(",", ""))
    chance = 3 * math.sqrt(part * (1 - part) * (1 / asked_of + 1 / N_TRIALS))
    assert min(abs(part - 0.25), abs(part - 0.75)) > chance, (view.text, part, "is near an end of an option")
    few, half, most = options = view.options_by("Fewer", "Between", "More")
    right = options[int(part > 0.25) + int(part > 0.75)]
    beside = "single trials lie about" if right == most else "half of the trials"
    by_chance = f"{100 / math.factorial(len(widths)):.1f} %" if every and right != most else beside
    mistakes = {
        few: "steps must go" if every and right == most else by_chance,
        half: "steps must go" if every else beside,
    }
    mistakes[most] = "steps must go" if every else "single trials lie about"

    def told(reason):
        return abs(numbers(reason)[0] / asked_of - part) <= chance + 0.01 and numbers(reason)[1] == asked_of

    return Found({right}, mistakes, why=told)
