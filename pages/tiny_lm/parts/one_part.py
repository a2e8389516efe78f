"""One part of the model in full: what it computes, its parameters and its cost."""

import numpy as np
from markupsafe import Markup

from attention_core.experiments.language.architecture import Box, bends
from attention_core.model.config import Config
from attention_core.model.parameters import n_parameters
from pages.charts.lines import line_chart
from pages.look import cards
from pages.look.colours import ATTENTION, INK
from pages.look.html import commas, inline, pairs, percent
from pages.page.page import Page
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.parts.diagram import label, times

WHAT = {
    "tokens": "The text as token ids: each is a token’s number in the vocabulary. No parameters.",
    "embedding": "A matrix with one row for each token of the vocabulary. Each token of the text looks up its row.",
    "positions": "A vector for each position is added, so that the same token has another vector at another position.",
    "LayerNorm": "LayerNorm brings each position’s vector to mean 0 and standard deviation 1, then multiplies by a "
    "gain γ and adds a bias β.",
    "Q K V": "Three matrices make queries, keys and values. Their columns are split among the heads.",
    "heads": "Each head computes softmax(QKᵀ / √d_k + mask) V. No parameters.",
    "W_O": "The heads’ outputs are concatenated and multiplied by W_O, back to d_model entries.",
    "add": "Residual connection: the output is added to the input. No parameters.",
    "MLP": "MLP (feed-forward layer, FFN): at each position by itself, project to a wider hidden layer, apply the "
    "activation (nonlinearity), project back.",
    "final LayerNorm": "One more LayerNorm before the unembedding (in GPT-2: `ln_f`).",
    "unembedding": "The unembedding (`lm_head`) is the embedding matrix again, transposed: the weights are tied. A "
    "logit is the dot product of a position’s vector and a token’s embedding.",
}


def draw_part(page: Page, subject: Subject, part: Box, config: Config) -> None:
    """Say what one part computes, and count its parameters and operations."""
    name = label(part)
    base = name.split(" ")[0] if name.startswith(("LayerNorm", "add")) else name
    total = n_parameters(config)
    per_layer = config.n_layers if part.layer == 0 else 1
    lines: list[tuple[str, str]] = [
        (array.removeprefix("blocks.0."), times(*shape)) for array, shape in part.arrays.items()
    ]
    if part.name == "logits":
        lines.append(("token_embedding, again", times(config.d_model, config.vocab_size)))
    count = part.n_parameters * per_layer
    layers = f", {per_layer} layers" if per_layer > 1 else ""
    lines += [(f"parameters{layers}", commas(count)), ("of all parameters", percent(count / total, 1))]
    says = Markup('<p style="margin-bottom:10px">{}{}</p>').format(inline(WHAT[base]), more(part, config))
    page.write(cards.card(name, says, pairs(lines)))


def more(part: Box, config: Config) -> str:
    if part.name == "heads":
        mask = "A causal mask blocks later keys." if config.causal else "There is no mask: each token sees all others."
        found = [f" {mask}"]
        if config.positions == "rope":
            found.append(" RoPE rotates queries and keys by their positions.")
        if some := sum(slope > 0 for slope in config.slopes or ()):
            found.append(f" A penalty on distance lowers the scores of {some} of {config.n_heads} heads.")
        return "".join(found)
    if part.name == "positions":
        return " Here they are learned." if config.positions == "learned" else " Here they are sines: no parameters."
    if part.name == "feed-forward":
        return f" Here the activation is {config.activation.upper().replace('RELU', 'ReLU')}."
    return ""


def activations(page: Page) -> None:
    x = np.linspace(-4, 4, 81)
    found = page.recipe.run("both", bends, page.recipe.given("x", x))
    chart = line_chart(
        x,
        {"GELU": found.gelu, "ReLU": found.relu},
        x_title="input",
        y_title="output",
        y_domain=(-0.5, 5.0),
        name="activations",
        sentence="ReLU sets inputs below 0 to 0. GELU does so gradually: its outputs go down to −0.17.",
        colours=(ATTENTION, INK),
        number="",
        height=200,
    )
    page.show(chart)
