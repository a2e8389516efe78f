"""One product is split into heads: the way of the shapes, and three ways to the same numbers."""

import inspect
from functools import partial

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.heads import merge_heads, split_heads
from attention_core.equations.multi_head import multi_head_attention
from attention_core.experiments.multi_head.head_parts import three_ways
from attention_core.experiments.multi_head.loop_and_einsum import multi_head_by_einsum, multi_head_by_loop
from pages.charts.chart import rung
from pages.charts.heatmap import Axes
from pages.charts.matrix_image import matrix_picture
from pages.look import thumbnails
from pages.look.colours import QUERY
from pages.look.facts import several
from pages.look.html import inline, prose, residual
from pages.multi_head.common import shape
from pages.multi_head.scene import HeadScene, optional
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice

STEP = Step(
    "in code",
    "One product, split into heads",
    "X is multiplied by W_Q once. The result, Q, is cut into blocks of columns, one block per head, and so are K and "
    "V.",
    words="way",
    helps="reads",
)

WAYS = {"a loop over heads": multi_head_by_loop, "a reshape": multi_head_attention, "einsum": multi_head_by_einsum}
LIMIT = 4.0  # of entries that come from random matrices
LARGER = ((7, 512, 8), (12, 768, 12), (9, 256, 4))  # words, d_model and heads of other models
ROOM, LINE = 130, 16  # pixels: around the picture of Q, and of a row


def draw(page: Page, scene: HeadScene) -> bool:
    """Trace the shapes, and compute the same output in three ways."""
    if not page.ask(page.question("split", partial(split_question, (len(scene.words), scene.d_model, scene.n_heads)))):
        return False
    projected = page.recipe.run("projected", merge_heads, scene.attention.q)
    page.recipe.run("q", split_heads, projected, scene.n_heads)
    joined = page.recipe.run("joined", merge_heads, scene.attention.output)
    picture = matrix_picture(
        projected,
        Axes("word", "entry of q", "q", row_colour=QUERY),
        limit=LIMIT if scene.is_random else rung(float(np.abs(projected).max())),
        name="Q",
        sentence="q = x @ w_q, one block of columns for each head.",
        height=ROOM + LINE * len(scene.words),
        first=1,
        blocks=scene.n_heads,
        rows=scene.labels,
    )
    page.show(picture, note=scene.origin)
    page.prints("first entry of q", projected, 0, 0)
    shapes = (scene.x, scene.attention.q, scene.attention.weights, scene.output)
    way = " → ".join(f"({', '.join(map(str, array.shape))})" for array in shapes)
    page.write(f"In short: {way}.", "note")
    page.look_closer("All shapes", lambda: page.write(shape_trace(scene, projected, joined)))
    page.look_closer("Three ways in code, the same numbers", partial(draw_ways, page, scene))
    return True


def draw_ways(page: Page, scene: HeadScene) -> None:
    """Compute the output in three ways, and show the code of one."""
    same = page.recipe.run("same", three_ways, scene.x, scene.heads, scene.n_heads, *optional(scene.blocked))
    page.prints("largest difference", "same.largest_difference")
    page.write(
        Markup(
            "Loop over the heads, reshape one large product, or use <code>einsum</code>, NumPy’s sum of products, with "
            "an axis for the heads. The largest difference of the three outputs is <b>{}</b>. With several "
            "heads, the reshape replaces several small matrix products by one large one."
        ).format(residual(same.largest_difference)),
        "lead",
    )
    way = page.controls.choice("way", "Code", list(WAYS), "a reshape")
    page.write(Markup('<pre tabindex="0" style="white-space:pre-wrap">{}</pre>').format(inspect.getsource(WAYS[way])))
    page.write(
        inline(
            "In PyTorch this layer is `nn.MultiheadAttention(embed_dim, num_heads)`, where `embed_dim` is d_model. "
            "Besides its output, it returns the attention weights averaged over the heads. With "
            "`average_attn_weights=False` it returns those of each head, and with `need_weights=False` none."
        ),
        "note",
    )


def shape_trace(scene: HeadScene, projected: Array, joined: Array) -> Markup:
    """Return the way of the shapes through the heads, step by step, with a small picture of every array."""
    a, h = scene.attention, scene.n_heads
    steps = [
        ("x", scene.x, "one row per word"),
        ("q = x @ w_q", projected, "one product for all heads, and the same for k and v"),
        ("q = split_heads(q, h)", a.q, "the same numbers in {} of columns".format(several(h, "block"))),
        ("q @ k.mT / √d_k", a.scores, "every query times every key, in each head; d_k is the width of a head"),
        ("softmax(…)", a.weights, "each row of each head sums to 1"),
        ("weights @ v", a.output, "in each head, the weighted sums of its values"),
        ("merge_heads(…)", joined, "the outputs of the heads, concatenated"),
        ("… @ w_o", scene.output, "the attention output"),
    ]
    line = Markup(
        '<div class="step"><div><code>{}</code> <b>{}</b><br><span class="soft">{}</span></div>'
        '<div class="maps">{}</div></div>'
    )
    lines = []
    for code, array, meaning in steps:
        limit = None if array is a.weights else LIMIT
        maps, size = (array, 52) if array.ndim == 3 else (array[None], 120)  # a matrix, or one for each head
        pictures = [Markup("<span>{}</span>").format(thumbnails.thumbnail(one, limit, size)) for one in maps]
        lines.append(line.format(code, shape(*array.shape), inline(meaning), Markup("").join(pictures)))
    return Markup('<div class="trace">{}</div>').format(Markup("").join(lines))


def split_question(sizes: tuple[int, int, int], variant: int) -> Choice:
    """Ask for the shape of the queries split into heads: in the model in view, whose sizes are given, then larger."""
    place = variant % (len(LARGER) + 1)
    length, d_model, n_heads = (sizes, *LARGER)[place]
    where, d_head = "Take a larger model. " if place else "", d_model // n_heads
    heads, words = several(n_heads, "head"), several(length, "word")
    text = prose(
        f"{where}X W_Q is one matrix, {length} × {d_model}. It is split into {heads}. What is the shape of the "
        "result, with the heads first?"
    )
    why = f"{length} · {d_model} = {length * d_model:,} entries stay: {heads} × {words} × {d_head} columns."
    mistakes = {
        shape(n_heads, length, d_model): f"You gave every head all {d_model} columns. Divide the columns by {n_heads}.",
        shape(n_heads, d_head, length): "You transposed each head. Each word stays a row.",
        shape(length, n_heads, d_head): "You put the words first. The heads come first, and each has a row per word.",
    }
    right = shape(n_heads, length, d_head)
    return Choice.of("split", text, right, why, mistakes, variant)
