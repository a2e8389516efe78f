"""The patterns of every head over many texts, before and after training."""

import streamlit as st

from attention_core.experiments.inside.head_patterns import patterns, uniform_patterns
from pages.page.page import Page
from pages.server.model_cache import is_kept
from pages.tiny_lm.checkpoints import moments_of, patience, record_model
from pages.tiny_lm.common import head_names
from pages.tiny_lm.heads.habits import enlarged, even_question, name_table
from pages.tiny_lm.heads.over_texts import grown_question, pattern_map, texts
from pages.tiny_lm.model_in_view import Subject


def draw_patterns(page: Page, scene: Subject) -> bool:
    """Show the patterns of every head over many texts before and after training, name them, and enlarge one."""
    checkpoints = moments_of(scene)
    untrained = record_model(page, checkpoints[0])
    rows, which = texts(page, scene, record_model(page, checkpoints[-1]))
    with patience("Measuring every head over many texts", is_kept(patterns, scene.model, rows)):
        before = page.recipe.run_once("before", patterns, untrained, rows)
        after = page.recipe.run_once("after", patterns, scene.model, rows)
        even = page.recipe.run_once("uniform", uniform_patterns, scene.model, rows)
    finished = page.recipe.run_once("finished", patterns, checkpoints[-1].model, rows)
    names, first_step = head_names(*after.previous.shape), checkpoints[0].step
    if not scene.brought and not page.ask(grown_question(before, finished)):
        return False
    columns = st.columns(2, gap="large")
    sides = [
        (before, f"Step {first_step:,}" + (": untrained" if first_step == 0 else ""), "before"),
        (after, f"Step {scene.step:,}", "after"),
    ]
    if scene.brought:  # a file holds no other checkpoint
        sides = [(after, "The model of your file", "after")]
    for column, (found, title, name) in zip(columns, sides, strict=False):
        with column:
            page.heading(title, small=True)
            pattern_map(page, found, even, names, name)
    page.write(
        "Rows are heads, columns patterns: mean attention weights, and the entropy as a fraction of its maximum. "
        f"Outlined: the largest of each column. Last row: uniform attention. Measured over {which}. {scene.origin}",
        "note",
    )
    page.say(
        "A mean over so few texts can miss a head. Induction shows best in repeated random tokens, as in the step "
        "*copy*.",
        "note",
    )
    if any(scene.model.config.slopes or ()):
        page.write(
            "Some heads of this model have a penalty on distance (ALiBi), so they prefer near tokens even "
            "untrained. That is built in, not learned.",
            "note",
        )
    length = rows.shape[1]
    if length > 1 and not page.ask(even_question(length, scene.model.config.causal, float(even.first[0, 0]))):
        return True
    page.heading("The clearest pattern of each head")
    name_table(page, None if scene.brought else before, after, even, names)
    enlarged(page, scene, after, even, names)
    page.drawing.pictured = "inside.weights[0, 0]"
    return True
