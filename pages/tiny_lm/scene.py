"""What is set for every step of the lesson on a small language model: the model in view and its prompt."""

import streamlit as st

from pages.page.steps import Steps
from pages.tiny_lm.model_in_view import NAMES, OWN, WHEN, Subject, chosen_subject

ALWAYS = {"copy": "recall"}  # a step about one model, whatever the sidebar names


def choose_scene(steps: Steps) -> Subject:
    """Draw the settings: the model, its checkpoint, and the prompt; return the model in view."""
    page, has_model, has_prompt = steps.page, steps.name != "tokens", steps.name not in ("tokens", "train")
    if has_model:
        with page.scene:
            st.subheader("Model", anchor=False)
            page.controls.select("model", "Model", [*NAMES, OWN], next(iter(NAMES)))
            page.controls.dial("when", "Checkpoint", WHEN, WHEN[-1])
    with page.fields:
        subject, note = chosen_subject(page, ALWAYS.get(steps.name), field=has_prompt)
    if has_prompt:
        steps.note(note)
    if has_model and steps.name not in ALWAYS and not subject.brought:
        with page.scene:
            page.write(f"Checkpoint after step {subject.step:,} of {subject.steps[-1]:,}.", "note")
    return subject
