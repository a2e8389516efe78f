"""A model for the first lesson: trained on the small English of `grammar`, and shipped in a file beside this one.

`python -m attention_core.trained` trains it again from nothing and replaces the file.
"""

from __future__ import annotations  # np.random, named in annotations alone, is slow to load

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array, Tokens
from attention_core.checkpoint import load, save
from attention_core.checks import whole
from attention_core.config import Config
from attention_core.grammar import IDS, WORDS, links, rows, sentence
from attention_core.hand_set import HeadMatrices
from attention_core.head_sets import HeadSet
from attention_core.measures import first_word_score, previous_word_score, self_score
from attention_core.model import attention_weights, checked_tokens, loss_and_gradients, model_forward
from attention_core.parameters import Model, init_model, n_parameters
from attention_core.train import Step, train
from attention_core.vocabulary import Vocabulary, listed

FILE = Path(__file__).with_name("grammar.npz")
CONFIG = Config(len(WORDS), d_model=32, n_heads=4, n_layers=1, max_len=32, d_ff=0, positions="learned")
SEED = 3  # of 0 to 9 the one whose heads are clearest: each kind of link has one that follows it
STEPS = 2500
BATCH_SIZE = 32
LEARNING_RATE = 4e-3
WEIGHT_DECAY = 3.0  # far above the usual 0.01: what a head does not need fades, and what it does stands out
HELD_OUT = 10_007  # the seed of what is measured, apart from training


class Card(NamedTuple):
    """What there is to say about the shipped model."""

    text: str
    licence: str
    parameters: int
    steps: int
    seed: int
    first_loss: float  # nats a word, of the first batch before any update
    last_loss: float  # of other sentences, after training
    command: str  # rebuilds the file


CARD = Card(
    text=f"fresh sentences in each step, drawn from a grammar of {len(WORDS)} words",
    licence="MIT: the grammar is part of this project",
    parameters=n_parameters(CONFIG),
    steps=STEPS,
    seed=SEED,
    first_loss=5.0790,
    last_loss=1.3605,
    command="python -m attention_core.trained",
)


class TrainedHead(NamedTuple):
    """One head of the trained model at work: `attend(*trained_head(words, head))` gives its weights."""

    x: Array  # (T, D), what enters the attention: the stream after the norm of its block
    matrices: HeadMatrices  # the head's own columns
    mask: Array  # (T, T), 0 = allowed, -inf = blocked


class TrainedHeads(NamedTuple):
    """All heads of the trained model at work: `attend_heads(x, matrices, n_heads, mask)` gives their weights."""

    x: Array  # (T, D), what enters the attention
    matrices: HeadSet
    mask: Array  # (T, T), 0 = allowed, -inf = blocked


def training() -> tuple[Model, Iterator[Step]]:
    """Return a model with random numbers, and the steps that train it: on one machine always to the same bits."""
    model = init_model(CONFIG, SEED)

    def task(rng: np.random.Generator) -> Tokens:
        return rows(rng, BATCH_SIZE, CONFIG.max_len)

    return model, train(model, task, STEPS, learning_rate=LEARNING_RATE, weight_decay=WEIGHT_DECAY, seed=SEED)


def fold_gains(model: Model) -> None:
    """Move the gain of each first norm into the three matrices that read it: the same function, written otherwise.

    Decay keeps matrices small, so gains grow to make up for it. With them folded in, x has deviation 1 and the
    trained matrices about that of random ones, so that a random head over the same x is a fair comparison.
    """
    for block in model.parameters.blocks:
        gain, bias = block.norm1
        block.attention.w_qkv[...] *= gain[:, None]  # (y * gain + bias) @ w = (y + bias / gain) @ (gain * w)
        bias /= gain
        gain[...] = 1


def held_out_loss(model: Model) -> float:
    """Return the mean loss, in nats a word, over rows drawn apart from those of training."""
    held_out = rows(np.random.default_rng(HELD_OUT), 127, CONFIG.max_len)
    return loss_and_gradients(model, held_out[:, :-1], held_out[:, 1:])[0]


def habits(model: Model, n_sentences: int = 307) -> dict[str, Array]:
    """Return what each head looks at, (L, H) each: its mean weight over sentences of the grammar.

    "previous", "first" and "self" are of every word; the other names are the kinds of `grammar.links`, and say how
    much of its look a word such as a pronoun gives to the word that it refers to.
    """
    rng = np.random.default_rng(HELD_OUT)
    found: dict[str, list[Array]] = {}
    for _ in range(whole("n_sentences", n_sentences, 1)):
        words = sentence(rng)
        weights = attention_weights(model, [IDS[word] for word in words])  # (L, H, T, T)
        for name, score in (("previous", previous_word_score), ("first", first_word_score), ("self", self_score)):
            found.setdefault(name, []).append(score(weights))
        for query, key, kind in links(words):
            found.setdefault(kind, []).append(weights[:, :, query, key])
    return {name: np.mean(scores, axis=0) for name, scores in found.items()}


@lru_cache(maxsize=1)
def grammar_model() -> tuple[Model, Vocabulary]:
    """Return the shipped model, its arrays read-only, and its vocabulary; the file is read once."""
    model, words = load(FILE)
    model.flat.flags.writeable = False
    return Model.of(model.config, model.flat), Vocabulary(words or ())  # made anew: views keep their own flag


def trained_positions(length: int) -> Array:
    """Return the first rows (T, D) of the encoding that the shipped model learned, in float64."""
    model, _ = grammar_model()
    table: Array | None = model.parameters.position_embedding
    assert table is not None
    return table[: whole("length", length, 0, len(table))].astype(np.float64)


def known_words(words: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the words that the model knows, in either case, and those that it does not."""
    _, vocabulary = grammar_model()
    given = listed("words", words)
    return [word for word in given if word in vocabulary], [word for word in given if word not in vocabulary]


def trained_head(words: Sequence[str], head: int, layer: int = 0) -> TrainedHead:
    """Return one head of the shipped model at work on some words, in float64."""
    x, matrices, mask = trained_heads(words, layer)
    n_heads = CONFIG.n_heads
    whole("head", head, 0, n_heads - 1)
    own = slice(head * len(matrices.w_q) // n_heads, (head + 1) * len(matrices.w_q) // n_heads)
    return TrainedHead(x, HeadMatrices(*(matrix[:, own] for matrix in matrices[:3])), mask)


def trained_heads(words: Sequence[str], layer: int = 0) -> TrainedHeads:
    """Return all heads of the shipped model at work on some words, in float64."""
    model, vocabulary = grammar_model()
    whole("layer", layer, 0, model.config.n_layers - 1)
    tokens = checked_tokens(model, "words", vocabulary.encode(words))
    inside = model_forward(model, tokens).blocks[layer].attention.layer
    w_q, w_k, w_v = np.split(inside.params.w_qkv.astype(np.float64), 3, axis=1)
    return TrainedHeads(
        inside.x.astype(np.float64),
        HeadSet(w_q, w_k, w_v, inside.params.w_o.astype(np.float64)),
        inside.attention.mask.astype(np.float64),
    )


def main() -> None:
    """Train the model, say how the loss falls and what the heads look at, and replace the shipped file."""
    model, steps = training()
    for record in steps:
        if record.step == 1 or record.step % 250 == 0:
            print(f"step {record.step:5}  loss {record.loss:.4f}")
    fold_gains(model)
    save(FILE, model, WORDS, np.float16)
    grammar_model.cache_clear()
    shipped, _ = grammar_model()
    print(f"held-out loss {held_out_loss(shipped):.4f}, {FILE.stat().st_size} bytes")
    print("mean weight, head by head:")
    for name, scores in habits(shipped).items():
        print(f"{name:10}", *(f"{score:.2f}" for score in scores.ravel()))


if __name__ == "__main__":
    main()
