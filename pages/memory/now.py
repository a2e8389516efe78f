"""The end of a path: two questions from memory, an explanation, and how the questions came out."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from pages.links.course import LATER, LESSONS
from pages.look.facts import of_several
from pages.look.transformer import transformer
from pages.memory.tomorrow import offer_tomorrow
from pages.page.ask import AT_ONCE, ask, outcomes, variant
from pages.page.canvas import block
from pages.page.page import Page, how_answered
from pages.page.reruns import fragment
from pages.page.steps import NOW, Step, StepModule, Steps
from pages.questions.kinds import Question

Asked = Sequence[tuple[str, Callable[[int], Question]]]  # the name of each question, and its variants

RECALLED = 2  # questions that the next lesson begins with
OFFSET = 7  # of their variants, so that they are others than at the end of the lesson


EXPLAINED = "Two questions from memory, then your own explanation, tested by experiments."
Explain = Callable[[Page], bool]  # asks for an explanation; False while it is not whole


def ending(claim: str, then: str = "") -> Step:
    return Step("you can now", claim, EXPLAINED + then)


def asks(questions: Asked, explain: Explain, whole: bool = False) -> Callable[[Page, Any], bool]:
    """Return what draws the end of a path."""
    return lambda page, _: draw_end(page, questions, explain, whole)


def draw_end(page: Page, questions: Asked, explain: Explain, whole: bool = False) -> bool:
    """Ask the questions, then for an explanation, one after another; perhaps show the whole transformer."""
    here = page.controls.known["step"].value  # a lesson in parts has several ends
    later = page.controls.bare_text(LATER, "A day later", "", lambda raw: raw.startswith(NOW)) == here
    if later:
        questions = [(f"{LATER}_{name}", partial(later_variant, make)) for name, make in questions]
    for name, make in questions:
        if not page.ask(page.question(name, make)):
            return False
    (lesson,) = (one for one in LESSONS if one.name == page.name)
    if not explain(page):
        return False
    if later and (kept := outcomes(page.name, [name for name, _ in questions])):
        page.write(f"From memory, right at once: {of_several(kept.count(AT_ONCE), len(kept), 'question')}.", "note")
    done = outcomes(page.name, lesson.questions)
    if told := how_answered(done):
        page.write(f"{told}.", "note")
        left = [step for name, step in lesson.questions.items() if not outcomes(page.name, [name])]
        first = next((step for step in left if step != here), None)
        if first and "step" not in page.controls.locked:
            label = f"Questions still open in this lesson: {len(left)}. The first: {page.labels[first]} →"
            st.button(label, f"{page.name}_open", type="tertiary", on_click=partial(page.controls.put, step=first))
    offer_tomorrow(page)
    if whole:
        page.shown.append(block(transformer(page.name), ""))
        st.markdown(page.shown[-1], unsafe_allow_html=True)  # st.html leaves SVG out
    return True


def later_variant(make: Callable[[int], Question], variant: int) -> Question:
    """Return a variant that the day before did not ask, under a name of its own, so that first tries are counted."""
    question = make(variant + 2 * OFFSET)
    return question._replace(name=f"{LATER}_{question.name}")


def recall(steps: Steps, lesson: str, questions: Asked, at: StepModule | None = None) -> None:
    """Offer, at the first step or at another one, questions from what was before; who skips them misses nothing."""
    if steps.current is not (at or steps.path[0]) or "ask" in steps.page.controls.locked:
        return
    name = steps.page.name

    def draw() -> None:
        with st.expander(
            f"From memory: two questions on {lesson}", key=f"{name}_recall", on_change="rerun"
        ) as expander:
            if not expander.open:
                return
            for _, make in questions[:RECALLED]:
                question = make(variant(name, f"recall_{make(0).name}") + OFFSET)
                if not ask(name, question._replace(name=f"recall_{question.name}")):
                    return

    with steps.page.body:
        fragment(draw)
