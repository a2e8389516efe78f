"""Lesson 1: from word vectors to queries, keys and values, to scores, to weights, to a weighted sum of values."""

from typing import Any

import attention_core  # noqa: F401  whole before its parts: pages opened at once would deadlock
from pages.page.page import begin
from pages.page.steps import Steps
from pages.practice.exercise_page import practise
from pages.qkv import dot, it, mix, projections, scaled, scores, softmax, two, x
from pages.qkv.formula import draw_formula
from pages.qkv.scene import WORDS, choose_scene

PATH = (it, dot, x, projections, scores, scaled, softmax, two, mix)
ADJECTIVE = {"weights": "hand-made", "job": "adjective to noun", "q": "warm"}
PRESETS: dict[str, dict[str, Any]] = {
    "An adjective finds its noun": ADJECTIVE | {"step": "mix"},
    "Attend to the previous word": {"weights": "hand-made", "job": "previous word", "step": "softmax"},
    "Before training": {"weights": "random", "step": "softmax"},
    "A trained head": {"weights": "trained", "head": "4", "step": "softmax"},
    "Same matrix for Q and K": ADJECTIVE | {"same": True, "step": "two"},
}

page = begin("qkv", "Q/K/V", WORDS, *(step.STEP.link_words for step in PATH))
steps = Steps(page, PATH)
if steps.current is not it:  # what attention is for comes before any formula
    draw_formula(steps)
steps.draw(choose_scene)
page.presets(PRESETS)
weights = None if steps.current is dot else "attention.weights"
page.finish(weights=weights, then=practise)
