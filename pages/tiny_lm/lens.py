"""The logit lens: what the model would predict if it ended after an earlier layer."""

from functools import partial

import numpy as np
import streamlit as st

from attention_core.experiments.inside.logit_lens import Lens, logit_lens, token_path
from attention_core.model.activations import insides
from pages.charts.heatmap import CLICK, NO_LEGEND, Axes, frame, heatmap, outline, write
from pages.look.facts import largest, of_several, ordered
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.tiny_lm import common
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "lens",
    "What would the model predict after each layer?",
    "The final LayerNorm and the unembedding make a prediction from the residual stream. The **logit lens** applies "
    "both after an earlier layer.",
    then="Click a cell.",
    words="layer",
)
LENS_AXES = Axes("token", "layer", "probability", words=True)
ROWS = 7  # positions in the map
LONGEST = 11  # characters of a token in a cell
READ = "After {layer}, the final prediction {{final}} has probability **{probability}** and rank {rank:,} of {size:,}."
ASKED = (
    "Skip all layers: the final LayerNorm and the unembedding read the embedding of {token} directly. Which next "
    "{noun} would such a model predict?"
)
ITSELF = (
    "The unembedding is the embedding matrix itself. So a model without layers often predicts the token that it reads, "
    "or one with a longer, similar vector."
)
ANOTHER = (
    "The unembedding is the embedding matrix, so one expects {own} itself. But vectors differ in length (norm), and "
    "the final LayerNorm changes this one."
)
LIKELIEST, BOLD = "The likeliest tokens of the chosen reading.", " Bold: the likeliest after the last layer."
KINDS = {"final": "That is the prediction after the last layer. ", "own": "That is the token that the model reads. "}


def draw(page: Page, scene: Subject) -> bool:
    """Draw the reading of each layer at some positions; of one, its likeliest tokens."""
    inside = page.recipe.run_once("inside", insides, scene.model, scene.tokens)
    page.drawing.weights = "inside.weights[0, 0]"
    found = page.recipe.run("lens", logit_lens, inside)
    names, asked = common.layer_names(scene.model.config.n_layers), common.asked_position(scene, page.variant("lens"))
    question = page.question("lens", partial(lens_question, scene, found))
    blank = partial(lens_map, page, scene, found, names, asked, 0, hidden=True)
    columns = page.ask_beside(question, blank, spans=2)
    if not columns:
        return False
    with columns[1], st.container(horizontal=True):
        position = common.chosen_place(page, scene.labels)
        layer = names.index(page.controls.select("layer", "Layer read", names, names[0], width=150))
    what = f"probability of the likeliest token of {names[layer]} at {scene.labels[position]}"
    page.prints(what, found.shares, layer, position)
    with columns[0]:
        lens_map(page, scene, found, names, position, layer)
    probabilities, final = found.bets[layer, position], int(found.likeliest[-1, position])
    path = page.recipe.run("path", token_path, found, position, final)
    with columns[1]:
        order = ordered(probabilities, common.SORTED)[: common.N_LIKELIEST]
        bold, tokens = order.index(final) if final in order else None, [scene.token(token) for token in order]
        said = LIKELIEST + BOLD * (bold is not None)
        common.likeliest_bars(
            page, tokens, probabilities[order], "reading", said, scene.noun, bold, scene.origin, quiet=False
        )
        layer_read = f"layer {layer}" if layer else "the embedding"
        ranked = {"rank": int(path.ranks[layer]), "size": probabilities.size, "layer": layer_read}
        page.say(READ.format(probability=number(path.shares[layer]), **ranked), "", final=scene.token(final))
    return True


def lens_map(
    page: Page, subject: Subject, found: Lens, names: list[str], position: int, layer: int, hidden: bool = False
) -> None:
    """Draw the likeliest token of every layer at some positions; while the question is open, not the embedding’s."""
    first = max(0, min(position - ROWS + 2, len(subject.labels) - ROWS))
    rows = slice(first, first + ROWS)
    shown = ([common.shortened(subject.token(token), LONGEST) for token in row] for row in found.likeliest.T[rows])
    texts = np.array([*shown], dtype=object)
    shares, early = found.shares.T[rows].copy(), found.agrees_with_final.T[rows].copy()
    early[:, -1] = False  # there they agree by definition
    if hidden:
        texts[:, 0], shares[:, 0], early[:, 0] = "?", 0.0, False
    labels = subject.labels[rows]

    def pick(i: int, j: int) -> None:
        page.controls.put(at=labels[i], layer=names[j])

    seen = of_several(len(labels), len(subject.labels), subject.noun)
    said = f"Shown: {seen}. In a cell: the likeliest next one, if the model ended there."
    layers = outline(position - first, layer), frame(early), write(texts), NO_LEGEND, *([] if hidden else [CLICK])
    chart = heatmap(shares, labels, names, LENS_AXES, *layers, name="lens", sentence=said)
    page.show(chart, None if hidden else pick, "" if hidden else common.ENDED)


def lens_question(subject: Subject, lens: Lens, variant: int) -> Choice:
    """Ask what the embedding alone would predict at a position."""
    position = common.asked_position(subject, variant)
    readings = lens.bets[0, position]
    best, own, final = largest(readings, 3).first, int(subject.tokens[position]), int(lens.likeliest[-1, position])
    options = sorted(common.distinct([best, own, final, *ordered(lens.bets[-1, position], common.SORTED)[1:3]]))
    shown = {token: number(float(readings[token]), 3) for token in options}
    kinds = {own: KINDS["own"]} | ({final: KINDS["final"]} if final != best else {})
    why = ITSELF if best == own else ANOTHER.format(own=quoted(subject.token(own)))
    reading = "Without any layer its probability is {}."
    wrong = {subject.token(token): kinds.get(token, "") + reading.format(shown[token]) for token in options}
    right = [subject.token(token) for token in options if shown[token] == shown[best]]
    text = ASKED.format(token=quoted(subject.labels[position]), noun=subject.noun)
    return Choice.of("lens", text, right, f"{quoted(subject.token(best))} has probability {shown[best]}. {why}", wrong)
