"""How a model writes: the statements of the first part."""

import numpy as np

from attention_core.arrays import Array
from attention_core.data_files import read_table
from attention_core.equations.softmax import softmax
from attention_core.experiments.language.kv_cache_proof import predict_after_erasing
from attention_core.model.activations import insides
from attention_core.model.forward import model_forward
from pages.look.facts import furthest, largest
from pages.look.html import quoted
from pages.memory.explain import Experiment, Statements, statements
from pages.page.page import Page
from pages.tiny_lm.explained import explain_model
from pages.tiny_lm.model_in_view import Subject

HOT = 2  # the temperature
KIND = "stories"  # whose statements these are where others do not decide them
SAID = read_table(__file__)


def draw(page: Page) -> bool:
    """Let a student explain how a model writes."""
    return explain_model(page, "Explain how a model writes", statements_of, KIND)


def statements_of(subject: Subject) -> Statements:
    """Return what is said of a prediction, of its sampling, and of the cache; nothing of a model without a mask."""
    model, tokens = subject.model, subject.tokens[1 - subject.model.config.max_len :]
    if len(tokens) < 2 or not model.config.causal:
        return []
    now = insides(model, tokens)
    logits = now.logits[-1].astype(np.float64)
    bets = softmax(logits)
    best = largest(bets, 4).first
    likeliest, last = subject.token(best), subject.token(int(tokens[-1]))

    def bet(done: str, after: Array) -> Experiment:
        return Experiment(done, f"the probability of {quoted(likeliest)}", float(bets[best]), float(after[best]))

    def read(done: str, kept: Array) -> Experiment:
        return bet(done, softmax(model_forward(model, kept).logits[-1]))

    def erased(part: str) -> Experiment:
        return bet(f"The {part} of all earlier tokens are set to 0.", predict_after_erasing(model, tokens, part))

    before, after = (keys[-1, 0] for keys in (now.keys, insides(model, np.append(tokens, best)).keys))  # (T, K)
    place, entry = furthest(before).cell
    what = f"entry {entry + 1} of the key of {quoted(subject.token(int(tokens[place])))} in the last layer"
    appended = f"{quoted(likeliest)} is appended."
    tried = {
        "alone": read("All tokens before it are removed.", tokens[-1:]),
        "earlier": read("The last token is removed.", tokens[:-1]),
        "hot": bet(f"The logits are divided by {HOT}.", softmax(logits / HOT)),
        "appended": Experiment(appended, what, float(before[place, entry]), float(after[place, entry])),
        "values": erased("values"),
        "queries": erased("queries"),
    }
    return statements(SAID, tried, {"last": last, "likeliest": likeliest})
