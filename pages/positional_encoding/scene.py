"""The scene of the lesson on positions: a sentence, and the controls, of which a step draws those that it needs."""

from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from attention_core.experiments.positions.position_kinds import ADDED
from attention_core.text.word_vectors import position_labels
from pages.heads.matrices import SENTENCE
from pages.look.typed import words_of
from pages.page.steps import Steps

WORDS = "base d_model k kind length q seed text"  # of a link, for controls that several steps have

BASES = ("10", "100", "1000", "10000", "100000", "1000000")
WITH_SENTENCE = ("add", "rope", "compare")
OWN_CONTROL = {  # of a step, beside its picture: what is set there is set in no other step, and not in the menu
    "waves": "waves_base",
    "add": "add_strength",
}
USUAL_STRENGTH = 1.0
RECOVERED = 2.25  # the scale of a sum of which all words and positions are recovered
OF_WAVES = "length d_model base"
OF_A_SUM = "kind d_model base strength seed"
CHANGES = {  # the controls that change the picture of a step
    "order": "d_model seed",
    "simple": "length d_model base seed",
    "waves": OF_WAVES,
    "alike": OF_WAVES,
    "clocks": "d_model base",
    "add": OF_A_SUM,
    "rope": "base seed",
    "compare": "d_model base seed",
    "beyond": "",
    "clinic": OF_WAVES,
}


class PositionScene(NamedTuple):
    """A sentence, and the values of the controls; those that a step does not draw have their defaults."""

    words: list[str]
    labels: list[str]
    kind: str = "sinusoidal"  # the position encoding
    length: int = 20
    d_model: int = 64
    base: float = 10000.0
    strength: float = USUAL_STRENGTH
    seed: int = 18


def choose_scene(steps: Steps) -> PositionScene:
    """Draw the sentence, and the controls that change the picture in view: no slider seems to do nothing."""
    page, step, text, controls = steps.page, steps.name, SENTENCE, steps.page.controls
    if CHANGES[step]:
        with page.sidebar:
            st.subheader("Settings", anchor=False)
    if step in WITH_SENTENCE:
        with page.fields:
            text = controls.text("text", "Sentence", SENTENCE, width=280)
    words, note = words_of(text, SENTENCE)
    steps.note(note)
    scene = PositionScene(words, position_labels(words))
    own, usual = OWN_CONTROL.get(step, ""), RECOVERED if step == "add" else USUAL_STRENGTH
    base = "Base of these waves" if own == "waves_base" else "Base of wavelengths"
    fields: dict[str, Callable[..., Any]] = {
        "kind": lambda key: controls.select(key, "Position encoding", ADDED, scene.kind),
        "length": lambda key: controls.slider(key, "Number of positions", 4, 256, scene.length, 1),
        "d_model": lambda key: controls.slider(key, "d_model (width)", 8, 128, scene.d_model, 8),
        "base": lambda key, **look: float(controls.dial(key, base, BASES, "10000", **look)),
        "strength": lambda key, **look: controls.slider(key, "Scale of the encoding", 0.0, 8.0, usual, 0.25, **look),
        "seed": lambda _: controls.seed(scene.seed),
    }
    for name, draw in fields.items():
        if name not in CHANGES[step].split() or (name == "base" and scene.kind == "learned"):
            continue
        if name == own.rpartition("_")[2]:
            with page.fields:
                scene = scene._replace(**{name: draw(own, width=200)})
        else:
            with page.sidebar:
                scene = scene._replace(**{name: draw(name)})
    return scene
