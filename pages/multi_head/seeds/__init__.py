"""Whether a head has a fixed job: the same heads from other seeds."""

from attention_core.experiments.scaling.head_metrics import measure_heads
from pages.multi_head.scene import HeadScene, optional
from pages.multi_head.seeds.other_seeds import compare_seeds
from pages.multi_head.seeds.retrained import compare_trainings
from pages.page.page import Page
from pages.page.steps import Step

STEP = Step(
    "other seeds",
    "Does a head have a fixed job?",
    "A **seed** fixes what is random, such as the start of a training. Here are as many heads from other seeds.",
    words="job measure",
)


def draw(page: Page, scene: HeadScene) -> None:
    """Show what other seeds make of the heads."""
    if scene.kind == "trained":
        compare_trainings(page)
        return
    weights, blocked = scene.attention.weights, optional(scene.blocked)
    compare_seeds(page, scene, page.recipe.run("measures", measure_heads, weights, scene.words, *blocked))
