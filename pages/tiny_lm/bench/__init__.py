"""The circuit bench: heads switched off, or patched from a run on another prompt, and what changes after them."""

import streamlit as st

from attention_core.experiments.inside.patching import looks_without_heads
from attention_core.model.activations import insides
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.bench.changes import chosen_bench, link_in_view, other_prompt
from pages.tiny_lm.bench.effects import draw_effects
from pages.tiny_lm.bench.question import bench_question
from pages.tiny_lm.bench.two_runs import draw_runs
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "patching",
    "What depends on this head?",
    "Switch heads off (zero ablation: their outputs become 0). Or **patch** them: take their outputs from a run on "
    "another prompt (activation patching). All later layers run again.",
    words="bench_way cut other spot watch",
)

WAYS = ("switch off", "patch from the other prompt")


def draw(page: Page, scene: Subject) -> bool:
    """Ask which head a later head needs; then show the run with heads changed beside the run as it is."""
    run, model, tokens = page.recipe.run_once, scene.model, scene.tokens
    inside = run("inside", insides, model, tokens)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        way = page.controls.choice("bench_way", "What to do", WAYS, WAYS[0])
        other = other_prompt(page, scene)
    without = run("without", looks_without_heads, model, tokens)
    link = link_in_view(inside, without, tokens != other)
    if scene.step and not page.ask(bench_question(scene, inside, without, link)):
        return False
    bench = chosen_bench(page, scene, inside, other, link, way == WAYS[1])
    draw_runs(page, scene, bench)
    draw_effects(page, scene, bench)
    return True
