"""A model writes a text with a student's sampler: the model runs here, and each choice in the sandbox."""

from typing import NamedTuple

import numpy as np

from attention_core.experiments.multi_head.english_heads import grammar_model, known_words
from attention_core.model.forward import logits
from pages.exercises.lessons.parts import OWN_WORDS
from pages.exercises.submission import call

N_NEW, TEMPERATURE, TOP_K, SEED = 12, 0.8, 8, 0


class Written(NamedTuple):
    """A prompt and what was written after it."""

    prompt: tuple[str, ...]
    new: tuple[str, ...]


def write_on(source: str, entry: str, words: list[str]) -> Written | None:
    """Return what Toy English writes where the student's function chooses each token, until it returns none."""
    model, vocabulary = grammar_model()
    prompt = known_words(words)[0] or OWN_WORDS.split()
    tokens, rng = [int(token) for token in vocabulary.encode(prompt)], np.random.default_rng(SEED)
    for _ in range(min(N_NEW, model.config.max_len - len(tokens))):
        last = logits(model, np.array(tokens))[-1].astype(np.float64)
        token = call(source, entry, (last, TEMPERATURE, TOP_K, float(rng.random())))
        if not isinstance(token, np.ndarray) or token.size != 1 or token.dtype.kind not in "iuf":
            break
        chosen = float(token.reshape(()))
        if not (chosen.is_integer() and 0 <= chosen < len(last)):
            break
        tokens.append(int(chosen))
    new = vocabulary.decode(tokens[len(prompt) :])
    return Written(tuple(prompt), tuple(new)) if new else None
