"""The circuit bench: heads patched from a run on another prompt, set to their mean or to zero, and what follows."""

from attention_core.experiments.inside.patching import looks_without_heads
from attention_core.model.activations import insides
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.bench.changes import WAYS, chosen_bench, link_in_view, other_prompt, outputs_instead
from pages.tiny_lm.bench.effects import draw_effects
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
    run, model, tokens = page.recipe.run_once, scene.model, scene.tokens
    inside = run("inside", insides, model, tokens)
    with page.sidebar:
        other = other_prompt(page, scene)
    differs = bool((tokens != other).any())
    instead = outputs_instead(page, scene, other, WAYS[0] if differs else WAYS[1])
    without = run("without", looks_without_heads, model, tokens, instead)
    link = link_in_view(inside, without)
    bench = chosen_bench(page, scene, inside, other, link)
    draw_runs(page, scene, bench)
    page.look_closer("Every head, at every position", lambda: draw_effects(page, scene, bench))
    page.look_closer("What the model writes next", lambda: draw_texts(page, scene, bench))
