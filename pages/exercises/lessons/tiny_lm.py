"""Exercises at the end of the lesson on a small language model."""

import numpy as np

from attention_core.arrays import Array
from attention_core.model.generate import choose
from pages.exercises.exercise import Case, Exercise
from pages.exercises.faults.sampling import VARIANTS
from pages.exercises.lessons.cached import CACHE
from pages.exercises.lessons.induction import INDUCTION_HEAD, INDUCTION_SCORE
from pages.exercises.lessons.learning import ATTENTION_BACKWARD, CROSS_ENTROPY
from pages.exercises.tasks import Lines, fill_in, predict
from pages.exercises.texts import TEXTS
from pages.look.html import prose
from pages.questions.kinds import Mistake

N_TOKENS, N_CASES, MOST_TRIES = 7, 10, 200
LOGITS = np.arange(-250, 251) / 100
ROUNDING = 0.001  # far more than what a right answer may add up otherwise than the reference
WORKED = (np.array([1.0, 3.0, 2.0, 0.0]), 1.0, 3, 0.7)


def next_token(logits: Array, temperature: float, top_k: int, u: float) -> Array:
    """Return the token that a random number selects."""
    return np.array(choose(logits, temperature, top_k, None, u, 0).token)


def choices(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return choices in which no two mistakes give the same tokens, so that one is never taken for the other."""
    for _ in range(MOST_TRIES):
        cases = [Case("the worked example", WORKED), *(sure(rng, number) for number in range(1, N_CASES))]
        ways = [((), next_token), *VARIANTS]
        tokens = {(tuple(int(way(*case.arguments)) for case in cases), mistakes) for mistakes, way in ways}
        if len({chosen for chosen, _ in tokens}) == len(tokens):
            break
    return (*cases, Case("large numbers", (np.array([1000.0, 1002.0, 1001.0]), 1.0, 2, 0.9), large=True))


def sure(rng: np.random.Generator, number: int) -> Case:
    """Return one random choice on which all right answers agree: no ties, no cumulative probability right at `u`."""
    while True:
        logits = rng.choice(LOGITS, N_TOKENS, replace=False)
        temperature, top_k = float(rng.choice([0.5, 1.5, 2.0])), int(rng.integers(2, 5))
        u = round((number - rng.random()) / (N_CASES - 1), 3)  # spread, so that a few fall high and a few low
        below, above = (next_token(logits, temperature, top_k, u + shift) for shift in (-ROUNDING, ROUNDING))
        if below == above and u + ROUNDING < 1:
            return Case(f"choice {number}", (logits, temperature, top_k, u))


NEXT_TOKEN = Exercise(
    **TEXTS["next_token"],
    reference=next_token,
    cases=choices,
    repeats=9,
    writes=True,
    variants=VARIANTS,
)
EXERCISES = (NEXT_TOKEN, CACHE, CROSS_ENTROPY, ATTENTION_BACKWARD, INDUCTION_SCORE, INDUCTION_HEAD)

TASKS = (
    predict(
        "next_token",
        "exercise_token",
        "Tokens 0, 1 and 2 have the probabilities 0.2, 0.5 and 0.3, which are added up, the largest first. "
        "Which token does the random number 0.6 select?",
        2.0,
        "With token 1 the sum is 0.5, which is not above 0.6. With token 2 it is 0.8, which is.",
        (
            Mistake(1.0, "Only numbers below 0.5 select token 1. Add the next largest probability, 0.3."),
            Mistake(0.0, "Token 0 is the least likely, so it comes last. Only numbers from 0.8 on select it."),
        ),
        "Add the probabilities up, the largest first, until the sum is above 0.6.",
        0,
    ),
    fill_in(
        NEXT_TOKEN,
        "exercise_temperature",
        "Which expression applies the temperature?",
        "logits / temperature",
        "A high temperature brings the logits closer together, so the probabilities become more similar.",
        {
            "logits * temperature": "Then a high temperature would make the most likely token even more likely.",
            "logits": "Then the temperature has no effect.",
            "logits - temperature": "Subtracting one number from all logits does not change the softmax.",
        },
    ),
    Lines(
        "next_token",
        "exercise_token_order",
        prose("Put the lines of one step of generation in order."),
        (
            "def next_token(logits, temperature, top_k, u):",
            "    scaled = logits / temperature",
            "    order = np.argsort(-scaled)[:top_k]",
            "    e = np.exp(scaled[order] - scaled[order[0]])",
            "    sums = np.cumsum(e) / e.sum()",
            "    return order[np.argmax(sums > u)]",
        ),
        prose("Temperature, order, exponentials, cumulative probability, and then the random number."),
    ),
)
