"""One part of the model in full: what it computes, holds and costs."""

import numpy as np
from markupsafe import Markup

from attention_core.experiments.architecture import Box, bends
from attention_core.model.config import Config
from attention_core.model.parameters import n_parameters
from pages.charts.lines import line_chart
from pages.look import cards
from pages.look.colours import ATTENTION, INK
from pages.look.html import memory, pairs, percent, whole
from pages.page.page import Page
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.parts.diagram import times

WHAT = {
    "tokens": "The text as numbers: each token’s place in the vocabulary. Nothing is held here.",
    "embedding": "A row for each token of the vocabulary. The tokens of the text take theirs: looked up, not "
    "multiplied.",
    "positions": "A vector for each place is added, so that the same token differs from place to place.",
    "norm": "Each row is moved to mean 0 and deviation 1, then stretched by a gain and shifted by a bias.",
    "Q K V": "Three matrices make queries, keys and values. Their columns are split among the heads.",
    "heads": "Each head: softmax(q · k / √d_k + mask), then a mix of values. It multiplies, but holds no numbers.",
    "W_O": "Mixes what the heads bring, side by side, back to the width of the stream.",
    "add": "What was computed is added to what came in, by the path that leads past: a residual. Nothing is held here.",
    "feed-forward": "Each row alone: out to a wider layer, through a bend, and back.",
    "last norm": "One more norm before the output.",
    "logits": "The same matrix as the embedding, turned round: a logit is a row’s product with a token’s vector.",
}


def draw_part(page: Page, subject: Subject, part: Box, config: Config) -> None:
    """Say what one part computes, and count it."""
    base = part.name.split(" ")[0] if part.name.startswith(("norm", "add")) else part.name
    total = n_parameters(config)
    per_layer = config.n_layers if part.layer == 0 else 1
    bold = Markup("<b>{}</b>")
    lines: list[tuple[str, str]] = [
        (name.removeprefix("blocks.0."), times(*shape)) for name, shape in part.arrays.items()
    ]
    if part.name == "logits":
        lines.append(("token_embedding, again", times(config.d_model, config.vocab_size)))
    lines.append((bold.format("hands on"), bold.format(times(*part.out))))
    count = part.n_parameters * per_layer
    layers = f", {per_layer} layers" if per_layer > 1 else ""
    lines += [
        (f"numbers{layers}", whole(count)),
        ("of all numbers", percent(count / total, 1)),
        ("memory, 32 and 16 bits each", f"{memory(4 * count)}, {memory(2 * count)}"),
        (f"operations in products{layers}", whole(part.operations * per_layer)),
        (
            f"of these a {subject.unit}",
            whole(round(part.operations * per_layer / part.out[-2 if len(part.out) > 1 else 0])),
        ),
    ]
    says = Markup('<p style="margin-bottom:10px">{}{}</p>').format(WHAT[base], more(part, config))
    page.write(cards.card(part.name, says, pairs(lines)))
    if part.name == "feed-forward":
        bend(page, config)


def more(part: Box, config: Config) -> str:
    """Return what is to be said of a part in this very model."""
    if part.name == "heads":
        mask = "A mask hides what comes later." if config.causal else "No mask: every token sees all others."
        kinds = {"rope": "Positions turn queries and keys.", "alibi": "Distance lowers the scores."}
        slopes = "Distance lowers the scores of some heads." if config.alibi_slopes else kinds.get(config.positions, "")
        return f" {mask} {slopes}"
    if part.name == "positions":
        return " Learned." if config.positions == "learned" else " Waves: a formula, so nothing is held."
    if part.name == "feed-forward":
        return f" Here the bend is {config.activation.upper().replace('RELU', 'ReLU')}."
    return ""


def bend(page: Page, config: Config) -> None:
    """Draw the two functions that a feed-forward layer may bend its numbers by."""
    x = np.linspace(-4, 4, 81)
    found = page.recipe.run("both", bends, page.recipe.given("x", x))
    chart = line_chart(
        x,
        {"GELU": found.gelu, "ReLU": found.relu},
        x_title="a number inside the layer",
        y_title="what becomes of it",
        x_domain=(-4.0, 4.0),
        y_domain=(-0.5, 5.0),
        name="bends",
        sentence="ReLU cuts off what is below 0; GELU does so softly, and lets a little pass.",
        colours=(ATTENTION, INK),
        number="",
        height=200,
    )
    page.show(chart)
