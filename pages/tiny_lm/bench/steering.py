"""Steering: the difference of two words, added to the stream at one position; the bars move with its strength."""

import numpy as np
import streamlit as st

from attention_core.arrays import Array, Tokens
from attention_core.equations.softmax import softmax
from attention_core.experiments.inside.patching import Dependence
from attention_core.experiments.inside.steering import steered_logits, token_direction
from attention_core.model.activations import Insides
from pages.look.html import number, quoted
from pages.motion.bars import Panel, moving_bars
from pages.motion.sliders import over_numbers
from pages.page.page import Page
from pages.tiny_lm.model_in_view import Subject

STRENGTHS = tuple(round(0.25 * place, 2) for place in range(-4, 17))
USUAL = 1.0  # there, before layer 1, the position reads the other word
SHOWN = 7  # of the vocabulary: the likeliest at any strength
FIRST = "before layer 1"


def draw_steering(page: Page, subject: Subject, inside: Insides, other: Tokens, link: Dependence) -> None:
    """Draw the prediction for every strength of a direction: one word of the other prompt minus that of this one."""
    labels, n_layers = subject.labels, subject.model.config.n_layers
    differ = np.flatnonzero(subject.tokens != other)
    if not len(differ):
        page.say("Both prompts are the same, so no two words differ. Type another prompt.", "")
        return
    usual = link.key if link.key in differ else int(differ[0])
    towards, away = int(other[usual]), int(subject.tokens[usual])
    with st.container(horizontal=True):
        place = labels.index(page.controls.select("steer_at", "Added at", labels, labels[usual], width=170))
        names = [FIRST, *(f"before layer {layer + 1}" for layer in range(1, n_layers)), "after the last layer"]
        layer = names.index(page.controls.select("into", "Into the stream", names, FIRST, width=190))
    strength = page.controls.number("strength", "Strength", STRENGTHS[0], STRENGTHS[-1], USUAL, 0.25)
    at = STRENGTHS.index(strength)
    direction = page.recipe.run("direction", token_direction, subject.model, towards, away)
    run = page.recipe.run
    logits = run("steered", steered_logits, subject.model, inside, layer, place, direction, list(STRENGTHS))
    frames = run("predictions", softmax, logits)
    order = np.argsort(-frames.max(axis=0), kind="stable")[:SHOWN]
    words = [subject.token(int(token)) for token in order]
    best = int(frames[at].argmax())
    page.prints(f"probability of {subject.token(best)} at strength {strength:g}", "predictions", at, best)
    page.drawing.pictured = "inside.weights[0, 0]"
    added, taken = quoted(subject.token(towards)), quoted(subject.token(away))
    page.write(f"To the stream at {quoted(labels[place])}, {names[layer]}, add strength × ({added} − {taken}).")
    told = f"At strength {{at}} the likeliest of these tokens after {quoted(labels[-1])} is “{{word}}”: {{most}}."
    slider = over_numbers("strength", "Strength", STRENGTHS, strength)
    moving_bars(page, "steering", words, [Panel("Prediction", frames[:, order], told)], slider, of="probability")
    page.write(steering_note(subject, frames, place, layer, towards, away))


def steering_note(
    subject: Subject,
    frames: Array,
    place: int,
    layer: int,
    towards: int,
    away: int,
) -> str:
    """Return what the strengths 0 and 1 mean, and from which strength on another token is the likeliest."""
    zero, likeliest = STRENGTHS.index(0.0), frames.argmax(axis=-1)
    swap = ""
    if layer == 0 and int(subject.tokens[place]) == away:
        there, usual = quoted(subject.token(towards)), quoted(subject.token(away))
        swap = f" At strength 1, this is no more than another prompt, with {there} in place of {usual}."
    flips = [at for at in range(zero, len(STRENGTHS)) if likeliest[at] != likeliest[zero]]
    flip = ""
    if not flips:
        flip = " Up to the largest strength, the likeliest token stays the same."
    elif all(likeliest[at] != likeliest[zero] for at in range(flips[0], len(STRENGTHS))):
        flip = f" From strength {number(STRENGTHS[flips[0]])} on, another token is the likeliest."
    return (
        f"The vectors are rows of the embedding. At strength 0 nothing is added.{swap}{flip} Steering in papers "
        f"usually adds a difference of activations, in a middle layer and at every position. {subject.origin}"
    )
