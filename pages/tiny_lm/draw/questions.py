"""What the lesson asks about drawing a token; every answer is computed from the bet as it stands."""

import math
from html import escape

import numpy as np

from attention_core.arrays import Array
from attention_core.experiments.next_token import DecisionTable
from attention_core.model.generate import choose
from pages.look.html import number, quoted
from pages.page.questions import Choice, Mistake, Number
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import Sampling

LISTED = 6  # shares in a question
CUTS = (0.9, 0.8, 0.7, 0.95, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02)
HEATS = (1.0, 2.0, 4.0)  # for a question about a bet that is too sure
SURE = 0.85


def listed(subject: Subject, table: DecisionTable, shares: Array, most: int = LISTED) -> str:
    """Return the largest shares, each with its token."""
    n_shown = min(most, len(shares))
    digits = 2 if shares[0] >= 0.1 else 4
    chips = [
        f"<span>{escape(subject.token(int(token)))} {number(float(share), digits)}</span>"
        for token, share in zip(table.tokens[:n_shown], shares[:n_shown], strict=True)
    ]
    rest = "<span>…</span>" if len(shares) > n_shown else ""
    return f'<div class="course chips" style="margin-top:8px">{"".join(chips)}{rest}</div>'


def pick_question(subject: Subject, table: DecisionTable, sampling: Sampling, variant: int) -> Choice:
    """Ask which token a random number picks."""
    ways = [sampling[:3]] if sampling.temperature else []
    for temperature, top_k, top_p in (*ways, *((heat, None, None) for heat in HEATS)):
        whole = choose(table.logits, temperature, top_k, top_p, 0.0, 1)
        if whole.probabilities[0] <= SURE:  # else nearly every number would pick the same
            break
    shares = whole.probabilities[: whole.n_kept]
    sums, rng = shares.cumsum(), np.random.default_rng([variant, 1])
    n_asked = min(LISTED - 1, len(shares))
    wide = [rank for rank in range(n_asked) if shares[rank] >= 0.03] or list(range(n_asked))
    rank = wide[int(rng.integers(len(wide)))] if variant else wide[min(1, len(wide) - 1)]
    spot = float(sums[rank] - shares[rank] * rng.uniform(0.3, 0.7))
    digits = 2 if shares[rank] >= 0.03 else 6
    drawn = round(spot, digits)
    right = choose(table.logits, temperature, top_k, top_p, drawn, 1).token
    names = [subject.token(int(token)) for token in table.tokens[:n_asked]]
    shown = number(drawn, digits)
    nearest = int(np.abs(shares[:n_asked] - drawn).argmin())
    mistakes = []
    for place in range(n_asked):
        if place == right:
            mistakes.append("")
        elif place == 0:
            mistakes.append(f"It is the likeliest, and drawn whenever the number is below {number(float(shares[0]))}.")
        elif place == nearest:
            mistakes.append("Its own share is nearest to the number, but the shares are added up, likeliest first.")
        else:
            side = "has not reached the number yet" if place < right else "was above the number before"
            mistakes.append(f"Up to it the running sum is {number(float(sums[place]))}; it {side}.")
    before = float(sums[right] - shares[right])
    return Choice(
        "pick",
        f"At T = {temperature:g} these shares are laid end to end, likeliest first, from 0 to 1. The random number is "
        f"{shown}. Which {subject.unit} is drawn?" + listed(subject, table, shares),
        tuple(names),
        (right,),
        f"Before {escape(quoted(names[right]))} the running sum is {number(before, digits)}, with it "
        f"{number(float(sums[right]), digits)}: the first above {shown}.",
        tuple(mistakes),
    )


def survivors_question(subject: Subject, table: DecisionTable, variant: int) -> Number:
    """Ask how many tokens survive top-p."""
    bets = choose(table.logits, 1.0, None, None, 0.0, 1).probabilities
    sums = bets.cumsum()
    clear = [
        top_p
        for top_p in CUTS
        if np.abs(sums - top_p).min() > 0.006 and 2 <= choose(table.logits, 1.0, None, top_p, 0.0, 1).n_kept <= LISTED
    ] or [0.9]
    top_p = clear[variant % len(clear)]
    right = choose(table.logits, 1.0, None, top_p, 0.0, 1).n_kept
    before = float(sums[right - 2]) if right > 1 else 0.0
    share = int(top_p * len(bets))
    mistakes = [
        Mistake(right - 1, f"Together they reach only {number(before)}; the one that crosses {top_p} is kept as well."),
        Mistake(right + 1, f"One fewer reaches {top_p} already."),
    ]
    if abs(share - right) > 1:
        mistakes.append(Mistake(share, f"That is {top_p} of the {len(bets)} tokens. Top-p adds up shares."))
    return Number(
        "top_p",
        f"The model bets as below, at T = 1. Top-p = {top_p} keeps the fewest tokens, likeliest first, that together "
        f"reach {top_p}. How many survive?" + listed(subject, table, bets, LISTED + 1),
        right,
        0.5,
        f"The first {right} together: {number(float(sums[right - 1]), 3)}.",
        tuple(mistakes),
        "Add the shares from the left until the sum reaches the limit, and count.",
        digits=0,
    )


def renormal_question(subject: Subject, table: DecisionTable, variant: int) -> Number:
    """Ask from which share the likeliest is drawn once top-k has cut the others."""
    top_k = min((3, 2, 4)[variant % 3], len(table.logits))
    bets = choose(table.logits, 1.0, None, None, 0.0, 1).probabilities
    right = float(choose(table.logits, 1.0, top_k, None, 0.0, 1).probabilities[0])
    best, together = float(bets[0]), float(bets[:top_k].sum())
    name = escape(quoted(subject.token(int(table.tokens[0]))))
    mistakes = [
        Mistake(best, f"Then the {top_k} would sum to {number(together)}, and a number above it would draw nothing."),
        Mistake(1 / top_k, "That would make them all alike; what is kept keeps its proportions."),
        Mistake(best + (1 - together) / top_k, "What was cut is not handed out in equal parts: all are divided alike."),
    ]
    tolerance = 0.01
    return Number(
        "top_k",
        f"Top-k = {top_k} keeps the {top_k} likeliest of this bet. With which share is {name} drawn then?"
        + listed(subject, table, bets),
        right,
        tolerance,
        f"{number(best, 3)} ÷ {number(together, 3)} = {number(right, 3)}: what is left is divided by its sum.",
        tuple(mistake for mistake in mistakes if abs(mistake.value - right) > tolerance),
        "Divide its share by the sum of those that are kept.",
    )


def hotter_question(subject: Subject, table: DecisionTable, variant: int) -> Choice:
    """Ask what becomes of the odds between two tokens when T doubles."""
    gaps = table.logits[0] - table.logits[1:9]
    clear = [rank for rank, gap in enumerate(gaps, start=1) if 0.5 < gap < 7 and abs(gap - 2 * math.log(2)) > 0.4]
    if not clear:
        return order_question(variant)
    rank = clear[variant % len(clear)]
    odds = math.exp(float(gaps[rank - 1]))
    first, other = (escape(quoted(subject.token(int(table.tokens[place])))) for place in (0, rank))
    right = to_one(math.sqrt(odds))
    mistakes = {
        to_one(odds / 2): "The logits are halved, not the odds: halving what stands in the exponent takes the root.",
        to_one(odds): "Then the temperature would do nothing. The gap between the logits is half as wide.",
        to_one(1 / odds): "The order never changes: a smaller logit stays smaller, whatever both are divided by.",
    }
    text = (
        f"At T = 1 {first} is {to_one(odds)} likelier than {other}. Their logits are then divided by T = 2. "
        "What are the odds now?"
    )
    why = f"√{odds:.3g} = {math.sqrt(odds):.3g}."
    return Choice.shuffled("hotter", text, [right], why, {right: ""} | mistakes, variant)


def order_question(variant: int) -> Choice:
    """Ask what temperature leaves, for a bet whose tokens are all alike."""
    right = "How far apart the shares are, not their order"
    mistakes = {
        right: "",
        "Another becomes the likeliest": "A larger logit stays larger, whatever both are divided by.",
        "Each share is halved": "Then they would no longer sum to 1.",
        "The model’s bet": "The model has done its part before; it never hears of the temperature.",
    }
    return Choice.shuffled(
        "hotter",
        "The temperature is doubled. What changes?",
        [right],
        "Dividing all logits by the same number brings them closer; their order stays.",
        mistakes,
        variant,
    )


def to_one(odds: float) -> str:
    """Return odds as they are spoken of."""
    return f"{odds:.3g} : 1"


def surprise_question(greedy: float, drawn: float, how: str, variant: int) -> Choice:
    """Ask which of two texts surprises the model less."""
    names = ("The greedy one", "The drawn one", "Both alike")
    right = 2 if abs(greedy - drawn) < 0.005 else 0 if greedy < drawn else 1
    reasons = {
        names[0]: "Each of its tokens was the likeliest, but being likely now is not to be likely all along.",
        names[1]: "A draw takes now and then what the model expects less.",
        names[2]: "Every token that was not the likeliest adds to the mean.",
    }
    text = (
        f"Two texts continue your prompt: one takes the likeliest token each time, the other draws ({how}). A token "
        "surprises the model by −log of its share. Which text surprises it less, token for token?"
    )
    why = f"Mean surprise: greedy {number(greedy)}, drawn {number(drawn)} nats a token."
    return Choice.shuffled("surprise", text, [names[right]], why, {names[right]: ""} | reasons, variant)
