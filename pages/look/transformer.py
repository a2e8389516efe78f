"""The transformer in one line: the residual stream above, what is added to it below, and the lesson of each part."""

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from pages.look.html import inline

# the last class of a shape is the lesson on it; without ends of lines, as a place that reads Markdown needs it
DRAWING = Path(__file__).with_suffix(".svg").read_text(encoding="utf-8").replace("\n", "")
MODEL = "tiny_lm"  # the lesson on the model as a whole
PARTS = (  # what each part is called, and the lesson on it, on the way from words to a prediction
    ("tokens", MODEL),
    ("embedding", MODEL),
    ("position", "positional_encoding"),
    ("Q K V", "qkv"),
    ("q · k", "qkv"),
    ("÷ √d_k", "scaling"),
    ("mask", "causal_mask"),
    ("softmax", "qkv"),
    ("× V", "qkv"),
    ("heads", "multi_head"),
    ("MLP", MODEL),
    ("× N", MODEL),
    ("prediction", MODEL),
)
MET = {"tokens": "qkv", "embedding": "qkv"}  # parts that a lesson before their own speaks of


def transformer(lesson: str) -> Markup:
    lit = DRAWING.replace(f' {lesson}"', ' lit"')
    return Markup('<div class="whole">{}</div>').format(Markup(lit))  # noqa: S704  a drawing of ours


def you_are_here(lessons: Sequence[str]) -> Markup:
    """Return the way from words to a prediction, as far as these lessons tell of it, the last one’s part lit."""
    met = [(text, whose) for text, whose in PARTS if MET.get(text, whose) in lessons]
    lit, other = Markup("<b>{}</b>"), Markup("{}")
    way = [(lit if whose == lessons[-1] else other).format(inline(text)) for text, whose in met]
    return Markup('<div class="course note">This lesson in bold: {}</div>').format(Markup(" → ").join(way))
