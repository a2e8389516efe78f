"""How a model copies: the statements of the third part, on the two heads of an induction."""

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.data_files import read_table
from attention_core.equations.softmax import softmax
from attention_core.experiments.inside.induction import copy_scores, recall_rows
from attention_core.experiments.inside.patching import run_with_heads
from attention_core.model.activations import Insides, insides
from attention_core.text.corpora import HELD_OUT
from attention_core.text.recall_task import recall_targets
from pages.look.facts import largest
from pages.look.html import number, quoted
from pages.memory.explain import Experiment, Statements, statements
from pages.page.page import Page
from pages.server.model_cache import cached
from pages.tiny_lm.common import head_word
from pages.tiny_lm.explained import explain_model
from pages.tiny_lm.model_in_view import Subject

ROWS, LENGTH = 64, 32  # the sequences by which the heads are found
KIND = "recall"  # whose statements these are where others do not decide them
SAID = read_table(__file__)


def draw(page: Page) -> bool:
    """Let a student explain how heads of two layers copy."""
    return explain_model(page, "Explain how a model copies", statements_of, KIND, alone=True)


def statements_of(subject: Subject) -> Statements:
    """Return what is said of the two heads; nothing where the last letter repeats none, or several."""
    model, tokens, words = subject.model, subject.tokens, subject.words
    sources = recall_targets(tokens).sources[-1]
    regular = all(word.isdigit() == place % 2 for place, word in enumerate(words))
    if not regular or sources.sum() != 1:
        return []
    asks, answer = len(tokens) - 1, int(np.flatnonzero(sources)[0])
    n_heads, scores = model.config.n_heads, cached(copy_scores, model, recall_rows(ROWS, LENGTH, HELD_OUT))
    early, late = (divmod(largest(found).first, n_heads) for found in (scores.letter, scores.answer))
    digit, now = subject.labels[answer], insides(model, tokens)
    names = {"early": head_word(*early), "late": head_word(*late)}

    def replaced(place: int) -> tuple[str, Insides]:
        """Put the first other letter, or digit, of the vocabulary at a place, and run the model again."""
        old, changed = words[place], tokens.copy()
        tokens_of = subject.vocabulary.tokens
        new = next(word for word in tokens_of if word != old and word.isdigit() == old.isdigit())
        changed[place] = tokens_of.index(new)
        return new, insides(model, changed)

    def read(where: str, first: int, then: int) -> Experiment:
        row = now.weights[(*early, answer)]
        weights, labels = (float(row[first]), float(row[then])), (subject.labels[first], subject.labels[then])
        return Experiment(f"Its weights are read: on {where}.", "what is read", *weights, names=labels)

    def found(done: str, before: Array, after: Array) -> Experiment:
        what, cell = f"the weight of head {names['late']} on {quoted(digit)}", (*late, asks, answer)
        return Experiment(done, what, float(before[cell]), float(after[cell]))

    letter, changed = replaced(answer - 1)
    becomes = found(f"The letter before {quoted(digit)} becomes {quoted(letter)}.", now.weights, changed.weights)
    others = range(early[0] * n_heads, (early[0] + 1) * n_heads)
    one_off, all_off = (run_with_heads(model, tokens, heads).weights for heads in ([others[early[1]]], [*others]))
    left = found(f"All heads of layer {early[0] + 1} are switched off.", one_off, all_off)
    other, swapped = replaced(answer)
    bet, then = (float(softmax(run.logits[-1])[subject.vocabulary.encode([other])[0]]) for run in (now, swapped))
    copied = Experiment(f"{quoted(digit)} becomes {quoted(other)}.", f"the probability of {quoted(other)}", bet, then)
    before = read("the digit itself, then on the letter before it", answer, answer - 1)
    last = read("the letter before it, then on the last letter", answer - 1, asks)
    tried = {"before": before, "last": last, "becomes": becomes, "left": left, "copied": copied}
    names["left"] = number(left.before)
    plain = {key: Markup("{}").format(name) for key, name in names.items()}  # a student's words alone are quoted
    return statements(SAID, tried, plain | {"digit": digit, "other": other})
