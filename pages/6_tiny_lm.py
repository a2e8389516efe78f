"""Lesson 6: a small language model: what it predicts, how it was trained, and what happens inside."""

import attention_core  # noqa: F401  whole before its parts: pages opened at once would deadlock
from pages.memory import positional_encoding, tiny_lm
from pages.memory.now import recall
from pages.page.page import begin
from pages.page.steps import Steps
from pages.practice.exercise_page import practise
from pages.tiny_lm import (
    bench,
    bet,
    cache,
    copy,
    draw,
    gradient,
    grouped,
    lens,
    loss,
    now_inside,
    now_learns,
    now_writes,
    parts,
    real,
    time,
    tokens,
    train,
)
from pages.tiny_lm.scene import WORDS, choose_scene
from pages.tiny_lm.train.live import take_trained

PATH = (tokens, bet, parts, draw, cache, now_writes, loss, train, time, now_learns, copy, bench, lens, real, now_inside)
PARTS = {"Writes": tokens, "Learns": loss, "Looks inside": copy}
DOORS = {grouped: cache, gradient: loss}

page = begin("tiny_lm", "Tiny LM", WORDS, *(step.STEP.link_words for step in (*PATH, *DOORS)))
take_trained(page)
steps = Steps(page, PATH, DOORS, PARTS)
recall(steps, "Positional Encoding", positional_encoding.QUESTIONS)
recall(steps, "Writes", tiny_lm.QUESTIONS_WRITES, train)
recall(steps, "Learns", tiny_lm.QUESTIONS_LEARNS, copy)
steps.draw(choose_scene)
page.offer_examples()
page.finish(then=practise)
