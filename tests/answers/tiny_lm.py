"""Lesson 6: tokens, predictions, losses and layers of a language model, from the text and what the pictures show."""

import math
import re

import numpy as np

from tests.answers.oracle import Found, oracle
from tests.answers.view import numbers, quoted


def near(number, after=""):
    """Return whether a reason says this number, as rounded, after a word."""
    return lambda reason: abs(numbers(reason[reason.index(after) :])[0] - number) <= 0.006


def bare(word):
    return word.rstrip("₀₁₂₃₄₅₆₇₈₉")


@oracle("tiny_lm", "space")
def space(view):
    """The merges of the text, one after another, on the letters alone."""
    merges = re.findall(r"(\S+) \+ ([^\s,.]+)", view.text.split("make it:")[1])
    whole, word = quoted(view.text)
    assert merged(whole, merges) == [whole] == ["␣" + word]
    pieces = merged(word, merges)
    in_letters = f"{len(word)} tokens: {' | '.join(word)}"
    letters, *_ = view.options_by(*sorted(view.options, key=lambda option: option != in_letters))
    same, other = [next(one for one in view.options if end in one) for end in ("the same id", "another id")]
    right = {option for option in view.options if option == f"{len(pieces)} tokens: {' | '.join(pieces)}"}
    assert merges[-1][0].startswith("␣")
    mistakes = {letters: "stopped at single letters", same: "ignored the space", other: "last merge of the list needs"}
    return Found(right, mistakes, why="part of the token")


def merged(word, merges):
    pieces = [*word]
    for pair in merges:
        place = 0
        while place < len(pieces) - 1:
            if (pieces[place], pieces[place + 1]) == pair:
                pieces[place : place + 2] = ["".join(pair)]
            place += 1
    return pieces


@oracle("tiny_lm", "alone")
def alone(view):
    """Which tokens change the last output of random layers without attention."""
    rng = np.random.default_rng(0)
    first, second, *vectors = rng.normal(size=(2 + 6, 4, 4))

    def last(stream):
        for layer in (first, second) * ("MLPs" in view.text):
            stream = stream + np.maximum(stream @ layer, 0)
        return stream[-1]

    stream = np.array(vectors)[:, 0]
    acts = []
    for place in range(len(stream)):
        changed = stream.copy()
        changed[place] += 1
        acts += [place] * (not np.allclose(last(changed), last(stream)))
    only, every, neighbours, none = view.options_by("only the last", "all of", "the last one and", "none")
    sets = {only: [5], every: [*range(6)], neighbours: [4, 5], none: []}
    mistakes = {every: "from other positions", neighbours: "Neighbours are other positions", none: "still goes down"}
    return Found({option for option, places in sets.items() if places == acts}, mistakes, why="nothing goes from one")


@oracle("tiny_lm", "pick")
def pick(view):
    """The first token whose end lies above the number, on the bar that is shown."""
    bar = view.chart("start", "end", "probability").data
    temperature, drawn = re.search(r"T = ([\d.]+) the random number is ([\d.]+)\.", view.text).groups()
    assert f"At T = {temperature}," in view.chart("start", "end").alt
    digits, drawn = len(drawn.split(".")[1]), float(drawn)
    ends, shares = bar["end"].to_numpy(), bar["probability"].to_numpy()[: len(view.options)]
    assert np.abs(ends - drawn).min() > 1e-4, (view.text, "lies at an end of the bar")
    place = int((ends < drawn).sum())
    assert view.options == tuple(bar["label"][: len(view.options)])
    close, half = np.abs(shares - drawn), 0.5 * 10**-digits + 1e-4
    mistakes = {}
    for at, option in enumerate(view.options):
        side = "still below the number" if at < place else "is above the number already"

        def told(reason, at=at, side=side):
            if "nearest to the number" in reason:
                return close[at] <= close.min() + 2 * half
            return abs(numbers(reason)[0] - ends[at]) <= half and (at == 0 or side in reason)

        mistakes[option] = told

    def sums(reason):
        before, after = map(float, re.search(r"is ([\d.]+) before .* and ([\d.]+) with it", reason).groups())
        return abs(before - (ends[place] - bar["probability"][place])) <= half and abs(after - ends[place]) <= half

    assert drawn > ends[0] or place == 0
    return Found({view.options[place]}, mistakes, why=sums)


@oracle("tiny_lm", "least_likely")
def least_likely(view):
    """The largest −log of the probabilities in the question."""
    shares = {name: float(share) for name, share in re.findall(r"“([^”]*)” (\d\.\d+)", view.text)}
    losses = {name: -math.log(share) for name, share in shares.items()}
    (alike,) = set(view.options) - set(losses)
    right = max(losses, key=losses.__getitem__)
    mistakes = {name: near(loss, " is ") for name, loss in losses.items() if name != right}
    return Found({right}, mistakes | {alike: "a less likely target has a larger loss"}, why=near(losses[right], " is "))


@oracle("tiny_lm", "way")
def way(view):
    """Where the curve in view is lowest, of the checkpoints that are named; or which baselines it is below."""
    data = next(chart for chart in view.charts if "The loss over" in chart.alt).data
    if not view.options[0].startswith("step"):
        return between(view, data)
    steps = [int(numbers(option)[0]) for option in view.options]
    lines = data[(data["kind"] == "line") & (data["series"] != "training loss")].dropna().sort_values("x")
    losses = np.interp(steps, lines["x"], lines["value"]).round(2)  # as they are shown
    mistakes = {option: near(loss, "is ") for option, loss in zip(view.options, losses, strict=True)}
    right = {option for option, loss in zip(view.options, losses, strict=True) if loss == losses.min()}
    lowest = near(losses.min(), "lowest: ")
    return Found(right, mistakes, why=lambda why: lowest(why) and ("memorises" not in why or losses[-1] > losses.min()))


def between(view, data):
    """What a model uses, by the dashed lines in view that its loss is below: each uses one thing more."""
    ladder = view.options_by("nothing", "how often", "the token before", "the last two", "more than")
    ends = data[data["kind"] == "end"].set_index("series")["value"]
    names, (step, loss) = ["uniform", "unigram", "bigram", "trigram"], numbers(view.text)[:2]
    line = data[(data["kind"] == "line") & (data["series"] != "training loss")].sort_values("x")
    assert abs(np.interp(step, line["x"], line["value"]) - loss) < 0.006
    right = sum(loss < ends[name] for name in names)
    told = {option: near(ends[name], name) for option, name in zip(ladder, names, strict=False)}
    told |= {option: near(ends[name], name) for option, name in zip(ladder[right + 1 :], names[right:], strict=True)}
    told.pop(ladder[right], None)
    return Found({ladder[right]}, told, why="below the")


@oracle("tiny_lm", "direction")
def direction(view):
    """A small step on a line of this slope, to the side on which the loss falls."""
    slope = numbers(view.text)[1]
    moved = -0.01 * slope
    up, down, decay, stays = view.options_by("up", "down", "towards 0", "not at all")
    uphill = "it {}, but it must go against its slope" if moved else "no direction"
    mistakes = {
        up: uphill.format("up"),
        down: uphill.format("down"),
        decay: "weight decay",
        stays: "its slope is not 0",
    }
    return Found({up if moved > 0 else down if moved < 0 else stays}, mistakes, why="subtracts η times the slope")


@oracle("tiny_lm", "copy")
def copy(view):
    """From the last token to the one that followed the same letter before."""
    letters = [bare(label) for label in view.labels]
    assert f"The sequence {''.join(letters)} ends" in view.text
    (before,) = [place for place, letter in enumerate(letters[:-1]) if letter == letters[-1]]
    row, column = len(letters) - 1, before + 1
    said = {"transposed": "swapped row and column", "otherwise": "digit after the same letter"}
    return Found((row, column), said, why=f"{view.labels[row]}.*{view.labels[column]}")


@oracle("tiny_lm", "lens")
def lens(view):
    """The bars of the reading after the embedding, once they are seen."""
    label = quoted(view.text)[0]
    seen = view.tried(at=label, layer="embedding")
    (bars,) = [chart.data for chart in seen.charts if chart.alt.startswith("The likeliest tokens of the chosen")]
    shares = dict(zip(bars["label"], bars["value"], strict=True))
    final = quoted(next(text for text in seen.texts if text.startswith("After the embedding")))[0]
    best = bars["label"][0]
    assert best in view.options

    def told(option):
        def holds(reason):
            said = numbers(reason)[-1]
            kind = "after the last layer" if option == final else "model reads" if option == bare(label) else "Without"
            return kind in reason and (abs(said - shares[option]) < 0.006 if option in shares else said < 0.5)

        return holds

    return Found({best}, {option: told(option) for option in view.options}, why=near(shares[best], "has probability"))


@oracle("tiny_lm", "carries")
def carries(view):
    """The one head in an earlier layer; patched, it alone changes what the later one attends to most."""
    watched, there, right = re.search(r"head (\d\.\d+) attends", view.text)[1], quoted(view.text)[1], set()
    mistakes = {option: "comes after" if option[5] > watched[0] else "same layer" for option in view.options}
    for option in view.options:
        layer, head = map(int, option.removeprefix("head ").split("."))
        cut = str((layer - 1) * view.seen.scene.model.config.n_heads + head)
        seen = view.tried(cut=cut, watch=watched, bench_way="other prompt", spot="all positions")
        (runs,) = [chart.table for chart in seen.charts if "from the last token" in chart.alt]
        right |= {option} if runs.iloc[1].idxmax() == there else set()
        assert (option in right) == (layer < int(watched[0])) == (runs.iloc[1] != runs.iloc[0]).any()
    mistakes = {option: told for option, told in mistakes.items() if option not in right}
    return Found(right, mistakes | {f"head {watched}": "weights first"}, why=f"in what head {watched} reads")


@oracle("tiny_lm", "caches")
def caches(view):
    """The points of the picture, over all distances or for the one that is asked for."""
    far = re.match(r"A letter stood (\d+) tokens", view.text)
    (chart,) = [one for one in view.tried(stood=far[1] if far else "any").charts if "Mean loss of" in one.alt]
    assert ("stood" in chart.alt) == bool(far)
    points = chart.data.set_index("model")
    size, loss = points.iloc[:, 1][[*view.options]], points["loss"][[*view.options]]
    least = far or float(re.search(r"loss below ([\d.]+)", view.text)[1])
    right = loss.idxmax() if far else size[loss < least].idxmin()

    def told(option):
        window = numbers(option)[0] if "window" in option else math.inf
        if far:
            kind = "inside" if window >= int(far[1]) else "outside"
            kind = kind if "window" in option else "nothing is forgotten"
        else:
            kind = "forgets letters" if "window" in option else "Another one saves more"
        return lambda reason: (
            (option == right or kind in reason)
            and np.abs(np.subtract(numbers(reason)[-2:], [size[option], loss[option]])).max() < 0.06
        )

    return Found({right}, {option: told(option) for option in view.options}, why=told(right))


@oracle("tiny_lm", "kite")
def kite(view):
    """What both models say of the four stories of the table, and what each rule says of their sentences."""
    (rows,) = [text.split("\n") for text in view.texts if text.startswith("story\t")]
    told, real, _ = zip(*(row.strip().split("\t") for row in rows[1:]), strict=True)
    said = [quoted(cell)[0].lstrip("␣") for cell in real]
    rules = {
        "The colour of the kite": lambda text: re.search(r"kite was (\w+)", text)[1],
        "The colour of the ball": lambda text: re.search(r"ball was (\w+)", text)[1],
        "The colour that is named last": lambda text: re.findall(r" was (\w+)", text)[-1],
        "Always blue": lambda _: "blue",
    }
    by_rule = {name: [rule(text) for text in told] for name, rule in rules.items()}
    right = {name for name, found in by_rule.items() if found == said}

    def differs(name):
        def holds(reason):
            claimed, story, instead = quoted(reason)
            place = next(at for at, text in enumerate(told) if story in text)
            return by_rule[name][place] == claimed != instead == said[place]

        return holds

    return Found(
        right, {name: differs(name) for name in rules}, why="in all four" if len({*said}) == 1 else "fits all four"
    )


CLAIMS = ("scores", "previous", "sink", "it", "copying", "growth", "lens", "parts")


@oracle("tiny_lm", *(f"claim_{name}" for name in CLAIMS))
def claim(view):
    """The number and its bound, once they are seen: beyond it, or before it where something is early."""
    measured = next(text for text in view.tried().texts if "Bound:" in text and "\n\n" in text).split("\n\n")[1].strip()
    number, bound = numbers(measured)[0], numbers(measured.split("Bound:")[1])[0]
    assert number != bound, (view.text, measured, "the digits in view leave it open")
    beyond = number < bound if "early" in view.text else number > bound
    yes, no = view.options_by("holds", "does not hold")
    exact = re.escape(measured)
    return Found({yes if beyond else no}, {yes: exact, no: exact}, why=exact)
