"""What the lesson on scaling asks; every answer is computed from the draws of the page as it stands."""

import math

import numpy as np

from attention_core.arrays import Array
from attention_core.experiments.head_metrics import jacobian_norm
from attention_core.experiments.overflow import Remedies, Softened
from attention_core.experiments.perturb import added_to_column, added_to_row, moved, softmax_at
from attention_core.experiments.random_scores import DIVISORS, WIDTHS, Spread, Trial, theory
from pages.look.html import number, prose
from pages.page.questions import Choice, Mistake, Number
from pages.scaling.claims import Claim

NEARLY = 0.15  # of what it was: what counts as nearly the same in a question


def variance_question(variant: int) -> Number:
    """Ask for the variance of a score."""
    d_k = (16, 64, 4, 256, 9, 100)[variant % 6]
    named = DIVISORS[(0, 0, 1, 0, 1, 0)[variant % 6]]
    right = float(theory(named, (d_k,))[0])
    what = "q · k" if named == "nothing" else f"q · k ÷ {named}"
    text = prose(
        f"q and k have **{d_k}** numbers each, all drawn at random with mean 0 and variance 1. A product of two such "
        f"numbers has variance 1 as well. What is the variance of **{what}**?"
    )
    if named == "nothing":
        why = f"It is a sum of {d_k} products that do not depend on each other, so their variances add up: {d_k}."
    else:
        why = f"The sum has variance {d_k}; dividing by √{d_k} divides the variance by {d_k}, which leaves 1."
    mistakes = (
        Mistake(math.sqrt(d_k), f"√{d_k} is its deviation, the root of the variance."),
        Mistake(d_k**2, "Variances of a sum are added, not multiplied."),
        Mistake(1 / d_k, "That is what dividing by d_k would leave."),
        Mistake(2 * d_k, "Two vectors go in, but each product counts once."),
        Mistake(d_k, "That is the variance before dividing."),
        Mistake(1, "One product has variance 1, but there are more of them."),
        Mistake(0, "The mean is 0; the variance says how far single sums lie from it."),
    )
    return Number(
        "variance", text, right, 0.02 * right, why, mistakes, "Add up the variances of the products.", digits=0
    )


def grows_question(largest: Spread, variant: int) -> Choice:
    """Ask what the largest weight does as d_k grows, under one of the divisors."""
    named = DIVISORS[(0, 2, 1)[variant % 3]]
    means = largest.mean[DIVISORS.index(named)]
    start, end = float(means[2]), float(means[-1])
    how = "without dividing" if named == "nothing" else f"dividing by {named}"
    text = prose(
        f"Let d_k grow from 4 to 512, {how}. What does the largest weight of a row do, on average over many draws?"
    )
    options = ("It falls: the more numbers, the more they even out", "It stays nearly where it is", "It rises")
    right = 1 if abs(end - start) < NEARLY * start else 2 if end > start else 0
    why = f"On average it goes from {number(start)} at d_k = 4 to {number(end)} at 512."
    mistakes = [
        "A mean of many numbers evens out, but a score is their sum, and sums spread ever wider.",
        "The spread of the scores changes with d_k, and softmax feels it.",
        "Longer vectors alone make no harder choice: it depends on what the sum is divided by.",
    ]
    if named == "√d_k":
        mistakes[0] = "The sum spreads by √d_k, and by just that it is divided."
    if named == "d_k":
        mistakes[1] = "The sum spreads by √d_k only, so dividing by d_k makes the scores shrink."
    mistakes[right] = ""
    return Choice("grows", text, options, (right,), why, tuple(mistakes))


def more_question(largest: Spread, length: int, variant: int) -> Choice:
    """Ask whether dividing by more is safer."""
    d_k = (512, 128, 256)[variant % 3]
    column = WIDTHS.index(d_k)
    root, full = (float(largest.mean[i, column]) for i in (1, 2))
    text = prose(
        f"Dividing by √d_k keeps the scores small. At d_k = {d_k}, would dividing by **d_k** itself be safer still? "
        f"What will a row over {length} keys look like?"
    )
    options = ("All keys get nearly the same", "One key gets nearly all", "As with √d_k")
    goals = (1 / length, 1.0, root)
    right = int(np.argmin([abs(full - goal) for goal in goals]))
    why = (
        f"Its largest weight is {number(full, 3)} on average, where all alike would be {number(1 / length, 3)}; with "
        f"√d_k it is {number(root, 3)}."
    )
    mistakes = [
        "There is still a difference to see.",
        "Smaller scores lie closer together, and softmax makes like shares of like scores.",
        "The scores shrink by another √d_k, so they differ far less.",
    ]
    mistakes[right] = ""
    return Choice("more", text, options, (right,), why, tuple(mistakes))


def nudge_question(products: Array, d_k: int, variant: int) -> Choice:
    """Ask in which of two rows weights still move when scores do."""
    row = int(np.random.default_rng([variant, 6]).integers(len(products)))
    plain, scaled = (softmax_at(products[row], by) for by in (1.0, math.sqrt(d_k)))
    norms = [float(jacobian_norm(weights)) for weights in (plain, scaled)]
    shown = [", ".join(number(weight) for weight in np.sort(weights)[::-1][:4]) for weights in (plain, scaled)]
    text = prose(
        f"The same row of scores at d_k = {d_k}, its four largest weights. Undivided: **{shown[0]}**. Divided by √d_k: "
        f"**{shown[1]}**. Now scores move a little, each by itself. In which row will the weights move more?"
    )
    options = ("The undivided one", "The one divided by √d_k", "In both alike")
    gap = norms[0] - norms[1]
    right = 2 if abs(gap) < 1e-9 else 0 if gap > 0 else 1
    why = (
        f"All slopes of the row together, the root of the sum of their squares: {number(norms[0], 3)} undivided, "
        f"{number(norms[1], 3)} divided by √d_k."
    )
    taken = "Where one weight is nearly 1, it cannot grow, and the others are nearly 0 and cannot shrink."
    even = "A weight w moves at the slope w · (1 − w): most at one half, not at all at 0 or 1."
    mistakes = [
        taken if plain.max() > 0.9 else even,
        even,
        "The weights differ, and so do the slopes.",
    ]
    if d_k == 1:
        mistakes = ["√1 is 1: the two rows are the same."] * 3
    mistakes[right] = ""
    return Choice("nudge", text, options, (right,), why, tuple(mistakes))


def claim_question(claim: Claim, trial: Trial, variant: int) -> Choice:
    """Ask in how many of many draws a claim comes true: at its two ends, or in odd variants at every step."""
    every_step = variant % 2 == 1
    text = claim.question
    if every_step:
        widths = ", ".join(map(str, claim.widths))
        text += f" And stricter: in how many do **all numbers**, at {widths}, come in that order?"
    found = trial.in_order if every_step else trial.agreeing
    share = found / trial.n_draws
    right = 0 if share < 0.25 else 2 if share > 0.75 else 1
    options = ("In less than a quarter", "Somewhere in between", "In more than three quarters")
    why = f"It is so in {found} of {trial.n_draws} draws, {share:.1%}."
    fewer = "Single draws differ more from each other than the claimed effect is large."
    mistakes = ["There are more of them.", "There are more of them." if right == 2 else fewer, fewer]
    mistakes[right] = ""
    return Choice(f"claim_{claim.name}", prose(text), options, (right,), why, tuple(mistakes))


def d_v_question(d_k: int, variant: int) -> Number:
    """Ask what dividing by the root of the wrong width leaves of the variance."""
    d_v = [width for width in (16, 4, 64, 256) if width != d_k][variant % 3]
    right = d_k / d_v
    text = prose(
        f"The keys are d_k = {d_k} wide, the values d_v = {d_v}. Someone divides the scores by √d_v instead of √d_k. "
        "What variance do the scores have then?"
    )
    why = f"q · k has variance {d_k}; dividing by √{d_v} divides that by {d_v}, which leaves {short(right)}."
    mistakes = (
        Mistake(1, "That is what √d_k leaves."),
        Mistake(d_v / d_k, "The other way up: the variance of q · k is d_k, and d_v is what it is divided by."),
        Mistake(math.sqrt(right), "That is the deviation, its root."),
        Mistake(d_k, "That is the variance before dividing."),
        Mistake(d_k / math.sqrt(d_v), "Dividing by a number divides the variance by its square."),
    )
    return Number("d_v", text, right, 0.02 * right, why, mistakes, "Divide d_k by the square of what it is divided by.")


def short(value: float) -> str:
    """Return a number with as many digits as it needs."""
    return f"{value:.4g}"


def two_question(found: Remedies, constant: float, d_k: int, variant: int) -> Choice:
    """Ask what one remedy alone makes of a row."""
    only_divide = variant % 2 == 0
    outcome = found.divided if only_divide else found.subtracted
    added = f"{number(constant, 0)} is added to each"
    doing = (
        f"is divided by √d_k, then {added}. The maximum is **not** subtracted."
        if only_divide
        else f"is **not** divided by √d_k; {added}, then the maximum is subtracted."
    )
    text = prose(f"A row of scores at d_k = {d_k} {doing} What comes out of the softmax?")
    options = ("NaN: no numbers at all", "One key takes nearly all", "Shares for several keys")
    right = kind_of(outcome)
    largest = float(outcome.scores.max())
    if outcome.overflowed and largest > 0:
        why = f"The largest score is {number(largest, 1)}, and e to that is more than a number of 32 bits can hold."
    elif outcome.overflowed:
        why = f"The largest score is {number(largest, 1)}: every power rounds to 0, and 0 ÷ 0 is no number."
    else:
        why = f"The largest weight is {number(outcome.largest)}."
    mistakes = [
        "No power is too large here." if only_divide else "With the maximum subtracted no power is above e⁰ = 1.",
        "Dividing brings the scores closer together." if only_divide else "The scores lie close enough together.",
        "Dividing does not bring the powers into range: what all scores share is as large as before."
        if only_divide
        else "Subtracting moves all scores alike: they lie as far apart as before.",
    ]
    mistakes[right] = ""
    return Choice("two", text, options, (right,), why, tuple(mistakes))


def kind_of(outcome: Softened) -> int:
    """Return whether a row has overflowed (0), is saturated (1) or neither (2)."""
    return 0 if outcome.overflowed else 1 if outcome.largest > 0.9 else 2


def constant_question(scores: Array, weights: Array, variant: int) -> Choice:
    """Ask which of three changes of the scores moves the weights, and how."""
    place = int(np.random.default_rng([variant, 7]).integers(len(scores)))
    what = variant % 3
    if what == 0:
        text, after = f"Add 2 to every score in row q{place + 1}.", softmax_at(added_to_row(scores, place, 2.0), 1.0)
    elif what == 1:
        text, after = (
            f"Add 2 to every score in column k{place + 1}.",
            softmax_at(added_to_column(scores, place, 2.0), 1.0),
        )
    else:
        text, after = "Multiply every score by 2.", softmax_at(scores, 0.5)
    found = moved(weights, after)
    options = (
        "No weight moves",
        "In every row the weight of one key grows, the same key in all",
        "In every row the largest weight grows",
    )
    n_rows = len(weights)
    grown = after > weights
    top = grown[np.arange(n_rows), weights.argmax(axis=-1)].all()
    one_key = any(grown[:, key].all() and grown.sum() == n_rows for key in range(weights.shape[-1]))
    right = (0,) if not found.any() else tuple(i for i, holds in ((1, one_key), (2, top)) if holds) or (2,)
    why = f"Computed both ways: {int(found.sum())} of {found.size} weights have moved."
    said = (
        "Softmax sees only how scores of a row differ, and adding to all of them leaves their differences.",
        "In each row one score has moved against the others.",
        "All differences have doubled, so every choice is harder.",
    )[what]
    mistakes = tuple("" if i in right else said for i in range(3))
    return Choice("constant", prose(f"{text} What happens to the weights?"), options, right, why, mistakes)
