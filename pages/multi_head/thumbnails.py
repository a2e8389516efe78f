"""The small pictures over the stages, each drawn from the numbers of the scene."""

from attention_core.equations.heads import merge_heads
from attention_core.experiments.costs import squared_shares
from attention_core.experiments.head_metrics import contributions
from attention_core.experiments.head_parts import sliced, where_written
from attention_core.experiments.several_heads import attend_heads
from pages.look.thumbnails import bars, thumbnail
from pages.multi_head.scenes import HeadScene, divisors


def thumbnails(scene: HeadScene) -> list[str]:
    """Return a picture for each stage."""
    attention, width = scene.attention, scene.x.shape[1]
    beginning = scene.x[: max(1, len(scene.words) // 2)]
    across = attend_heads(scene.x, scene.heads, scene.n_heads, None, beginning)
    ranks = [1 / int(count) for count in divisors(width)]
    costs = squared_shares([2**k for k in range(8, 20, 2)], 768, 12, 12)
    pictures = [
        (attention.weights[0], None),
        (merge_heads(attention.q), 4.0),
        (sliced(scene.heads.w_q, scene.n_heads), 1.0),
        (where_written(scene.writes), None),
        (contributions(attention.weights, attention.v, scene.heads.w_o)[0], None),
        (bars(ranks), None),
        (across.weights[0], None),
        (bars(costs.tolist()), None),
    ]
    return [thumbnail(values, limit) for values, limit in pictures]
