"""The small pictures over the steps, each drawn from the numbers of the scene."""

from collections.abc import Callable

import numpy as np

from attention_core.arrays import Array
from attention_core.layers import moved_by_mask, random_layers
from attention_core.leaks import effects
from attention_core.masks import layers_needed, reachable
from attention_core.mistakes import zeroed_after_softmax
from attention_core.what_if import seen
from attention_core.words import word_vectors
from pages.causal_mask.scene import Masked
from pages.causal_mask.views import D_HEAD, D_MODEL, SCORE_LIMIT
from pages.shared import cards


def thumbnails(scene: Masked, n_stages: int) -> list[str]:
    """Return a small picture of each of the first stages; the others would give away what they ask."""
    weights, blocked, mask = scene.masked.weights, scene.blocked, scene.mask

    def others_grey(values: Array, grey: Array) -> Array:
        return np.where(grey, -np.inf, values)

    def leaks() -> Array:
        effect = effects(scene.x, scene.x[::-1], scene.head, mask)
        return others_grey(effect, effect == 0)

    def reach() -> Array:
        needed = layers_needed(reachable(blocked, 3)).astype(float)
        return others_grey(needed, needed == 0)

    def layers() -> Array:
        moved = moved_by_mask(
            word_vectors(scene.words, D_MODEL, scene.seed), random_layers(3, D_MODEL, D_HEAD, scene.seed), mask
        )
        return others_grey(moved, moved < 1e-9)

    odd = np.arange(len(blocked))[:, None] % 2 == 1
    pictures: list[tuple[Callable[[], Array], float | None]] = [
        (lambda: others_grey(weights, blocked), None),
        (lambda: seen(scene.masked), SCORE_LIMIT),
        (lambda: zeroed_after_softmax(scene.plain.scores, blocked), None),
        (leaks, SCORE_LIMIT),
        (reach, SCORE_LIMIT),
        (lambda: others_grey(weights, blocked | odd), None),
        (layers, SCORE_LIMIT),
        (lambda: scene.masked.output, SCORE_LIMIT),
    ]
    return [cards.thumbnail(make(), limit) for make, limit in pictures[:n_stages]]
