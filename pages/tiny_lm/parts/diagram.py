"""The boxes of a model, from the tokens to the logits, each with its output shape and its parameters."""

import numpy as np

from attention_core.experiments.language.architecture import Box
from attention_core.model.config import Config
from pages.charts.box_diagram import Frame, Path, diagram
from pages.charts.chart import words
from pages.look.html import commas
from pages.page.page import Page
from pages.tiny_lm.common import several
from pages.tiny_lm.model_in_view import Subject

LABELS = {"feed-forward": "MLP", "logits": "unembedding"}  # of boxes whose names in the core are others


def label(part: Box) -> str:
    return LABELS.get(part.name, part.name).replace("last", "final").replace("norm", "LayerNorm")


def draw_diagram(page: Page, subject: Subject, once: list[Box], chosen: int, config: Config) -> None:
    """Draw the boxes of the model, those of its layers once."""
    inside = [place for place, part in enumerate(once) if part.layer == 0]
    adds = [place for place in inside if once[place].name.startswith("add")]
    before = config.norm == "pre"
    starts = [inside[0], *(place + (1 if before else 2) for place in adds[:-1])]
    layers = config.n_layers
    chart = diagram(
        [label(part) for part in once],
        [times(*part.out) for part in once],
        [part.n_parameters for part in once],
        paths=[Path(start, add) for start, add in zip(starts, adds, strict=True)],
        frame=Frame(inside[0], inside[-1], f"layer 1 of {layers}"),
        chosen=chosen,
        name="architecture",
        sentence=f"From {several(len(subject.tokens), subject.noun)} through {several(layers, 'layer')} to "
        f"{times(len(subject.tokens), config.vocab_size)} logits. In each layer LayerNorm comes "
        f"{'before' if before else 'after'} attention{' and MLP' if config.d_hidden else ''}.",
        numbers={
            "part": words([label(part) for part in once]),
            "output shape": words([times(*part.out) for part in once]),
            "parameters": np.array([part.n_parameters for part in once]),
            "floating-point operations": np.array([part.operations for part in once]),
        },
    )
    page.show(
        chart,
        lambda i, _: page.controls.put(part=label(once[i])),
        "In each box: the shape of its output, and its number of parameters, by which it is filled. Lines at the right "
        "are residual connections.",
    )


def times(*sizes: int) -> str:
    return " × ".join(commas(size) for size in sizes)
