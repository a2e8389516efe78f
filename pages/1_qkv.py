"""Lesson 1: from word vectors to queries, keys and values, to scores, to weights, to a weighted sum of values."""

import attention_core  # noqa: F401  whole before its parts: pages opened at once would deadlock
from pages.page.page import begin
from pages.page.steps import Steps
from pages.practice.exercise_page import practise
from pages.qkv import change, detail, dot, it, lookup, match, mix, now, projections, softmax, two, x
from pages.qkv.scene import WORDS, choose_scene

PATH = (it, x, projections, match, softmax, mix, now)
DOORS = {dot: match, two: match, detail: softmax, change: mix, lookup: mix}

page = begin("qkv", "Q/K/V", WORDS, *(step.STEP.link_words for step in (*PATH, *DOORS)))
steps = Steps(page, PATH, DOORS)
steps.draw(choose_scene)
page.offer_examples()
page.finish(then=practise)
