"""Why scores are divided by √d_k: the statements of the second lesson, tested on random queries and keys."""

import math

import numpy as np

from attention_core.data_files import read_table
from attention_core.equations.softmax import softmax
from attention_core.experiments.scaling.head_metrics import jacobian_norm
from attention_core.experiments.scaling.random_scores import DIVISORS, values_of
from pages.memory.explain import Experiment, Statements, explain, statements
from pages.page.page import Page
from pages.scaling.scene import LENGTH

MANY, NARROW, WIDER, WIDEST = 100, 4, 16, 512  # trials of a width, and widths
NOTHING, ROOT, WIDTH = range(len(DIVISORS))
BY = ("not divided", "divided by √d_k", "divided by d_k")
SAID = read_table(__file__)


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
    tried = {"spread": spread, "wider": wider, "raised": raised, "root": root, "width": width}
    return statements(SAID, tried, {}, {"√d_k": math.sqrt(WIDEST), "d_k": float(WIDEST)})


def of_random_heads(
    measure: str, name: str, first: tuple[int, int], then: tuple[int, int], digits: int = 2
) -> Experiment:
    """Measure random heads of one width and divisor, then others."""
    (narrow, by), (wide, other) = first, then
    done = f"{MANY} random heads with d_k = {narrow} and {LENGTH} keys, scores once {BY[by]}, once {BY[other]}."
    if by == other:
        done = f"{MANY} random heads with d_k = {narrow}, then {MANY} with d_k = {wide}, scores {BY[by]}."
    found = (float(values_of(measure, d_k, LENGTH, MANY, 0)[which].mean()) for d_k, which in (first, then))
    before, after = (one**0.5 if measure == "variance" else one for one in found)
    return Experiment(done, f"the {name}", before, after, digits)
