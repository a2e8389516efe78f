"""The pretrained model of this server as a page uses it: waited for in a line, and said in programs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import streamlit as st
from markupsafe import Markup, escape

from attention_core.arrays import Tokens
from attention_core.model.parameters import Model
from attention_core.pretrained import find_pretrained, open_pretrained
from attention_core.shipped.models import model_at
from pages.page.page import Page
from pages.reproduce.recipe import Call
from pages.server.model_cache import cached, is_kept
from pages.server.pretrained import LINE, ModelInWorker, in_worker, pretrained_model, pretrained_path
from pages.tiny_lm.model_in_view import visible

Result = TypeVar("Result")

MAX_TOKENS = 48  # tokens of a text
IN_LINE = Markup(
    '<div class="course note" role="status">You are number {mine} in line: {pages} with the model first.</div>'
)
KNOWN_AS = {"SmolLM2-135M": "SmolLM2"}  # beginnings of file names


def model_here(page: Page) -> ModelInWorker | None:
    """Return the pretrained model of this server, opened now if it was not; None where its file cannot be read."""
    path = pretrained_path()
    if path is None:
        return None
    try:
        with in_line("Opening the model", known=pretrained_model.cache_info().currsize > 0):
            return pretrained_model(path)
    except ValueError as problem:
        page.say("The file of the pretrained model cannot be read: {problem}.", problem=escape(str(problem)))
        return None


def model_name() -> str:
    """Return how the course calls a pretrained model: by its file, as the link in the list does."""
    name = path.name if (path := pretrained_path()) else ""
    return next((short for beginning, short in KNOWN_AS.items() if name.startswith(beginning)), "the pretrained model")


def record_real(page: Page, model: ModelInWorker) -> None:
    """Let the page's script know how the model is opened."""
    page.recipe.remember(Call("path", "find_pretrained()", find_pretrained, None))
    page.recipe.remember(Call("opened", "open_pretrained(path)", open_pretrained, None))
    page.recipe.remember(Call("model", "opened.model", None, model))


def record_toy(page: Page, name: str, model: str) -> Model:
    """Let the page's script know a model of the course, and return it."""
    return page.recipe.model(f"{name}_model", model_at(model), model)


def computed(page: Page, name: str, function: Callable[..., Result], model: ModelInWorker, *arguments: Any) -> Result:
    """Return what a function finds in the model, kept or computed when it is this page's turn; note the call."""
    code, call = page.recipe.call(function, model, *arguments), in_worker(function)
    with in_line("Reading the text", is_kept(call, model, *arguments)):
        result = cached(call, model, *arguments)
    page.recipe.remember(Call(name, code, function, result))
    return result


def pieces_of(real: ModelInWorker, ids: Tokens) -> list[str]:
    return [visible(piece) or "�" for piece in real.tokeniser.pieces(ids)]


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
    st.html(IN_LINE.format(mine=ahead + 1, pages=pages))
