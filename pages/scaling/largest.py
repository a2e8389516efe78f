"""The largest weight of a row along d_k."""

from pages.page.page import Page
from pages.page.steps import Step
from pages.scaling.over_widths import ROWS, Measure, show_measure
from pages.scaling.scene import Trials

STEP = Step(
    "peak",
    "Dividing by √dₖ keeps rows about equally peaked",
    "The largest weight of a row shows how peaked the row is. Here are random trials, some queries and keys each, at "
    "every d_k. Uniform weights pick out nothing. Weights that are peaked from the start may train badly.",
    experiment="largest_d_k largest_divide",
)

MEASURE = Measure("largest_in_row", "largest weight of a row", (0, 1), of=ROWS)


def draw(page: Page, scene: Trials) -> None:
    """Show the largest weight of a row along d_k."""
    show_measure(page, scene, MEASURE)
