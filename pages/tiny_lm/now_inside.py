"""The end of the course: two questions from memory, an explanation, the whole transformer, and what is next."""

import streamlit as st

from pages.links.course import LESSONS
from pages.look.html import indexed, plain
from pages.look.transformer import MODEL, PARTS
from pages.memory.now import draw_end, ending
from pages.memory.tiny_lm_inside import QUESTIONS
from pages.page.ask import outcomes
from pages.page.buttons import step_link
from pages.page.page import Page
from pages.tiny_lm.explained.inside import draw as explain

STEP = ending("You can now look inside a model", " Then see the whole transformer.")
FIRST = {  # the step of each lesson to which its parts lead
    "qkv": "it",
    "scaling": "collapse",
    "multi_head": "off",
    "causal_mask": "predictions",
    "positional_encoding": "order",
    MODEL: "tokens",
}


def draw(page: Page, _: object) -> bool:
    """Ask what this part was about, and close the course."""
    if not draw_end(page, QUESTIONS, explain, whole=True):
        return False
    with st.container(horizontal=True, gap="small"):
        for lesson in LESSONS:
            parts = [plain(indexed(text)) for text, whose in PARTS if whose == lesson.name]
            step_link(page, lesson.name, FIRST[lesson.name], ", ".join(parts))
    course = all(len(outcomes(lesson.name, lesson.questions)) == len(lesson.questions) for lesson in LESSONS)
    page.head(f"You have finished {'the course' if course else 'this part of the lesson'}")
    return True
