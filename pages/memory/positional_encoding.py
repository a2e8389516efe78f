"""What one can do after the lesson on positions."""

import numpy as np

from pages.look.html import number, prose
from pages.questions.kinds import Choice, Mistake, Number

SENTENCES = (("ana calls ben", "ben calls ana"), ("cats chase dogs", "dogs chase cats"), ("red on blue", "blue on red"))
ROUNDS = ((24, 6), (12, 3), (8, 2), (36, 9), (20, 10), (16, 8))  # positions of a round, and steps


def order_question(variant: int) -> Choice:
    """Ask what a head without positions makes of two orders."""
    one, other = SENTENCES[variant % len(SENTENCES)]
    text = prose(
        "A head without mask and positions reads {one}, then {other}. What is true of the output of {first}?",
        one=one,
        other=other,
        first=one.split()[0],
    )
    right = "It is the same vector in both"
    reasons = {
        "It differs, because the word stands elsewhere": "No score and no weighted sum uses where a word stands.",
        "It differs, because other words come before it": "Without a mask the head sees all words, before and after.",
        "It is 0 in the second": "Its scores are the same as before, so its weights and its output are too.",
    }
    why = (
        "It meets the same keys and values, and a sum has no order. Only a position encoding, or a mask, changes this."
    )
    return Choice.of("now_order", text, right, why, reasons, variant)


def turn_question(variant: int) -> Number:
    """Ask how far the hand of a pair rotates between two positions."""
    long, steps = ROUNDS[variant % len(ROUNDS)]
    start = int(np.random.default_rng([variant, 51]).integers(2, 9)) * 10
    right = 360 * steps / long
    text = prose(
        f"The hand of one pair of sinusoids completes a round in {long} positions. By how many degrees does it rotate "
        f"from position {start} to position {start + steps}?"
    )
    likely = (
        Mistake(360 / long, f"That is one step. There are {steps}."),
        Mistake(360 * (start + steps) / long % 360, "That is where the hand points. Count only the steps in between."),
        Mistake(360 * start / long % 360, "That is where the hand points at the start. Count the steps after it."),
        Mistake(float(steps), "That is the number of positions. A round has 360 degrees."),
    )
    mistakes = tuple(mistake for mistake in likely if abs(mistake.value - right) > 1)
    why = f"{steps} of {long} positions are {number(steps / long)} of a round, wherever they begin."
    return Number("now_turn", text, right, 0.5, why, mistakes, "Which part of a round are these steps?", 0)


QUESTIONS = (("now_order", order_question), ("now_turn", turn_question))
