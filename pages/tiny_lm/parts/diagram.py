"""The boxes of a model, from the tokens to the logits, and one of them in full: its work, parameters and cost."""

import numpy as np
from markupsafe import Markup

from attention_core.experiments.language.architecture import Box
from attention_core.model.config import Config
from attention_core.model.parameters import n_parameters
from pages.charts.box_diagram import Frame, Path, diagram
from pages.charts.chart import words
from pages.look import cards
from pages.look.facts import listed, several
from pages.look.html import commas, inline, pairs, percent
from pages.page.page import Page
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.texts import TEXTS

LABELS = {"feed-forward": "MLP", "logits": "unembedding", "W_O": "Wₒ"}  # of boxes whose names in the core are others
ALT, SO_FAR = "From {tokens} through {layers} to {logits} logits.", "So far: {names}."


def label(part: Box) -> str:
    return LABELS.get(part.name, part.name).replace("last", "final").replace("norm", "LayerNorm")


def times(*sizes: int) -> str:
    return " × ".join(commas(size) for size in sizes)


def draw_diagram(page: Page, subject: Subject, once: list[Box], chosen: int) -> None:
    """Draw the boxes of the model, those of its layers once."""
    config, length = subject.model.config, len(subject.tokens)
    inside = [place for place, part in enumerate(once) if part.layer == 0]
    adds = [place for place in inside if once[place].name.startswith("add")]
    starts = [*inside[:1], *(place + (1 if config.norm == "pre" else 2) for place in adds[:-1])]
    names, shapes = [label(part) for part in once], [times(*part.out) for part in once]
    sizes = {"tokens": several(length, subject.noun), "layers": several(config.n_layers, "layer")}
    chart = diagram(
        names,
        shapes,
        [part.n_parameters for part in once],
        paths=[Path(start, add) for start, add in zip(starts, adds, strict=True)],
        frame=Frame(inside[0], inside[-1], f"layer 1 of {config.n_layers}") if inside else None,
        chosen=chosen,
        name="architecture",
        sentence=(ALT if page.is_built else SO_FAR).format(
            logits=times(length, config.vocab_size), names=listed(names), **sizes
        ),
        numbers={
            "part": words(names),
            "output shape": words(shapes),
            "parameters": np.array([part.n_parameters for part in once]),
            "floating-point operations": np.array([part.operations for part in once]),
        },
    )
    lines = " Lines at the right: residuals." * page.is_built
    note = f"In each box: its output shape (of heads: their weights), and its parameters.{lines}"
    page.show(chart, lambda i, _: page.controls.put(part=names[i]), note)


def draw_part(page: Page, part: Box, config: Config) -> None:
    """Say what one part computes, and count its parameters."""
    name, n_layers = label(part), config.n_layers if part.layer == 0 else 1
    lines = [(array.removeprefix("blocks.0."), times(*shape)) for array, shape in part.arrays.items()]
    if part.name == "logits":
        lines.append(("token_embedding, again", times(config.d_model, config.vocab_size)))
    count = part.n_parameters * n_layers
    lines.append(("parameters" + f", {n_layers} layers" * (n_layers > 1), commas(count)))
    lines.append(("of all parameters", percent(count / n_parameters(config), 1)))
    base = name.split(" ")[0] if name.startswith(("LayerNorm", "add")) else name
    says = Markup('<p style="margin-bottom:10px">{} {}</p>').format(inline(TEXTS["boxes"][base]), more(part, config))
    page.write(cards.card(name, says, pairs(lines)))


def more(part: Box, config: Config) -> str:
    """Return what this part has in this model, and another model may have otherwise."""
    if part.name == "heads":
        found = ["A causal mask blocks later keys." if config.causal else "No mask: each token sees all others."]
        found += ["RoPE rotates queries and keys by their positions."] * (config.positions == "rope")
        found += ["In some heads, ALiBi lowers the scores of far keys."] * any(config.slopes or ())
        return " ".join(found)
    if part.name == "positions":
        return "Here they are learned." if config.positions == "learned" else "Here they are sines: no parameters."
    activation = {"relu": "ReLU", "silu": "SiLU"}.get(config.activation, "GELU")
    return f"Here the activation is {activation}." if part.name == "feed-forward" else ""
