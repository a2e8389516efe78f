"""Lesson 5: attention uses no positions by itself, and four ways to encode them."""

import attention_core  # noqa: F401  whole before its parts: pages opened at once would deadlock
from pages.memory import causal_mask
from pages.memory.now import recall
from pages.page.page import begin
from pages.page.steps import Steps
from pages.positional_encoding import add, alike, beyond, clinic, clocks, compare, now, order, rope, simple, waves
from pages.positional_encoding.scene import WORDS, choose_scene
from pages.practice.exercise_page import practise

PATH = (order, simple, waves, clocks, rope, beyond, now)
DOORS = {add: simple, alike: waves, clinic: rope, compare: beyond}

page = begin("positional_encoding", "Positional Encoding", WORDS, *(step.STEP.link_words for step in (*PATH, *DOORS)))
steps = Steps(page, PATH, DOORS)
recall(steps, "Causal Mask", causal_mask.QUESTIONS)
steps.draw(choose_scene)
page.offer_examples()
page.finish(then=practise)
