"""What is set for every step of the lesson on a small language model: the model in view and its prompt."""

import streamlit as st
from markupsafe import Markup

from pages.page.buttons import put_button
from pages.page.steps import Steps
from pages.tiny_lm.model_in_view import (
    NAMES,
    OWN,
    WHEN,
    Own,
    Shipped,
    Subject,
    chosen,
    fits,
    kind_of,
    own_model,
    step_inside,
    subject_of,
    title_of,
)

WORDS = (  # of a link, for controls that several steps have
    "at drawn greedy head k letters model new off prompt q seed story temperature text top_k top_p when"
)

ALWAYS = {"copy": "recall"}  # steps about one model, whatever the sidebar names, or one’s own of that kind
OWN_TEXT = ("tokens", "real", "grouped", "gradient")  # steps about a text or models of their own, none in the list
OF_OTHERS = ("train",)  # steps that choose themselves what they are about
FINISHED = ("time",)  # steps about all checkpoints
DEEP = ("bench",)  # steps about what later layers read of earlier ones
UNFIT = {  # why a step shows another model than the one in the list
    "copy": "Your own model was not made for the Copy task in two layers or more, as this step needs.",
    "bench": "The model “{model}” has one layer. This step needs two.",
    "time": "The model “{model}” has one checkpoint, so there is none to compare it with.",
}
ABSENT = {  # why a step is not about a model of one’s own, and the nearest step that is
    "tokens": ("this step is about byte-pair encoding", "bet"),
    "real": ("this step compares models that others can have too", "lens"),
    "grouped": ("its models were trained beforehand", "cache"),
    "gradient": ("this step has a head of three words", "loss"),
}


def choose_scene(steps: Steps) -> Subject:
    """Draw the settings: the model, its checkpoint, and the prompt; return the model in view."""
    page, name, own = steps.page, steps.name, own_model()
    has_model = name not in (*OWN_TEXT, *OF_OTHERS)
    with page.sidebar:
        if has_model:
            st.subheader("Model", anchor=False)
        elif name in OF_OTHERS:  # training sets them, and leads to the steps that show them
            page.controls.leave_out("model", "when")
        if name in ALWAYS:  # which names its model, and offers the other one
            page.controls.leave_out("model")
        if name not in OWN_TEXT:
            page.controls.select("model", "Model", [*NAMES, OWN], next(iter(NAMES)))
            page.controls.dial("when", "Checkpoint", WHEN, WHEN[-1])
        if finished := name in FINISHED:
            page.controls.leave_out("when")
    listed, gone = chosen(page)
    source = chosen(page, ALWAYS[name])[0] if name in ALWAYS else listed
    if kind := nearest(name, listed):
        source = Shipped(kind)
    with page.fields:
        subject, note = subject_of(page, source, field=has_model, finished=finished)
        if has_model and (own or name in ALWAYS):
            name_model(steps, subject)
    if kind or (gone and name in ALWAYS):
        why = "No model of your own is here." if gone else UNFIT[name].format(model=title_of(listed.name))
        steps.note(f"{why} Shown instead: {subject.title}.")
    elif has_model:
        steps.note(gone or note)
    elif own and name in ABSENT:
        why, where = ABSENT[name]
        steps.note(f"Your own model is not shown here, because {why}.")
        put_button(
            page,
            f"{'Back to' if name == 'real' else 'Go on with'} your own",
            {"model": OWN, "step": where},
            "own_elsewhere",
        )
    if has_model and name not in ALWAYS and not kind and (gone or (len(subject.steps) > 1 and not finished)):
        with page.sidebar:
            page.write(f"In view: {subject.title}, after step {subject.step:,} of {subject.steps[-1]:,}.", "note")
    return subject


def nearest(step: str, source: Shipped | Own) -> str:
    """Return which model that ships a step shows in place of one that has nothing to show there."""
    if step == "copy" and isinstance(source, Own):
        return "" if fits(source, "recall") else "recall"
    if step in DEEP and source.config.n_layers == 1:
        return "recall"
    return (kind_of(source) or "stories") if step in FINISHED and len(source.steps) == 1 else ""


def name_model(steps: Steps, subject: Subject) -> None:
    """Say whose model is in view; offer one’s own, here or where it has something to show, or the one that ships."""
    page, own = steps.page, own_model()
    page.write(Markup("Model: <b>{}</b>").format(subject.title), "note")
    if own is None:
        return
    if subject.source is own:
        label = title_of(kind_of(own) or "stories")
        values = {"model": label}
    else:
        label, values = OWN, {"model": OWN}
        if nearest(steps.name, own):
            label, values = f"{OWN} in another step", values | {"step": step_inside(own)}
    fixed = bool(page.controls.locked & values.keys())
    put_button(page, f"Show {label}", values, "other_model", disabled=fixed)
