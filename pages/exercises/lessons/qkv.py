"""Exercises at the end of the lesson on queries, keys and values."""

import numpy as np

from attention_core import scaled_dot_product_attention
from attention_core.arrays import Array
from pages.exercises.exercise import Exercise
from pages.exercises.faults.attention import NORMS, OUTPUTS, PRODUCTS, SCALES, variants, wrong_attention, wrong_weights
from pages.exercises.lessons.parts import (
    WORKED_K,
    WORKED_Q,
    attention_cases,
    own_attention,
    own_scores,
    query_key_cases,
    with_softmax,
)
from pages.exercises.tasks import Lines, fill_in, predict
from pages.look.html import inline, prose
from pages.questions.kinds import Mistake

WEIGHTS_PRODUCTS = [name for name in PRODUCTS if name != "prod_QVt"]
WEIGHTS_SCALES = [name for name in SCALES if name != "scale_dv"]


def weights_alone(q: Array, k: Array) -> Array:
    """Return the weights of attention, which need no values."""
    return scaled_dot_product_attention(q, k, k)[1]


ATTENTION_WEIGHTS = Exercise(
    id="attention_weights",
    lesson="qkv",
    title="Attention weights",
    signature="compute_attention_weights(Q, K)",
    points=15,
    prompt=(
        "Write `compute_attention_weights(Q, K)`. `Q` has a row for each query and `K` a row for each key. Return the "
        "attention weights, softmax(Q Kᵀ / √d_k), with a row for each query and a column for each key. Each row sums "
        "to 1."
    ),
    starter=with_softmax("""
def compute_attention_weights(Q, K):
    d_k = Q.shape[-1]
    # 1. the scores: every query with every key
    # 2. scale them
    # 3. softmax, row by row
    return None
"""),
    hints=(
        "The score of a query and a key is their dot product. One matrix product gives all scores.",
        "Transpose K for the product, then divide by the square root of d_k.",
        "Apply the function `softmax` above to the scaled scores.",
    ),
    about=(
        "prod_ star_scores",
        "no_transpose out_transposed scale no_scale",
        "softmax_a no_softmax no_keepdims norm_ exp_only sigmoid shift_ unstable",
    ),
    solution=with_softmax("""
def compute_attention_weights(Q, K):
    d_k = Q.shape[-1]
    scores = Q @ K.T / np.sqrt(d_k)
    return softmax(scores)
"""),
    step="softmax",
    reference=weights_alone,
    cases=query_key_cases,
    variants=variants(
        wrong_weights,
        {"scale": WEIGHTS_SCALES, "norm": NORMS, "product": WEIGHTS_PRODUCTS, "transposed": ["out_transposed"]},
    ),
    weights=True,
    own=own_scores,
)
ATTENTION = Exercise(
    id="attention",
    lesson="qkv",
    title="Attention",
    signature="attention(Q, K, V)",
    points=15,
    prompt=(
        "Write `attention(Q, K, V)`. Return the output, softmax(Q Kᵀ / √d_k) V, with a row for each query. It is as "
        "wide as `V`. You may return the output, or the output and the weights."
    ),
    starter=with_softmax("""
def attention(Q, K, V):
    # 1. the scaled scores
    # 2. the weights
    # 3. the weighted sum of the values
    return None
"""),
    hints=(
        "Compute the weights as in the exercise before: the softmax of the scaled scores.",
        "Each output is a weighted sum of all values, with the weights of its query.",
        "One matrix product of the weights and V gives all outputs.",
    ),
    about=(
        "scale no_scale prod_ no_transpose star_scores softmax_a no_softmax no_keepdims norm_ exp_only shift_",
        "hard_choice out_weights out_scores",
        "out_ star_output softmax_late",
    ),
    solution=with_softmax("""
def attention(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    weights = softmax(scores)
    return weights @ V, weights
"""),
    step="mix",
    reference=scaled_dot_product_attention,
    cases=attention_cases,
    variants=variants(wrong_attention, {"scale": SCALES, "norm": NORMS, "product": PRODUCTS, "output": OUTPUTS}),
    pair=True,
    own=own_attention,
)
EXERCISES = (ATTENTION_WEIGHTS, ATTENTION)

RIGHT = float(weights_alone(WORKED_Q, WORKED_K)[0, 0])
UNSCALED = float(scaled_dot_product_attention(WORKED_Q, WORKED_K, WORKED_K, scale=1.0)[1][0, 0])
HALVED = float(scaled_dot_product_attention(WORKED_Q, WORKED_K, WORKED_K, scale=0.5)[1][0, 0])

TASKS = (
    predict(
        "attention_weights",
        "exercise_weight",
        "A query is (1, 0). The keys are (1, 0), (0, 1) and (0.5, 0.5). Scores are divided by √d_k. What "
        "attention weight does the first key get?",
        RIGHT,
        "The scores 1, 0 and 0.5, divided by √2, are 0.71, 0 and 0.35. Their exponentials are 2.03, 1 and "
        "1.42, and 2.03 ÷ 4.45 = 0.46.",
        (
            Mistake(UNSCALED, "You did not scale the scores. Divide them by √2 before the softmax."),
            Mistake(HALVED, inline("You divided the scores by d_k = 2. Divide them by √2 ≈ 1.41.")),
            Mistake(1 / np.sqrt(2), "You gave the scaled score. Apply the softmax to all three."),
        ),
        "Take the three dot products, divide each by √2, and apply the softmax.",
    ),
    fill_in(
        ATTENTION_WEIGHTS,
        "exercise_product",
        "Which expression gives the score of every query with every key?",
        "Q @ K.T",
        "Each row is a query and each column a key.",
        {
            "K @ Q.T": "This has a row for each key and a column for each query, so it is transposed.",
            "Q.T @ K": inline("This adds over the words, and leaves a matrix of d_k × d_k."),
            "Q * K": "This multiplies entry by entry and adds nothing. A dot product adds the products.",
        },
    ),
    Lines(
        "attention",
        "exercise_order",
        prose("Put the lines of attention in order."),
        (
            "def attention(Q, K, V):",
            "    scores = Q @ K.T / np.sqrt(K.shape[-1])",
            "    e = np.exp(scores - scores.max(axis=-1, keepdims=True))",
            "    weights = e / e.sum(axis=-1, keepdims=True)",
            "    return weights @ V",
        ),
        prose("Scores, exponentials, weights, and then the weighted sum of the values."),
    ),
)
