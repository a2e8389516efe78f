"""What one can do after the lesson on scaling."""

import math

from attention_core.experiments.scaling.random_scores import expected_variance
from pages.look.html import number, prose
from pages.questions.kinds import Choice, Mistake, Number

WIDTHS = (64, 144, 256, 100)
HOW = {"nothing": "without dividing the scores", "d_k": "with the scores divided by d_k"}


def spread_question(variant: int) -> Number:
    """Ask for the standard deviation of scores, from their width."""
    d_k = WIDTHS[variant % len(WIDTHS)]
    right = math.sqrt(float(expected_variance("nothing", (d_k,))[0]))
    text = prose(
        f"Queries and keys have {d_k} entries each, random and independent, with mean 0 and variance 1. What is the "
        "standard deviation of their scores q · k?"
    )
    mistakes = (
        Mistake(d_k, "That is the variance. The standard deviation is its square root."),
        Mistake(1, "That holds after dividing by the root. Here nothing divides the scores."),
        Mistake(d_k**2, "Variances are added, not multiplied. And the standard deviation is a root."),
        Mistake(2 * d_k, "Each pair of entries gives one product. Then take the root."),
    )
    why = f"{d_k} variances of 1 add up to {d_k}, and √{d_k} = {number(right, 0)}."
    return Number("now_spread", text, right, 0.4, why, mistakes, "Add up the variances of the products.", 0)


def divisor_question(variant: int) -> Choice:
    """Ask what dividing by another number does to a row."""
    d_k = WIDTHS[variant % len(WIDTHS)]
    by = ("nothing", "d_k")[variant % 2]
    text = prose(f"A head has d_k = {d_k} and random matrices. What do its rows of weights look like, {HOW[by]}?")
    one, same = "One key has nearly all the weight", "All keys have nearly the same weight"
    deviation = math.sqrt(d_k) if by == "nothing" else 1 / math.sqrt(d_k)
    why = f"The scores then have a standard deviation of {number(deviation)}, where √d_k gives 1."
    wrong = {
        one: "For that, the scores would have to lie far apart. Dividing by more brings them together.",
        same: "For that, the scores would have to be nearly equal. They lie far apart if nothing divides them.",
        "As with √d_k": "Only √d_k keeps the standard deviation of the scores at 1 for every width.",
    }
    return Choice.of("now_divisor", text, one if by == "nothing" else same, why, wrong)


QUESTIONS = (("now_spread", spread_question), ("now_divisor", divisor_question))
