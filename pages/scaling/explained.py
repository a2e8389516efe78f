"""Why scores are divided by √d_k: the statements of the second lesson, tested on random queries and keys."""

import math

import numpy as np

from attention_core.equations.softmax import softmax
from attention_core.experiments.scaling.head_metrics import jacobian_norm
from attention_core.experiments.scaling.random_scores import DIVISORS, values_of
from pages.memory.explain import Experiment, Statements, Tried, explain, statements
from pages.page.page import Page
from pages.scaling.scene import LENGTH

MANY = 100  # trials of a width
NARROW, WIDER, WIDEST = 4, 16, 512
NOTHING, ROOT, WIDTH = range(len(DIVISORS))
BY = ("not divided", "divided by √d_k", "divided by d_k")
SAID = {
    "spread": "From d_k = 4 to d_k = 16, the scores q · k lie {gap} as far apart.",
    "collapse": "If nothing divides the scores, the largest weights {gap} as heads get wider.",
    "gradient": "A row in which one weight is near 1 passes {gap} a row of equal weights.",
    "root": "Divided by √d_k, scores have a standard deviation of {gap}, whatever the width.",
    "width": "If d_k itself divides them, the weights of a wide head are {gap}.",
}


def draw(page: Page) -> bool:
    return explain(page, "Explain why scores are divided by √d_k", statements_of())


def statements_of() -> Statements:
    """Return what is said of the scores of random heads, and of a row that is nearly decided."""
    spread = of_random_heads("variance", "standard deviation of the scores", (NARROW, NOTHING), (WIDER, NOTHING), 0)
    root = of_random_heads("variance", "standard deviation of the scores", (NARROW, ROOT), (WIDEST, ROOT), 1)
    wider = of_random_heads("largest_in_row", "mean of the largest weights", (NARROW, NOTHING), (WIDEST, NOTHING))
    width = of_random_heads("largest_in_row", "mean of the largest weights", (WIDEST, ROOT), (WIDEST, WIDTH))
    flat, sharp = (float(jacobian_norm(softmax(np.array([score, 0, 0, 0])))) for score in (0.0, 8.0))
    raised = Experiment("Of four equal scores, one is raised by 8.", "the size of the row’s slopes", flat, sharp)
    experiments: Tried = {
        "spread": {"twice": (4.0, spread), "four times": (8.0, spread), "just": (2.0, spread)},
        "collapse": {"grow": ("rises", wider), "shrink": ("falls", wider), "stay": ("stays", wider)},
        "gradient": {
            "less gradient than": ("falls", raised),
            "more gradient than": ("rises", raised),
            "the same gradient as": ("stays", raised),
        },
        "root": {"1": (1.0, root), "√d_k": (math.sqrt(WIDEST), root), "d_k": (float(WIDEST), root)},
        "width": {
            "nearer to equal than with √d_k": ("falls", width),
            "sharper than with √d_k": ("rises", width),
            "the same as with √d_k": ("stays", width),
        },
    }
    return statements(SAID, experiments)


def of_random_heads(
    measure: str, name: str, first: tuple[int, int], then: tuple[int, int], digits: int = 2
) -> Experiment:
    """Measure random heads of one width and divisor, then others."""
    (narrow, by), (wide, other) = first, then
    done = f"{MANY} random heads with d_k = {narrow}, scores {BY[by]}, then {BY[other]}."
    if by == other:
        done = f"{MANY} random heads with d_k = {narrow}, then {MANY} with d_k = {wide}, scores {BY[by]}."
    found = (float(values_of(measure, d_k, LENGTH, MANY, 0)[which].mean()) for d_k, which in (first, then))
    before, after = (one**0.5 if measure == "variance" else one for one in found)
    return Experiment(done, f"the {name}", before, after, digits)
