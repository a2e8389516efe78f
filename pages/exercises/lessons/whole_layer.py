"""Exercise on a whole layer of multi-head attention."""

import numpy as np

from attention_core import multi_head_attention
from attention_core.arrays import Array
from attention_core.experiments.multi_head.several_heads import random_heads
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.exercises.exercise import Case, Exercise
from pages.exercises.faults.heads import one_fault
from pages.exercises.lessons.parts import OWN, normal, with_softmax


def sentences(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return words, the four matrices and the number of heads."""
    return (
        Case("4 words of width 6, 3 heads", multi_head_arguments(np.random.default_rng(7), 4, 6, 3)),
        Case("3 words of width 8, 2 heads", multi_head_arguments(rng, 3, 8, 2)),
        Case("5 words of width 6, 2 heads", multi_head_arguments(rng, 5, 6, 2)),
        Case("one head", multi_head_arguments(rng, 3, 4, 1)),
        Case("one word", multi_head_arguments(rng, 1, 6, 2)),
    )


def multi_head_arguments(rng: np.random.Generator, length: int, width: int, n_heads: int) -> tuple[Array | int, ...]:
    """Return the arguments of one test."""
    return (normal(rng, length, width), *(normal(rng, width, width) for _ in range(4)), n_heads)


def own_words(words: list[str], d_model: int, n_heads: int, seed: int = 0) -> Case:
    """Return the test on a student's own words: their vectors, and matrices that are random with a seed."""
    heads = random_heads(d_model, seed)
    matrices = (heads.w_q, heads.w_k, heads.w_v, heads.w_o)
    labels = tuple(position_labels(words))
    return Case(OWN, (word_vectors(words, d_model, seed), *matrices, n_heads), rows=labels, columns=labels)


MULTI_HEAD = Exercise(
    id="multi_head",
    lesson="causal_mask",
    title="Multi-head attention",
    signature="multi_head(X, W_Q, W_K, W_V, W_O, n_heads)",
    points=30,
    prompt=(
        "Write `multi_head(X, W_Q, W_K, W_V, W_O, n_heads)`. `X` has a row for each word, and all four matrices are "
        "square. Compute queries, keys and values as `X @ W`. (PyTorch’s `nn.Linear` stores the transpose of W.) Split "
        "them into heads, apply attention in every head, join the heads, and multiply by `W_O`.\n\n"
        "Return the output, or the output and the weights (n_heads, T, T). With the weights, the page shows every head."
    ),
    starter=with_softmax("""
def multi_head(X, W_Q, W_K, W_V, W_O, n_heads):
    T, D = X.shape
    K = D // n_heads
    # 1. project the words
    # 2. split into heads
    # 3. attention in every head
    # 4. join the heads, then W_O
    return None
"""),
    hints=(
        "The parts are, in this order: project, split, scores, softmax, weighted sum, join, W_O.",
        "Head h uses K columns of each projection. You may loop over the heads, or use one more axis.",
        "Inside a head, divide the scores by the square root of the width of that head.",
    ),
    about=(
        "no_w_o x_as one_head w_transposed joined_reshape out_ star_",
        "split_first narrow_factor heads_reshape float_size",
        "scale no_scale",
    ),
    solution=with_softmax("""
def multi_head(X, W_Q, W_K, W_V, W_O, n_heads):
    T, D = X.shape
    K = D // n_heads
    Q, Keys, V = X @ W_Q, X @ W_K, X @ W_V
    outputs, weights = [], []
    for h in range(n_heads):
        own = slice(h * K, (h + 1) * K)
        scores = Q[:, own] @ Keys[:, own].T / np.sqrt(K)
        weights.append(softmax(scores))
        outputs.append(weights[h] @ V[:, own])
    return np.concatenate(outputs, axis=-1) @ W_O, np.stack(weights)
"""),
    step="see",
    reference=multi_head_attention,
    cases=sentences,
    variants=one_fault(),
    pair=True,
    own=own_words,
    own_sizes=True,
)
