"""Lesson 3: several heads in parallel: what each reads and writes, and what its removal changes."""

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

page = begin("multi_head", "Multi-Head", WORDS, *(step.STEP.link_words for step in (*PATH, *DOORS)))
steps = Steps(page, PATH, DOORS)
recall(steps, "Scaling", scaling.QUESTIONS)
steps.draw(choose_scene)
page.offer_examples()
page.finish(then=practise)
