"""What the heads of a model attend to: from one token, among the last ones, and how one weight is computed."""

from attention_core.arrays import Array
from attention_core.equations.masks import causal_mask
from attention_core.experiments.scaling.head_metrics import HeadMeasures, measure_heads
from attention_core.model.activations import Insides, head_inside
from pages.charts.heatmap import head_map
from pages.heads.side_by_side import ALL, enlarged_head, head_buttons, heads_side_by_side
from pages.look.cards import meters
from pages.look.facts import largest
from pages.look.sentences import brightest_cell
from pages.page.page import Page
from pages.tiny_lm.common import head_names
from pages.tiny_lm.model_in_view import Subject

LOOKED_AT = 12  # last tokens, in the maps of heads
MAX_EACH = 8  # layers, and heads of a layer
LAST = "Only the last {} of {} are shown. "
BELOW = "Below each head: its entropy (1 = uniform) and its mean weight on some keys. Bold: highest of its layer."
SHORT = {  # the patterns as columns of a map and as buttons name them
    "previous": "previous",
    "same": "same",
    "first": "first",
    "self": "itself",
    "induction": "induction",
    "spread": "entropy",
}
LONG = {
    "previous": "the previous token",
    "same": "the same token elsewhere",
    "first": "the first token",
    "self": "the token itself",
    "induction": "what followed the same token earlier",
    "spread": "all tokens equally",
}


def draw_heads(page: Page, subject: Subject, words: list[str], labels: list[str], inside: Insides) -> None:
    """Draw all heads over the last tokens, or one of them enlarged."""
    n_layers, n_heads = inside.weights.shape[:2]
    chosen = chosen_head(page, n_layers, n_heads)
    blocked = [causal_mask(len(words))] if subject.model.config.causal else []
    measures = [measure_heads(weights, words, *blocked) for weights in inside.weights]
    if chosen is None:
        draw_all(page, labels, inside.weights, measures)
    else:
        draw_one(page, labels, inside, chosen, measures[chosen[0]])
    last = LAST.format(LOOKED_AT, len(labels)) * (chosen is None and len(labels) > LOOKED_AT)
    page.write(f"{last}{BELOW} {subject.origin}", "note")


def chosen_head(page: Page, n_layers: int, n_heads: int) -> tuple[int, int] | None:
    known = {head_word(layer, head): (layer, head) for layer in range(MAX_EACH) for head in range(MAX_EACH)}
    chosen = known.get(page.controls.mark("head", "Enlarged head", ALL, (ALL, *known).__contains__))
    return chosen if chosen and chosen[0] < n_layers and chosen[1] < n_heads else None


def head_word(layer: int, head: int) -> str:
    return f"{layer + 1}.{head + 1}"


def long_name(n_layers: int, layer: int, head: int) -> str:
    return f"layer {layer + 1} head {head + 1}" if n_layers > 1 else f"head {head + 1}"


def draw_all(page: Page, labels: list[str], weights: Array, measures: list[HeadMeasures]) -> None:
    """Draw every head of every layer over the last tokens, with what it does in numbers."""
    n_layers, n_heads = weights.shape[:2]
    first = max(0, len(labels) - LOOKED_AT)
    among = f", among the last {LOOKED_AT}" if first else ""
    for layer in range(n_layers):
        names = {head_word(layer, head): long_name(n_layers, layer, head) for head in range(n_heads)}
        maps = [
            head_map(
                own[first:, first:],
                labels[first:],
                name=name,
                sentence=f"{name.capitalize()}{among}: {brightest_cell(own[first:, first:], labels[first:])}",
                words_along=True,
            )
            for own, name in zip(weights[layer], names.values(), strict=True)
        ]
        heads_side_by_side(page, names, maps, [meters(measures[layer], head, "token") for head in range(n_heads)])


def draw_one(page: Page, labels: list[str], inside: Insides, chosen: tuple[int, int], measures: HeadMeasures) -> None:
    """Draw one head large, with the derivation of the chosen weight beside it."""
    n_layers, n_heads = inside.weights.shape[:2]
    words = [head_word(layer, head) for layer in range(n_layers) for head in range(n_heads)]
    head_buttons(page, dict(zip(words, head_names(n_layers, n_heads), strict=True)), head_word(*chosen), with_all=True)
    attention = page.recipe.run("one_head", head_inside, inside, *chosen)
    first = max(0, len(labels) - LOOKED_AT)
    shown = attention.weights[first:, first:]
    name = long_name(n_layers, *chosen).capitalize() + (f", among the last {LOOKED_AT}" if first else "")
    enlarged_head(
        page,
        attention,
        labels,
        labels,
        lambda row: f"{name}: {brightest_cell(shown, labels[first:], row)}",
        "Click a cell to see its computation.",
        usual=(len(shown) - 1, largest(shown[-1]).first),
        first=first,
        below=meters(measures, chosen[1], "token"),
    )
