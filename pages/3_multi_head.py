"""Lesson 3: several heads in parallel: what each reads and writes, and what its removal changes."""

from typing import Any

import attention_core  # noqa: F401  whole before its parts: pages opened at once would deadlock
from pages.memory import scaling
from pages.memory.now import recall
from pages.multi_head import across, free, heads, matters, now, off, reads, seeds, ways, writes
from pages.multi_head.scene import WORDS, choose_scene
from pages.page.page import begin
from pages.page.steps import Steps
from pages.practice.exercise_page import practise

PATH = (off, reads, writes, matters, now)
DOORS = {heads: off, seeds: off, ways: reads, free: reads, across: matters}
CROSSED = "the cat didn’t cross the road because it was too tired"
SEVEN = "the cat sat on the warm mat"
PRESETS: dict[str, dict[str, Any]] = {
    "2 heads, width 6": {
        "weights": "random",
        "text": "the cat sat down",
        "d_model": "6",
        "heads": "2",
        "step": "heads",
    },
    "3 causal heads": {
        "weights": "random",
        "text": SEVEN,
        "d_model": "12",
        "heads": "3",
        "causal": True,
        "step": "heads",
    },
    "8 heads, width 64": {
        "weights": "random",
        "text": "the cat sat on the mat",
        "d_model": "64",
        "heads": "8",
        "step": "ways",
    },
    "Trained heads": {"weights": "trained", "text": CROSSED, "step": "heads"},
    "Large weight, little effect": {
        "weights": "random",
        "text": SEVEN,
        "d_model": "16",
        "heads": "8",
        "seed": 578,
        "step": "matters",
        "head": "5",
        "k": "mat",
    },
}

page = begin("multi_head", "Multi-Head", WORDS, *(step.STEP.link_words for step in (*PATH, *DOORS)))
steps = Steps(page, PATH, DOORS)
recall(steps, "Scaling", scaling.QUESTIONS)
steps.draw(choose_scene)
page.presets(PRESETS)
page.finish(weights=None if steps.current in (now, seeds) else "attention.weights[0]", then=practise)
