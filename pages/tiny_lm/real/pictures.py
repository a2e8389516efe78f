"""Small pictures of what was measured: a number for each head, for each layer, or the parts of a model."""

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.model.parameters import Parts
from pages.look.thumbnails import bars, thumbnail

WIDE, LARGEST_CELL = 220, 16  # pixels of a picture, and of a cell in it


def head_picture(numbers: Array) -> Markup:
    """Return a number for each head (L, H) as a small map: a column for each layer, a row for each head."""
    size = min(WIDE, LARGEST_CELL * max(numbers.shape))
    return described(thumbnail(numbers.T, None, size, most=64), "A column for each layer, a row for each head.")


def layer_picture(numbers: Array) -> Markup:
    size = min(WIDE, LARGEST_CELL * max(len(numbers), 5))
    return described(thumbnail(bars(np.clip(numbers, 0, 1).tolist()), None, size, most=64), "A bar for each layer.")


def part_picture(parts: Parts) -> Markup:
    """Return the parameters of a model as a bar that is cut into its parts."""
    total = sum(parts)
    cut = Markup('<i class="{}" style="width:{:.2f}%"></i>')
    cuts = Markup("").join(cut.format(part, 100 * n / total) for part, n in parts._asdict().items() if n)
    words = "From the left: embeddings, attention, MLPs, LayerNorms."
    return described(Markup('<div class="stack"><div class="cuts">{}</div></div>').format(cuts), words)


def described(picture: Markup, words: str) -> Markup:
    """Return a picture with words for those who do not see it."""
    return Markup('<div role="img" aria-label="{0}" title="{0}">{1}</div>').format(words, picture)
