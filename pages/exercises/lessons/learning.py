"""The exercises on training: the loss, and the backward pass of attention."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.attention import attention_backward, attention_forward
from attention_core.equations.loss import cross_entropy_forward
from attention_core.equations.masks import additive_mask, causal_mask
from attention_core.equations.softmax import softmax_backward
from attention_core.experiments.multi_head.english_heads import grammar_model, known_words
from attention_core.model.forward import logits as logits_of
from pages.exercises.exercise import Case, Exercise, one_each
from pages.exercises.faults.attention import softmax_over
from pages.exercises.lessons.parts import OWN_WORDS, normal, of_known
from pages.exercises.texts import TEXTS


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


LOSSES: dict[str, Callable[..., Any]] = {  # of all probabilities, and of the probabilities and logits of the targets
    "loss_sum": lambda p, chosen, raw: -np.log(chosen).sum(),
    "loss_sign": lambda p, chosen, raw: np.log(chosen).mean(),
    "loss_bits": lambda p, chosen, raw: -np.log2(chosen).mean(),
    "loss_all": lambda p, chosen, raw: -np.log(p).mean(),
    "loss_no_log": lambda p, chosen, raw: 1 - chosen.mean(),
    "loss_mean_first": lambda p, chosen, raw: -np.log(chosen.mean()),
    "loss_raw": lambda p, chosen, raw: -raw.mean(),
    "loss_likeliest": lambda p, chosen, raw: -np.log(p.max(axis=-1)).mean(),
    "loss_perplexity": lambda p, chosen, raw: np.exp(-np.log(chosen).mean()),
    "loss_axis0": lambda p, chosen, raw: -np.log(chosen).mean(),
    "loss_each": lambda p, chosen, raw: -np.log(chosen),
}


def wrong_loss(logits: Array, targets: Array, *, fault: str) -> Array:
    rows = np.arange(len(targets))
    p = softmax_over(logits, 0 if fault == "loss_axis0" else -1)
    return np.asarray(LOSSES[fault](p, p[rows, targets], logits[rows, targets]))


CROSS_ENTROPY = Exercise(
    **TEXTS["cross_entropy"],
    reference=cross_entropy,
    cases=logits_and_targets,
    own=own_sentence,
    variants=one_each(wrong_loss, LOSSES),
)


def backward(dout: Array, q: Array, k: Array, v: Array, weights: Array) -> Array:
    """Return dq, dk and dv, stacked."""
    return np.stack(attention_backward(dout, attention_forward(q, k, v)._replace(weights=weights)))


def gradients_and_inputs(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return the slopes of an output, and the numbers of the forward pass, once under a causal mask."""
    cases = []
    for length, width, causal in ((3, 2, False), (4, 3, True), (2, 5, False), (1, 2, False)):
        q, k, v = (normal(rng, length, width) for _ in "qkv")
        mask = additive_mask(causal_mask(length)) if causal else None
        weights = attention_forward(q, k, v, mask).weights
        named = f"{length} words of width {width}" + ", causal mask" * causal
        cases.append(Case(named, (normal(rng, length, width), q, k, v, weights)))
    return tuple(cases)


SOFTMAX_BACK: dict[str, Callable[..., Array]] = {  # dscores, unscaled
    "right": lambda dw, w: softmax_backward(dw.copy(), w),
    "back_no_softmax": lambda dw, w: dw,
    "back_no_sum": lambda dw, w: w * dw,
    "back_axis": lambda dw, w: w * (dw - (dw * w).sum(axis=0, keepdims=True)),
    "back_not_times": lambda dw, w: dw - (dw * w).sum(axis=-1, keepdims=True),
}
BACKWARD = (*list(SOFTMAX_BACK)[1:], "back_no_scale", "back_dk", "back_dv", "back_swapped")


def wrong_backward(dout: Array, q: Array, k: Array, v: Array, weights: Array, *, fault: str) -> Array:
    dscores = SOFTMAX_BACK[fault if fault in SOFTMAX_BACK else "right"](dout @ v.T, weights)
    dscores = dscores / (1 if fault == "back_no_scale" else np.sqrt(q.shape[-1]))
    dq, dk = dscores @ k, (dscores if fault == "back_dk" else dscores.T) @ q
    dv = (weights if fault == "back_dv" else weights.T) @ dout
    return np.stack([dk, dq, dv] if fault == "back_swapped" else [dq, dk, dv])


ATTENTION_BACKWARD = Exercise(
    **TEXTS["attention_backward"],
    reference=backward,
    cases=gradients_and_inputs,
    variants=one_each(wrong_backward, BACKWARD),
)
