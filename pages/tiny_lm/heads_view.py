"""What the heads of a model attend to: from one token, among the last ones, and how one weight is computed."""

import numpy as np

from attention_core.equations.masks import causal_mask
from attention_core.experiments.multi_head.several_heads import head_inside
from attention_core.experiments.scaling.head_metrics import HeadMeasures, measure_heads
from attention_core.model.activations import Insides, insides
from pages.charts.heatmap import head_map
from pages.heads.side_by_side import ALL, enlarged_head, head_buttons, heads_side_by_side
from pages.look.cards import meters
from pages.look.sentences import brightest_cell
from pages.page.page import Page
from pages.tiny_lm.common import head_names, head_word, long_name
from pages.tiny_lm.model_in_view import Subject

LOOKED_AT = 12  # last tokens, in the maps of heads
MAX_EACH = 8  # layers, and heads of a layer
LAST = "Only the last {shown} of {all} are shown."
BELOW = "Below each head: its entropy (1 = uniform) and its mean weight on some keys. Bold: highest of its layer."
SHORT = {  # the patterns as columns of a map and as buttons name them
    "previous_word": "previous",
    "same_word": "same",
    "first_word": "first",
    "self": "itself",
    "induction": "induction",
    "entropy": "entropy",
}
LONG = {
    "previous_word": "the previous token",
    "same_word": "the same token elsewhere",
    "first_word": "the first token",
    "self": "the token itself",
    "induction": "what followed the same token earlier",
}


def draw_heads(page: Page, subject: Subject) -> None:
    """Draw all heads over the last tokens of the prompt, or one of them enlarged."""
    inside, labels = page.recipe.run_once("inside", insides, subject.model, subject.tokens), subject.labels
    page.drawing.weights = "inside.weights[0, 0]"
    blocked = [causal_mask(len(labels))] if subject.model.config.causal else []
    measures = [measure_heads(weights, subject.words, *blocked) for weights in inside.weights]
    known = {head_word(layer, head): (layer, head) for layer, head in np.ndindex(MAX_EACH, MAX_EACH)}
    chosen = known.get(page.controls.bare_text("head", "Enlarged head", ALL, (ALL, *known).__contains__))
    first = max(0, len(labels) - LOOKED_AT)
    notes = [BELOW, subject.origin]
    if chosen and chosen in np.ndindex(*inside.weights.shape[:2]):
        draw_one(page, labels, first, inside, chosen, measures[chosen[0]])
    else:
        draw_all(page, labels, first, inside, measures)
        notes = [LAST.format(shown=LOOKED_AT, all=len(labels))] * (first > 0) + notes
    page.write(" ".join(notes), "note")


def among(first: int) -> str:
    return f", among the last {LOOKED_AT}" if first else ""


def draw_all(page: Page, labels: list[str], first: int, inside: Insides, measures: list[HeadMeasures]) -> None:
    """Draw every head of every layer over the last tokens, with what it does in numbers."""
    n_layers, n_heads = inside.weights.shape[:2]
    for layer in range(n_layers):
        names = {head_word(layer, head): long_name(n_layers, layer, head) for head in range(n_heads)}
        maps = []
        for weights, name in zip(inside.weights[layer, :, first:, first:], names.values(), strict=True):
            said = f"{name.capitalize()}{among(first)}: {brightest_cell(weights, labels[first:])}"
            maps.append(head_map(weights, labels[first:], name=name, sentence=said, words_along=True))
        heads_side_by_side(page, names, maps, [meters(measures[layer], head) for head in range(n_heads)])


def draw_one(
    page: Page, labels: list[str], first: int, inside: Insides, chosen: tuple[int, int], measures: HeadMeasures
) -> None:
    """Draw one head large, with the derivation of the chosen weight beside it."""
    n_layers, n_heads = inside.weights.shape[:2]
    words = [head_word(layer, head) for layer, head in np.ndindex(n_layers, n_heads)]
    head_buttons(page, dict(zip(words, head_names(n_layers, n_heads), strict=True)), head_word(*chosen), with_all=True)
    attention = page.recipe.run("one_head", head_inside, inside, *chosen)
    name, below = long_name(n_layers, *chosen).capitalize() + among(first), meters(measures, chosen[1])
    enlarged_head(page, attention, labels, labels, "", name=name, first=first, below=below)
