"""The boxes of a model, from the tokens to the logits, with what each hands on and holds."""

import pandas as pd

from attention_core.experiments.architecture import Box
from attention_core.model.config import Config
from pages.charts.box_diagram import Frame, Path, diagram
from pages.look.html import whole
from pages.page.page import Page
from pages.tiny_lm.common import several
from pages.tiny_lm.model_in_view import Subject


def draw_diagram(page: Page, subject: Subject, once: list[Box], chosen: int, config: Config) -> None:
    """Draw the boxes of the model, those of its layers once."""
    inside = [place for place, part in enumerate(once) if part.layer == 0]
    adds = [place for place in inside if once[place].name.startswith("add")]
    before = config.norm == "pre"
    starts = [inside[0], *(place + (1 if before else 2) for place in adds[:-1])]
    layers = config.n_layers
    chart = diagram(
        [part.name for part in once],
        [times(*part.out) for part in once],
        [whole(part.n_parameters) if part.n_parameters else "–" for part in once],
        paths=[Path(start, add) for start, add in zip(starts, adds, strict=True)],
        frame=Frame(inside[0], inside[-1], f"layer 1 of {layers}"),
        chosen=chosen,
        name="architecture",
        sentence=f"{len(subject.tokens)} {subject.unit}s pass through {several(layers, 'layer')} and become "
        f"{len(subject.tokens)} × {config.vocab_size} logits. In each layer the norms stand "
        f"{'before' if before else 'after'} what they belong to.",
        numbers=pd.DataFrame(
            {
                "part": [part.name for part in once],
                "hands on": [times(*part.out) for part in once],
                "numbers held": [part.n_parameters for part in once],
                "operations": [part.operations for part in once],
            }
        ),
    )
    page.show(
        chart,
        lambda i, _: page.controls.put(part=once[i].name),
        "In each box: what it hands on, and how many numbers it holds. The lines at the right lead past: what comes "
        "in is added again.",
    )


def times(*sizes: int) -> str:
    """Return a shape."""
    return " × ".join(f"{size:,}".replace(",", "\u202f") for size in sizes)
