"""Lesson 2: why scores are divided by √d_k, measured over many random trials, and what dividing cannot do."""

import attention_core  # noqa: F401  whole before its parts: pages opened at once would deadlock
from pages.memory import qkv
from pages.memory.now import recall
from pages.page.page import begin
from pages.page.steps import Steps
from pages.practice.exercise_page import practise
from pages.scaling import claims, collapse, d_v, gradient, now, overflow, scores, spread, train
from pages.scaling.scene import WORDS, choose_scene

PATH = (collapse, spread, train, gradient, now)
DOORS = {scores: spread, claims: spread, d_v: spread, overflow: gradient}

page = begin("scaling", "Scaling", WORDS, *(step.STEP.link_words for step in (*PATH, *DOORS)))
steps = Steps(page, PATH, DOORS)
recall(steps, "Q/K/V", qkv.QUESTIONS)
steps.draw(choose_scene)
page.offer_examples()
page.finish(then=practise)
