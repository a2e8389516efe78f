"""Exercises on training: the loss, and one step of gradient descent for a bigram model."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.loss import cross_entropy_backward, cross_entropy_forward
from attention_core.experiments.multi_head.english_heads import grammar_model, known_words
from attention_core.model.forward import logits as logits_of
from pages.exercises.exercise import Case, Exercise, Variant
from pages.exercises.faults.attention import softmax_over
from pages.exercises.lessons.parts import OWN, OWN_WORDS, SOFTMAX, normal, of_known


def cross_entropy(logits: Array, targets: Array) -> Array:
    """Return the mean surprisal of the targets, in nats."""
    return np.array(cross_entropy_forward(logits, targets)[0])


def logits_and_targets(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return rows of logits and the token that followed each."""
    return (
        Case("the worked example", (np.log([[1.0, 2.0, 1.0], [1.0, 1.0, 6.0]]).round(3), np.array([1, 0]))),
        Case("4 positions, 5 tokens", (normal(rng, 4, 5), rng.integers(5, size=4))),
        Case("6 positions, 3 tokens", (normal(rng, 6, 3), rng.integers(3, size=6))),
        Case("large numbers", (900 + normal(rng, 3, 4), rng.integers(4, size=3)), large=True),
    )


def own_sentence(words: list[str], d_model: int, n_heads: int) -> Case:
    """Return the test on what Toy English predicts in a student's words, and on what follows."""
    known = known_words(words)[0]
    known = known if len(known) > 1 else OWN_WORDS.split()
    model, vocabulary = grammar_model()
    ids = vocabulary.encode(known)
    told = f"The logits are those of Toy English, the targets what follows each word in “{' '.join(known)}”."
    return of_known(words, logits_of(model, ids[:-1]).astype(float), ids[1:], rows=(), columns=(), told=told)


def wrong_loss(logits: Array, targets: Array, *, fault: str) -> Array:
    """Return the loss with one fault."""
    rows = np.arange(len(targets))
    probabilities = softmax_over(logits, 0 if fault == "loss_axis0" else -1)
    chosen = probabilities[rows, targets]
    faults: dict[str, Callable[[], Any]] = {
        "loss_sum": lambda: -np.log(chosen).sum(),
        "loss_sign": lambda: np.log(chosen).mean(),
        "loss_bits": lambda: -np.log2(chosen).mean(),
        "loss_all": lambda: -np.log(probabilities).mean(),
        "loss_no_log": lambda: 1 - chosen.mean(),
        "loss_mean_first": lambda: -np.log(chosen.mean()),
        "loss_raw": lambda: -logits[rows, targets].mean(),
        "loss_likeliest": lambda: -np.log(probabilities.max(axis=-1)).mean(),
        "loss_perplexity": lambda: np.exp(-np.log(chosen).mean()),
        "loss_axis0": lambda: -np.log(chosen).mean(),
        "loss_each": lambda: -np.log(chosen),
    }
    return np.asarray(faults[fault]())


LOSS_FAULTS = (
    *("loss_sum", "loss_sign", "loss_bits", "loss_all", "loss_no_log", "loss_mean_first", "loss_raw"),
    *("loss_likeliest", "loss_perplexity", "loss_axis0", "loss_each"),
)


def bigram_step(table: Array, ids: Array, rate: float) -> Array:
    """Return the table of logits after one step of gradient descent on all pairs of neighbours."""
    before, after = ids[:-1], ids[1:]
    _, cache = cross_entropy_forward(table[before], after)
    gradient = np.zeros_like(table)
    np.add.at(gradient, before, cross_entropy_backward(cache, 1 / len(after)))
    return np.asarray(table - rate * gradient)


def tables_and_texts(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return a table of logits, a text in which tokens return, and a learning rate."""
    return (
        Case("the worked example", (np.zeros((3, 3)), np.array([0, 1, 0, 1, 2]), 1.0)),
        Case("5 tokens, text of 9", (normal(rng, 5, 5), with_repeats(rng, 5, 9), 0.5)),
        Case("4 tokens, text of 12", (normal(rng, 4, 4), with_repeats(rng, 4, 12), 2.0)),
    )


def own_pairs(words: list[str], d_model: int, n_heads: int) -> Case:
    """Return the test on a student's words, with a table of zeros and a rate at which a pair counts 1."""
    text = words if len(words) > 1 else OWN_WORDS.split()
    kinds = tuple(dict.fromkeys(text))
    ids = np.array([kinds.index(word) for word in text])
    told = "W was zero, and the rate is the number of pairs. A row is the word before, a column the word that follows."
    arguments = (np.zeros((len(kinds), len(kinds))), ids, float(len(ids) - 1))
    return Case(OWN, arguments, rows=kinds, columns=kinds, axes=("word before", "word after", "logit"), told=told)


def with_repeats(rng: np.random.Generator, n_tokens: int, length: int) -> Array:
    """Return a text whose first token returns and is followed by another one."""
    ids = rng.integers(n_tokens, size=length)
    ids[:4] = [1, 2, 1, 0]
    return np.asarray(ids)


def wrong_step(table: Array, ids: Array, rate: float, *, fault: str) -> Array:
    """Return the table after a step with one fault."""
    before, after = ids[:-1], ids[1:]
    probabilities = table[before] if fault == "step_raw" else softmax_over(table[before], -1)
    one_hot = np.eye(len(table))[after]
    change = probabilities - (0 if fault == "step_no_target" else one_hot)
    if fault == "step_only_target":
        change = (probabilities - 1) * one_hot
    change = change / (1 if fault == "step_sum" else len(ids) if fault == "step_length" else len(after))
    gradient = np.zeros_like(table)
    if fault == "step_repeated":
        gradient[before] += change
    elif fault == "step_columns":
        np.add.at(gradient.T, before, change)
    elif fault == "step_after":
        np.add.at(gradient, after, change)
    else:
        np.add.at(gradient, before, change)
    if fault == "step_gradient":
        return gradient
    sign = -1 if fault == "step_uphill" else 1
    return np.asarray(table - sign * (1 if fault == "step_no_rate" else rate) * gradient)


STEP_FAULTS = (
    *("step_uphill", "step_sum", "step_length", "step_repeated", "step_columns", "step_after", "step_raw"),
    *("step_no_target", "step_only_target", "step_no_rate", "step_gradient"),
)

CROSS_ENTROPY = Exercise(
    id="cross_entropy",
    lesson="tiny_lm",
    title="Cross-entropy loss",
    signature="cross_entropy(logits, targets)",
    points=10,
    prompt=(
        "Write `cross_entropy(logits, targets)`. `logits` has a row for each position, and `targets` the id of the "
        "token that followed it. Return one number, the mean of −log p over all positions. Here p is the probability "
        "of the target. Logits of 900 must not overflow."
    ),
    starter=SOFTMAX
    + """

def cross_entropy(logits, targets):
    # 1. the probabilities of each position
    # 2. the probability of its target
    # 3. the mean of -log
    return None
""",
    hints=(
        "The function `softmax` above makes probabilities of each row.",
        "Take one number from each row: row t, column targets[t]. Two index arrays do this at once.",
        "Take the natural logarithm of each of these, change the sign, and average.",
    ),
    about=("loss_raw loss_axis0 unstable", "loss_all loss_likeliest", "loss_s loss_bits loss_no loss_m loss_p loss_e"),
    solution=SOFTMAX
    + """

def cross_entropy(logits, targets):
    p = softmax(logits)[np.arange(len(targets)), targets]
    return -np.log(p).mean()
""",
    step="loss",
    reference=cross_entropy,
    cases=logits_and_targets,
    own=own_sentence,
    variants=tuple(
        Variant((fault,), lambda *given, fault=fault: wrong_loss(*given, fault=fault)) for fault in LOSS_FAULTS
    ),
)
BIGRAM_STEP = Exercise(
    id="bigram_step",
    lesson="tiny_lm",
    title="One training step of a bigram model",
    signature="bigram_step(W, ids, rate)",
    points=20,
    prompt=(
        "Write `bigram_step(W, ids, rate)`. Row a of `W` holds the logits of what follows token a. For each token of "
        "the text `ids` but the last, the model predicts the next one. Return `W` after one step of gradient descent "
        "on the mean cross-entropy.\n\n"
        "The gradient with respect to the logits of a position is its probabilities, minus 1 at the target, divided "
        "by the number of positions."
    ),
    starter=SOFTMAX
    + """

def bigram_step(W, ids, rate):
    before, after = ids[:-1], ids[1:]
    # 1. the probabilities that the model gives
    # 2. minus 1 at the token that came, divided by the number of pairs
    # 3. add this up in the row of the token before
    # 4. one step down
    return None
""",
    hints=(
        "`W[before]` has a row of logits for each pair. Apply softmax to each row.",
        "Subtract 1 in row t at column after[t], and divide all by the number of pairs.",
        "If a token comes twice, its row gets both gradients. A loop adds them; indexing with a list keeps only one.",
    ),
    about=("step_raw step_after", "step_no_target step_only_target step_sum step_length", "step_repeated step_columns"),
    solution=SOFTMAX
    + """

def bigram_step(W, ids, rate):
    before, after = ids[:-1], ids[1:]
    change = softmax(W[before])
    change[np.arange(len(after)), after] -= 1
    gradient = np.zeros_like(W)
    for token, row in zip(before, change / len(after)):
        gradient[token] += row
    return W - rate * gradient
""",
    step="gradient",
    reference=bigram_step,
    cases=tables_and_texts,
    own=own_pairs,
    variants=tuple(
        Variant((fault,), lambda *given, fault=fault: wrong_step(*given, fault=fault)) for fault in STEP_FAULTS
    ),
)
