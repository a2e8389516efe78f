"""Exercise on the logit lens: what the model would predict after each layer."""

import numpy as np

from attention_core import softmax
from attention_core.arrays import Array
from attention_core.equations.norm import EPSILON
from pages.exercises.exercise import Case, Exercise, Variant
from pages.exercises.lessons.parts import SOFTMAX, normal

NORM = '''

def layer_norm(x):
    """Each row gets mean 0 and variance 1."""
    x = x - np.mean(x, axis=-1, keepdims=True)
    return x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + 1e-5)
'''


def layer_norm(x: Array) -> Array:
    """Return each row with mean 0 and variance 1."""
    centred = x - x.mean(axis=-1, keepdims=True)
    return np.asarray(centred / np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + EPSILON))


def logit_lens(stream: Array, w_u: Array, *, fault: str = "") -> Array:
    """Return the next-token probabilities that can be read after each layer."""
    if fault == "lens_added":
        stream = np.diff(stream, axis=0, prepend=0)
    logits = (stream if fault == "lens_no_norm" else layer_norm(stream)) @ w_u
    if fault == "lens_late_norm":
        logits = layer_norm(stream @ w_u)
    if fault == "no_softmax":
        return np.asarray(logits)
    probabilities = softmax(logits.T).T if fault == "softmax_axis0" else softmax(logits)
    return np.asarray(probabilities[-1] if fault == "lens_last" else probabilities)


def streams(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return residual streams of a position after each layer, and an unembedding."""
    sizes = ((3, 4, 5), (4, 6, 3), (2, 5, 7))
    return tuple(
        Case(f"{layers - 1} layers, {n} tokens", (normal(rng, layers, width).cumsum(axis=0), normal(rng, width, n)))
        for layers, width, n in sizes
    )


LOGIT_LENS = Exercise(
    id="logit_lens",
    lesson="tiny_lm",
    title="The logit lens",
    signature="logit_lens(stream, W_U)",
    points=10,
    prompt=(
        "Write `logit_lens(stream, W_U)`. `stream` has the residual stream of one position: row 0 is the embedding, "
        "and row l the stream after layer l. `W_U` is the unembedding, with a column for each token. For each row, "
        "return the probabilities that the model would give if it ended there."
    ),
    starter=SOFTMAX
    + NORM
    + """

def logit_lens(stream, W_U):
    # what comes after the last layer, for every row
    return None
""",
    hints=(
        "After its last layer, a model applies LayerNorm, the unembedding and softmax. Apply them to every row.",
        "The unembedding is a matrix product: rows of the stream with columns of W_U.",
        "Apply LayerNorm to the stream, not to the logits, and softmax to each row of logits.",
    ),
    about=("lens_last lens_added", "out_transposed", "lens_no_norm lens_late_norm no_softmax softmax_axis0"),
    solution=SOFTMAX
    + NORM
    + """

def logit_lens(stream, W_U):
    return softmax(layer_norm(stream) @ W_U)
""",
    step="lens",
    reference=logit_lens,
    cases=streams,
    variants=(
        *(
            Variant((fault,), lambda *given, fault=fault: logit_lens(*given, fault=fault))
            for fault in ("lens_no_norm", "lens_late_norm", "lens_added", "lens_last", "no_softmax", "softmax_axis0")
        ),
        Variant(("out_transposed",), lambda stream, w_u: logit_lens(stream, w_u).T),
    ),
    weights=True,
)
