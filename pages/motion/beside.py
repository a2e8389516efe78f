"""A picture that keeps its place when its question is answered: the answer stands beside it, and the step goes on."""

from typing import Any, NamedTuple

import streamlit as st

from pages.look.glossary import introduce
from pages.page.ask import Then
from pages.page.page import Page
from pages.questions.kinds import Question


class Places(NamedTuple):
    """Where a step goes on: under its answer, where its picture was, and where its fields stand."""

    beside: Any
    picture: Any
    fields: Any


def ask_beside(page: Page, question: Question | None, blank: Then, then: Then | None = None) -> Places | None:
    """Ask as `page.ask` does; once it is over, return where the step goes on. On the stage that is under the answer."""
    if page.on_stage or question is None:
        if not page.ask(question, blank, then):
            return None
        picture, beside = st.columns(2, gap="medium")
        return Places(beside, picture, page.fields)
    fields, columns = page.fields, page.ask_beside(question, blank, then)
    page.fields = fields  # for what this step draws above its question
    if columns is None:
        return None
    more = columns[1].container(key=f"{page.name}_{question.name}_more")  # on a phone it stands under the picture
    tell_on(page)
    return Places(more, columns[0], st.container(horizontal=True, vertical_alignment="bottom"))


def tell_on(page: Page) -> None:
    """Say here, and not above the picture, which it would move, what follows from an answer."""
    if page.then and not page.on_stage:
        page.say(introduce(page.then, page.known), "")
        page.then = ""
