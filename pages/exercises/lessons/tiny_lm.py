"""Exercises at the end of the lesson on a small language model."""

import numpy as np

from attention_core.arrays import Array
from attention_core.model.generate import choose
from pages.exercises.exercise import Case, Exercise
from pages.exercises.faults.sampling import VARIANTS
from pages.exercises.lessons.cached import CACHE
from pages.exercises.lessons.induction import INDUCTION_HEAD, INDUCTION_SCORE
from pages.exercises.lessons.learning import ATTENTION_BACKWARD, CROSS_ENTROPY
from pages.exercises.tasks import fill_in, predict, put_in_order
from pages.exercises.texts import TEXTS

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
    **TEXTS["next_token"], reference=next_token, cases=choices, repeats=9, writes=True, variants=VARIANTS
)
EXERCISES = (NEXT_TOKEN, CACHE, CROSS_ENTROPY, ATTENTION_BACKWARD, INDUCTION_SCORE, INDUCTION_HEAD)

TASKS = (
    predict("exercise_token", 2.0, (1.0, 0.0), digits=0),
    fill_in("exercise_temperature"),
    put_in_order("exercise_token_order"),
)
