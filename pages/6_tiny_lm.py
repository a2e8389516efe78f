"""Lesson 6: a small language model: what it predicts, how it was trained, and what happens inside."""

import attention_core  # noqa: F401  whole before its parts: pages opened at once would deadlock
from pages.page.page import begin
from pages.page.steps import Steps
from pages.practice.exercise_page import practise
from pages.tiny_lm import (
    bench,
    bet,
    cache,
    contributions,
    copy,
    cost,
    draw,
    gradient,
    heads,
    induction,
    lens,
    loss,
    now_inside,
    parts,
    real,
    stream,
    time,
    tokens,
    train,
)
from pages.tiny_lm.scene import WORDS, choose_scene

PATH = (tokens, bet, draw, cache, loss, gradient, train, time, copy, bench, lens, real, now_inside)
PARTS = {"Writes": tokens, "Learns": loss, "Looks inside": copy}
DOORS = {parts: bet, cost: cache, heads: copy, induction: copy, contributions: lens, stream: lens}
PRESETS = {
    "What does “it” refer to?": {"step": "bet", "model": "Toy English", "text": "the small dog found a kite and it"},
    "Train copying heads": {"step": "train", "learn": "Copy task"},
    "Attention that cancels a vector": {"model": "Toy English", "step": "stream"},
    "Layer by layer (Bible)": {"model": "King James Bible", "step": "lens"},
}

page = begin("tiny_lm", "Tiny LM", WORDS, *(step.STEP.link_words for step in (*PATH, *DOORS)))
steps = Steps(page, PATH, DOORS, PARTS)
steps.draw(choose_scene)
page.presets(PRESETS)
page.finish(then=practise)
