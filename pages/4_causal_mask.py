"""Lesson 4: who may look at whom, and what goes wrong when a mask is put in the wrong place."""

import attention_core  # noqa: F401  whole before its parts: pages opened at once would deadlock
from pages.causal_mask import added, cheats, laboratory, leak, now, paint, predictions, see, shuffle
from pages.causal_mask.scene import WORDS, choose_scene
from pages.memory import multi_head
from pages.memory.now import recall
from pages.page.page import begin
from pages.page.steps import Steps
from pages.practice.exercise_page import practise

PATH = (predictions, cheats, see, laboratory, leak, now)
DOORS = {added: laboratory, paint: leak, shuffle: leak}

page = begin("causal_mask", "Causal Mask", WORDS, *(step.STEP.link_words for step in (*PATH, *DOORS)))
steps = Steps(page, PATH, DOORS)
recall(steps, "Multi-Head", multi_head.QUESTIONS)
steps.draw(choose_scene)
page.offer_examples()
page.finish(then=practise)
