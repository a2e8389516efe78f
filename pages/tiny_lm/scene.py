"""What is set for every step of the lesson on a small language model: the model in view and its prompt."""

import streamlit as st
from markupsafe import Markup

from pages.page.buttons import put_button
from pages.page.page import Page
from pages.page.steps import Steps
from pages.tiny_lm.model_in_view import NAMES, OWN, WHEN, Subject, chosen, fits, own_model, subject_of

WORDS = (  # of a link, for controls that several steps have
    "at drawn greedy head k letters model new off prompt q seed story temperature text top_k top_p when"
)

ALWAYS = {"copy": "recall"}  # steps about one model, whatever the sidebar names, or one’s own of that kind
OWN_TEXT = ("tokens", "real", "grouped")  # steps about a text or models of their own, none in the list
OF_OTHERS = ("train",)  # steps that choose themselves what they are about
FINISHED = ("time",)  # steps about all checkpoints
DEEP = ("bench",)  # steps about what later layers read of earlier ones


def choose_scene(steps: Steps) -> Subject:
    """Draw the settings: the model, its checkpoint, and the prompt; return the model in view."""
    page, has_model = steps.page, steps.name not in (*OWN_TEXT, *OF_OTHERS)
    with page.sidebar:
        if has_model:
            st.subheader("Model", anchor=False)
        elif steps.name in OF_OTHERS:  # training sets them, and leads to the steps that show them
            page.controls.leave_out("model", "when")
        if steps.name in ALWAYS:  # which names its model, and offers the other one
            page.controls.leave_out("model")
        if steps.name not in OWN_TEXT:
            page.controls.select("model", "Model", [*NAMES, OWN], next(iter(NAMES)))
            page.controls.dial("when", "Checkpoint", WHEN, WHEN[-1])
        if finished := steps.name in FINISHED:
            page.controls.leave_out("when")
    always = ALWAYS.get(steps.name)
    source, gone = chosen(page, always)
    if shallow := steps.name in DEEP and source.config.n_layers == 1:
        lost, (source, gone) = gone, chosen(page, "recall")
        always = "recall"
    with page.fields:
        subject, note = subject_of(page, source, field=has_model, finished=finished)
    if shallow and subject.model.config.n_layers > 1:
        why = "No model of your own is here." if lost else "The model in the list has one layer. This step needs two."
        steps.note(f"{why} This is the model of the Copy task.")
    if has_model:
        steps.note(gone or note)
    if has_model and steps.name in ALWAYS:
        name_model(page, subject, always)
    if has_model and always is None and not subject.brought and not finished:
        with page.sidebar:
            page.write(f"Checkpoint after step {subject.step:,} of {subject.steps[-1]:,}.", "note")
    return subject


def name_model(page: Page, subject: Subject, kind: str | None) -> None:
    """Say in a step about one model which one it is; offer one’s own of that kind, or the one that ships."""
    with page.fields:
        page.write(Markup("Model: <b>{}</b>").format(subject.title), "note")
        if kind and fits(own_model(), kind):
            other = OWN if subject.name == kind else next(label for label, name in NAMES.items() if name == kind)
            fixed = "model" in page.controls.locked
            put_button(page, f"Show {other}", {"model": other}, "other_model", disabled=fixed)
