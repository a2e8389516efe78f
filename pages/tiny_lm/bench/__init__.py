"""The circuit bench: heads patched from a run on another prompt, set to their mean or to zero, and what follows."""

from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.bench.changes import chosen_bench
from pages.tiny_lm.bench.two_runs import draw_runs, draw_texts
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "patching",
    "What depends on this head?",
    "**Patch** a head: give it the output that it has in a run on another prompt (activation patching). Or give it its "
    "mean output, or zero (zero-ablation). All later layers run again.",
    words="bench_way cut other spot watch",
)


def draw(page: Page, scene: Subject) -> None:
    """Show the run with heads changed beside the run as it is."""
    bench = chosen_bench(page, scene)
    draw_runs(page, scene, bench)
    page.look_closer("What the model writes next", lambda: draw_texts(page, scene, bench))
