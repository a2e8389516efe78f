"""The pretrained model of this server as a page uses it: waited for in a line, and said in programs."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from markupsafe import Markup

from attention_core.pretrained import PretrainedModel, find_pretrained, open_gguf
from pages.page.page import Page
from pages.reproduce.recipe import Step
from pages.server.pretrained import LINE, pretrained_model, pretrained_path

KNOWN_AS = {"SmolLM2-135M": "SmolLM2"}  # beginnings of file names


def model_here(page: Page) -> PretrainedModel | None:
    """Return the pretrained model of this server, opened now if it was not; None where its file cannot be read."""
    path = pretrained_path()
    if path is None:
        return None
    try:
        with in_line("Opening the model", known=pretrained_model.cache_info().currsize > 0):
            return pretrained_model(path)
    except ValueError as problem:
        page.say("The file of the pretrained model cannot be read: {problem}.", problem=str(problem))
        return None


def named(model: PretrainedModel) -> str:
    """Return how the course calls a pretrained model: by its file, as the link in the list does."""
    name = path.name if (path := pretrained_path()) else ""
    return next((short for beginning, short in KNOWN_AS.items() if name.startswith(beginning)), "the pretrained model")


def said_real(page: Page, model: PretrainedModel) -> None:
    """Let the page's script know how the model is opened."""
    page.recipe.remember(Step("path", "find_pretrained()", find_pretrained, None))
    page.recipe.remember(Step("model", "open_gguf(path)", open_gguf, model))


@contextmanager
def in_line(text: str, known: bool) -> Iterator[None]:
    """Have the turn to compute with the model, and say until then how many pages are ahead; none if it is known."""
    with st.empty():
        if known:
            yield
            return
        with LINE.turn(say_place), st.spinner(text):
            yield


def say_place(ahead: int) -> None:
    """Say how many pages compute before this one."""
    pages = "one other page computes" if ahead == 1 else f"{ahead} other pages compute"
    st.html(
        Markup('<div class="course note" role="status">{}</div>').format(
            f"You are number {ahead + 1} in line: {pages} with the model first."
        )
    )
