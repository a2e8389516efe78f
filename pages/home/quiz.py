"""Questions to take to the page of a course: those that need no picture, one file a lesson."""

from functools import partial
from pathlib import Path

import streamlit as st

from pages.links.course import LESSONS, Lesson
from pages.memory import causal_mask, multi_head, positional_encoding, qkv, scaling, tiny_lm, tiny_lm_inside
from pages.memory.now import Asked
from pages.practice.task_page import questions_of_tasks
from pages.questions.kinds import Choice, Number
from pages.teaching.quiz_files import Item, gift

FROM_MEMORY: dict[str, Asked] = {
    "qkv": qkv.QUESTIONS,
    "scaling": scaling.QUESTIONS,
    "multi_head": multi_head.QUESTIONS,
    "causal_mask": causal_mask.QUESTIONS,
    "positional_encoding": positional_encoding.QUESTIONS,
    "tiny_lm": (*tiny_lm.QUESTIONS_WRITES, *tiny_lm.QUESTIONS_LEARNS, *tiny_lm_inside.QUESTIONS),
}
MOST, LAST_SEED = 20, 9_999
TOLD = Path(__file__).with_name("quiz.md").read_text("utf-8")


def items_of(lesson: Lesson, variants: int, seed: int) -> list[Item]:
    """Return the questions of a lesson and their names: from memory in each variant that asks otherwise, then tasks."""
    found: dict[str, Item] = {}
    for name, make in FROM_MEMORY[lesson.name]:
        for variant in range(seed, seed + variants):
            question = make(variant)
            if isinstance(question, Choice | Number):
                found.setdefault(question.text, (f"{lesson.name} {name} {variant}", question))
    return [*found.values(), *((f"{lesson.name} {task.name}", task) for task in questions_of_tasks(lesson.name))]


def offer_questions() -> None:
    st.markdown(TOLD)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        lesson = st.selectbox("Lesson", LESSONS, format_func=lambda one: one.title, key="_teach_quiz_lesson", width=240)
        variants = st.number_input("Variants", 1, MOST, 10, key="_teach_quiz_variants", width=110)
        seed = st.number_input("Seed", 0, LAST_SEED, 100, key="_teach_quiz_seed", width=110)
        file = f"attention-{lesson.name}-questions.gift.txt"
        make = partial(lambda *which: gift(lesson.title, items_of(*which)), lesson, variants, seed)
        st.download_button("GIFT", make, file, "text/plain", key="teach_quiz_gif", on_click="ignore")
