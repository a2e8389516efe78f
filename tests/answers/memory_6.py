"""Questions from memory on a language model: how it writes, how it learns, and what is inside."""

import re

import numpy as np

from tests.answers.oracle import Found, oracle
from tests.answers.view import numbers


@oracle("tiny_lm", "now_used")
def used(view):
    """The predictions whose next token is not in the prompt."""
    length = int(numbers(view.text)[0])
    new = [place for place in range(length) if place + 1 >= length]
    every, first, last, mean = view.options_by("all", "the first", "that of the last", "their mean")
    assert numbers(every + first) == [length, length - 1]
    groups = {every: range(length), first: range(length - 1), last: [length - 1]}
    right = {option for option, places in groups.items() if list(places) == new}
    mistakes = {every: "The others predict tokens that are in the prompt", first: "their next token in the prompt"}
    return Found(right, mistakes | {mean: "a mean of them predicts none"}, why="not there yet")


@oracle("tiny_lm", "now_kept")
def kept(view):
    """Tokens are added, likeliest first, until their sum reaches top-p."""
    rows = [numbers(row) for row in re.findall(r"\d\.\d+(?:, \d\.\d+)+", view.text)]
    (least,) = numbers(re.findall(r"top-p = (\S+)", view.text)[0])
    first, right = (sum(sum(row[:place]) < least - 1e-9 for place in range(len(row))) for row in rows)
    assert f"keeps {first} tokens" in view.text
    mistakes = {"0": "always keeps the likeliest", str(first): "not a number of tokens"}
    for size in {1, 2} - {first, right}:
        reaches = sum(rows[1][:size]) >= least - 1e-9
        mistakes[str(size)] = "reaches the sum already" if reaches else "does not reach the sum"
    return Found({str(right)}, mistakes, why=f"at least {least:g}")


@oracle("tiny_lm", "now_start")
def start(view):
    """The loss of a prediction in which all tokens are as likely."""
    size = numbers(view.text)[0]
    losses = {option: numbers(option)[0] for option in view.options}
    loss = -np.log(1 / size)
    right = {option for option, told in losses.items() if abs(told - loss) <= 0.05}
    mistakes = {}
    for option, told in losses.items():
        share = np.exp(-told) * size  # how many times likelier than among all the target is, at that loss
        mistakes[option] = "number of tokens" if told == size else "certain and right" if told == 0 else "exclude most"
        assert told in (0, size) or option in right or share > 2
    return Found(right, mistakes, why=rf"= {loss:.1f}\.$")


@oracle("tiny_lm", "now_stop")
def stop(view):
    """The lowest of the second numbers; the first ones are those of the memorised text."""
    assert view.text.startswith("Training and validation loss")
    found = {
        step: (float(low), float(high)) for step, low, high in re.findall(r"(step \d+): (\S+) and (\d+\.\d)", view.text)
    }
    validation = sorted(high for _, high in found.values())
    assert validation[1] > validation[0]
    mistakes = dict.fromkeys(found, "^Its validation loss is not the lowest")
    mistakes[min(found, key=lambda step: found[step][0])] = "training loss is the lowest"
    return Found({min(found, key=lambda step: found[step][1])}, mistakes, why="validation loss is lowest")


@oracle("tiny_lm", "now_needed")
def needed(view):
    """The head without which the accuracy is lowest, from the numbers of the text."""
    weights, without = (
        dict(re.findall(r"(head \d\.\d):? ([\d.]+)", part)) for part in view.text.split("Accuracy without")
    )
    assert {*weights} == {*without} == {*view.options}
    left = {head: float(share) for head, share in without.items()}
    lowest = min(left.values())

    def told(option):
        return lambda reason: abs(numbers(reason)[-1] - left[option]) <= 0.5

    right = {head for head, share in left.items() if share == lowest}
    return Found(right, {option: told(option) for option in view.options}, why=rf" to {lowest:g} %")


@oracle("tiny_lm", "now_null")
def null(view):
    """The same measure where there is no pattern: at another distance, on another token, without a repetition."""
    of_claims = {
        "a weight on the token before of .* a head attends to the token before": "The largest weight at another",
        "a mean weight on the first token of .* the first token is a sink": "The largest mean weight on another",
        "a weight on what followed .* a head copies": "The same weight if nothing",
    }
    *nulls, most = view.options_by(*of_claims.values(), "The largest weight that is possible")
    by_claim = dict(zip(of_claims, nulls, strict=True))
    (right,) = [option for claim, option in by_claim.items() if re.search(rf"{claim}\. Which", view.text)]
    measured = numbers(view.text)[-1]
    mistakes = dict.fromkeys(view.options, "null of another claim") | {most: "1 for every head"}
    return Found({right}, mistakes, why=lambda reason: numbers(reason)[0] < measured)
