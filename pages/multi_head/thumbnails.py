"""The small pictures over the stages, each drawn from the numbers of the scene."""

from attention_core.config import Config
from attention_core.costs import squared_share
from attention_core.heads import merge_heads
from attention_core.heads_apart import sliced, where_written
from pages.multi_head.scenes import HeadScene, divisors
from pages.multi_head.views import bars
from pages.shared.cards import thumbnail


def thumbnails(scene: HeadScene) -> list[str]:
    """Return a picture for each stage."""
    attention, width = scene.attention, scene.x.shape[1]
    ranks = [1 / int(count) for count in divisors(width)]
    costs = squared_share(Config(100, width, scene.n_heads, 1, 1), [2**k for k in range(2, 13, 2)])
    pictures = [
        (attention.weights[0], None),
        (merge_heads(attention.q), 4.0),
        (sliced(scene.heads.w_q, scene.n_heads), 1.0),
        (where_written(scene.writes), None),
        (attention.weights[-1], None),
        (bars(ranks), None),
        (attention.weights[0][:, : max(1, len(scene.words) // 2)], None),
        (bars(costs.tolist()), None),
    ]
    return [thumbnail(values, limit) for values, limit in pictures]
