"""The patterns of every head over many texts, before and after training, and the clearest of each."""

import streamlit as st

from attention_core.experiments.inside.head_patterns import (
    CLEAR,
    NOTHING,
    Patterns,
    habits_above,
    patterns,
    uniform_patterns,
)
from pages.look.html import number, table
from pages.page.page import Page
from pages.page.steps import Step
from pages.server.model_cache import is_kept
from pages.tiny_lm.checkpoints import moments_of, patience, record_model
from pages.tiny_lm.common import head_names
from pages.tiny_lm.heads.over_texts import grown_question, pattern_map, texts
from pages.tiny_lm.heads_view import LONG
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "heads",
    "Name a head by what it attends to",
    "Measure each head over many random sequences of the Copy task, in which tokens repeat: there induction shows. "
    "Compare it with uniform attention. Only then name it. A name is not all that a head attends to.",
    asks="What does each head attend to?",
)
NEARLY = 0.05  # a weight that was at most this much smaller was there before training


def draw(page: Page, scene: Subject) -> bool:
    """Show the patterns of every head over many texts before and after training, and name the heads."""
    checkpoints = moments_of(scene)
    untrained = record_model(page, checkpoints[0])
    rows, which = texts(page, scene, record_model(page, checkpoints[-1]))
    with patience("Measuring every head over many texts", is_kept(patterns, scene.model, rows)):
        before = page.recipe.run_once("before", patterns, untrained, rows)
        after = page.recipe.run_once("after", patterns, scene.model, rows)
        even = page.recipe.run_once("uniform", uniform_patterns, scene.model, rows)
    finished = page.recipe.run_once("finished", patterns, checkpoints[-1].model, rows)
    names, first_step = head_names(*after.previous.shape), checkpoints[0].step
    page.prints("largest mean weight of a head on induction", "after.induction.max()")

    def draw_before() -> None:
        page.head(f"Step {first_step:,}" + (": untrained" if first_step == 0 else ""))
        pattern_map(page, before, even, names, "before")

    if not scene.brought and not page.ask(grown_question(before, finished), blank=draw_before):
        return False
    left, right = st.columns(2, gap="large")
    if not scene.brought:  # a file holds no other checkpoint
        with left:
            draw_before()
    with right:
        page.head(f"Step {scene.step:,}")
        pattern_map(page, after, even, names, "after")
    page.write(
        "Rows are heads, columns patterns: mean attention weights, and the entropy as a fraction of its maximum. "
        f"Outlined: the largest of each column. Last row: uniform attention. Measured over {which}. {scene.origin}",
        "note",
    )
    page.look_closer(
        "The clearest pattern of each head", lambda: name_table(page, None if scene.brought else before, after, even)
    )
    return True


def name_table(page: Page, before: Patterns | None, after: Patterns, even: Patterns) -> None:
    """Write the clearest pattern of each head, with its weight and that of uniform attention; `before`: untrained."""
    habits, names = page.recipe.run("clearest", habits_above, after, even), head_names(*after.previous.shape)
    lines, unlearned = [], []
    for place, (pattern, above) in enumerate(zip(habits.pattern.ravel(), habits.above.ravel(), strict=True)):
        if pattern == NOTHING:
            lines.append([names[place], "none of these patterns", "", "", "", number(above)])
            continue
        field = list(LONG)[int(pattern)]
        now, was = ("–" if found is None else number(getattr(found, field).ravel()[place]) for found in (after, before))
        base = number(getattr(even, field)[0, 0])
        more = number(float(now) - float(base))  # of the numbers as they are shown, so that it can be checked
        lines.append([names[place], LONG[field], now, was, base, more])
        if before is not None and float(was) > float(now) - NEARLY:
            unlearned.append(names[place])
    head = ["head", "attends most clearly to", "weight", "untrained", "uniform", "above uniform"]
    page.write(table(head, lines, left=2, folds=True))
    page.write(
        f"If no pattern is {CLEAR} above uniform attention, these measures cannot name the head. It may still do "
        "something that they do not measure.",
        "note",
    )
    if unlearned:
        few = f"Head {unlearned[0]}" if len(unlearned) == 1 else f"Heads {', '.join(unlearned)}"
        page.write(f"{few}: the untrained weight is as large, or nearly. It was there before training.", "note")
