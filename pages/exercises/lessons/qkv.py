"""Exercises at the end of the lesson on queries, keys and values."""

import numpy as np

from attention_core import scaled_dot_product_attention
from pages.exercises.exercise import Exercise
from pages.exercises.faults.attention import NORMS, OUTPUTS, PRODUCTS, SCALES, variants, wrong_attention, wrong_weights
from pages.exercises.lessons.parts import SOFTMAX, WORKED_K, WORKED_Q, attention_cases, query_key_cases
from pages.exercises.tasks import Blank, Lines, Prediction
from pages.look.html import prose
from pages.page.questions import Choice, Mistake, Number

WEIGHTS_PRODUCTS = [name for name in PRODUCTS if name != "prod_QVt"]
WEIGHTS_SCALES = [name for name in SCALES if name != "scale_dv"]


def weights_alone(q, k):
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
        "matrix of weights, softmax(Q Kᵀ / √d_k): a row for each query, a column for each key, and every row sums to 1."
    ),
    starter=SOFTMAX
    + """

def compute_attention_weights(Q, K):
    d_k = Q.shape[-1]
    # 1. the scores: every query with every key
    # 2. scale them
    # 3. softmax, row by row
    return None
""",
    hints=(
        "The score of a query and a key is their dot product: one matrix product gives all of them.",
        "Transpose K for the product, then divide by the square root of d_k.",
        "The function `softmax` above does the last step: give it the scaled scores.",
    ),
    solution=SOFTMAX
    + """

def compute_attention_weights(Q, K):
    d_k = Q.shape[-1]
    scores = Q @ K.T / np.sqrt(d_k)
    return softmax(scores)
""",
    reference=weights_alone,
    cases=query_key_cases,
    variants=variants(
        wrong_weights,
        {"scale": WEIGHTS_SCALES, "norm": NORMS, "product": WEIGHTS_PRODUCTS, "transposed": ["out_transposed"]},
    ),
    shares=True,
)
ATTENTION = Exercise(
    id="attention",
    lesson="qkv",
    title="Attention",
    signature="attention(Q, K, V)",
    points=15,
    prompt=(
        "Write `attention(Q, K, V)`. Return the output, softmax(Q Kᵀ / √d_k) V: a row for each query, as wide as `V`. "
        "You may return the output alone, or the output and the weights."
    ),
    starter=SOFTMAX
    + """

def attention(Q, K, V):
    # 1. the scaled scores
    # 2. the weights
    # 3. mix the values
    return None
""",
    hints=(
        "The weights are those of the exercise before: the softmax of the scaled scores.",
        "Each output is a mix of all the values, with the weights of its query as shares.",
        "A matrix product of the weights and V mixes them all at once.",
    ),
    solution=SOFTMAX
    + """

def attention(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    weights = softmax(scores)
    return weights @ V, weights
""",
    reference=scaled_dot_product_attention,
    cases=attention_cases,
    variants=variants(wrong_attention, {"scale": SCALES, "norm": NORMS, "product": PRODUCTS, "output": OUTPUTS}),
    pair=True,
)
EXERCISES = (ATTENTION_WEIGHTS, ATTENTION)

RIGHT = float(weights_alone(WORKED_Q, WORKED_K)[0, 0])
UNSCALED = float(scaled_dot_product_attention(WORKED_Q, WORKED_K, WORKED_K, scale=1.0)[1][0, 0])
HALVED = float(scaled_dot_product_attention(WORKED_Q, WORKED_K, WORKED_K, scale=0.5)[1][0, 0])

TASKS = (
    Prediction(
        "qkv",
        "attention_weights",
        Number(
            "exercise_weight",
            prose(
                "A query is (1, 0). The keys are (1, 0), (0, 1) and (0.5, 0.5). How much weight does the first key get?"
            ),
            RIGHT,
            0.01,
            prose("The scores are 1, 0 and 0.5; divided by √2 they are 0.71, 0 and 0.35. Then comes the softmax."),
            (
                Mistake(UNSCALED, "That is the softmax of the scores before they are divided by √2."),
                Mistake(HALVED, "That is with the scores divided by 2: it is the square root of 2."),
                Mistake(1 / np.sqrt(2), "That is the scaled score: the softmax is still to come."),
            ),
            "Take the three dot products, divide each by √2, then share 1 out by their exponentials.",
        ),
    ),
    Blank(
        "qkv",
        "attention_weights",
        Choice(
            "exercise_product",
            prose("Which expression gives the score of every query with every key?"),
            ("Q @ K.T", "K @ Q.T", "Q.T @ K", "Q * K"),
            (0,),
            prose("Row by row the queries, column by column the keys."),
            (
                "",
                "That has a row for each key and a column for each query: it is transposed.",
                "That sums over the words, and leaves the width times the width.",
                "That multiplies number by number, and only works for as many queries as keys.",
            ),
        ),
        SOFTMAX
        + """

def compute_attention_weights(Q, K):
    scores = ____
    return softmax(scores / np.sqrt(K.shape[-1]))
""",
    ),
    Lines(
        "qkv",
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
        prose("Scores, exponentials, shares, and then the mix of the values."),
    ),
)
