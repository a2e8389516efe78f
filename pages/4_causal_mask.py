"""Lesson 4: who may look at whom, and what goes wrong when a mask is put in the wrong place."""

from typing import Any

import attention_core  # noqa: F401  whole before its parts: pages opened at once would deadlock
from pages.causal_mask import added, cheats, laboratory, leak, now, paint, predictions, see, shuffle
from pages.causal_mask.scene import WORDS, choose_scene, painted
from pages.memory import multi_head
from pages.memory.now import recall
from pages.page.page import begin
from pages.page.steps import Steps
from pages.practice.exercise_page import practise

PATH = (predictions, cheats, see, laboratory, leak, now)
DOORS = {added: laboratory, paint: leak, shuffle: leak}
PRESETS: dict[str, dict[str, Any]] = {
    "A sliding window over two layers": {"pattern": "sliding window", "size": 2, "step": "paint"},
    "Mask the diagonal too (an empty row)": {
        "paint": painted([(i, i) for i in range(24)]),
        "pattern": "causal",
        "step": "paint",
    },
    "A trained head": {"weights": "trained", "step": "see"},
}

page = begin("causal_mask", "Causal Mask", WORDS, *(step.STEP.link_words for step in (*PATH, *DOORS)))
steps = Steps(page, PATH, DOORS)
recall(steps, "Multi-Head", multi_head.QUESTIONS)
steps.draw(choose_scene)
page.presets(PRESETS)
page.finish(weights=None if steps.current is now else "masked.weights", then=practise)
