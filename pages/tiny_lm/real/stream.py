"""The residual stream of the pretrained model: how long it is after each layer, and who moves the prediction."""

import numpy as np

from attention_core.arrays import Tokens
from attention_core.experiments.real_stream import RealStream, real_stream
from attention_core.pretrained import PretrainedModel
from attention_core.text.word_vectors import position_labels
from pages.charts.chart import rung
from pages.charts.heatmap import Axes, heatmap
from pages.charts.lines import line_chart
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.server.model_cache import is_kept
from pages.tiny_lm.common import several
from pages.tiny_lm.real.model import in_line
from pages.tiny_lm.real.reading import pieces_of

LEAD_AXES = Axes("part", "layer", "logit contribution")
KINDS = ("attention", "MLP")


def draw_stream(page: Page, real: PretrainedModel, ids: Tokens) -> None:
    """Draw the length of the stream at one position, and what each part contributes to the prediction there."""
    labels, n_layers = position_labels(pieces_of(real, ids)), real.config.n_layers
    with in_line("Reading the text", is_kept(real_stream, real, ids)):
        found: RealStream = page.recipe.run_once("stream", real_stream, real, ids)
    position = labels.index(page.controls.select("at", "Position", labels, labels[-1], width=170))
    draw_lengths(page, found, labels, position)
    best, second = (quoted(piece) for piece in pieces_of(real, found.tokens[position]))
    page.heading("Who moves the prediction", small=True)
    page.prints(f"lead of the top prediction after {labels[position]}", "stream.lead", position)
    adds = np.stack([found.attention[:, position], found.mlp[:, position]])  # (2, L)
    embedding, lead = float(found.embedding[position]), float(found.lead[position])
    parts = {"the embedding": embedding} | {
        f"{kind} {layer + 1}": float(adds[row, layer]) for layer in range(n_layers) for row, kind in enumerate(KINDS)
    }
    largest = max(parts, key=lambda part: abs(parts[part]))
    page.show(
        heatmap(
            adds,
            list(KINDS),
            [str(layer + 1) for layer in range(n_layers)],
            LEAD_AXES,
            limit=rung(float(np.abs(adds).max())),
            name="contributions to the lead",
            sentence=f"After {quoted(labels[position])}, {best} leads {second} by {number(lead)} in logits. The "
            f"largest contribution in absolute value, of the embedding and {several(2 * n_layers, 'part')}, is that of "
            f"{largest}: {number(parts[largest])}.",
        ),
        note=f"The embedding contributes {number(embedding)}, all attention {number(float(adds[0].sum()))}, and all "
        f"MLPs {number(float(adds[1].sum()))}. Together they sum to the lead.",
    )
    page.say(
        "*Direct* contribution: what a part adds to the stream, through the final RMSNorm with its scale frozen, times "
        "the difference of the two tokens’ unembedding vectors. Effects through later layers are not included.",
        "",
    )


def draw_lengths(page: Page, found: RealStream, labels: list[str], position: int) -> None:
    """Draw the length of the residual stream after each layer."""
    norms = found.norms[:, position]
    steps = np.diff(norms)
    layer = int(np.abs(steps).argmax())
    page.heading("Length of the residual stream", small=True)
    page.show(
        line_chart(
            np.arange(len(norms)),
            {"length": norms},
            name="length of the stream",
            sentence=f"At {quoted(labels[position])} the vector’s length goes from {number(float(norms[0]), 1)} after "
            f"the embedding to {number(float(norms[-1]), 1)} after the last layer. Layer {layer + 1} changes it most: "
            f"by {number(float(steps[layer]), 1)}.",
            dots=True,
            number=".1f",
            x_title="layer, 0 is the embedding",
            y_title="length of the vector",
            x_domain=(0, len(norms) - 1),
            y_domain=(0, rung(float(norms.max()))),
        )
    )
