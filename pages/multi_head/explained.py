"""What heads and W_O do: the statements of the third lesson, tested on the sentence of the student."""

import numpy as np

from attention_core.arrays import Array
from attention_core.data_files import read_table
from attention_core.equations.multi_head import head_writes
from attention_core.experiments.multi_head.english_heads import CONFIG, trained_heads
from attention_core.experiments.multi_head.head_parts import (
    attention_parameters,
    sum_of_heads,
    without_output_matrix,
    zero_heads,
)
from attention_core.experiments.multi_head.several_heads import attend_heads, random_heads
from attention_core.experiments.qkv.perturb import zeroed_rows
from attention_core.text.word_vectors import position_labels
from pages.heads.matrices import familiar
from pages.look.facts import furthest
from pages.look.html import quoted
from pages.look.sentences import first_query
from pages.memory.explain import Experiment, Statements, explain_sentence, statements
from pages.multi_head.scene import SENTENCE
from pages.page.page import Page

COUNTED = 64, 8  # d_model and heads
SAID = read_table(__file__)


def draw(page: Page) -> bool:
    """Let a student explain what heads read and write."""
    return explain_sentence(page, "Explain what heads do", statements_of, SENTENCE)


def statements_of(words: list[str]) -> Statements:
    """Return what is said of a word’s query in one head, of its output, and of the cost of heads."""
    words, _ = familiar(words, SENTENCE)
    labels, (x, heads, mask) = position_labels(words), trained_heads(words)
    width, asks = CONFIG.d_head, first_query(labels)
    it = quoted(labels[asks])
    own, place = x.copy(), [row for row in range(len(words)) if row != asks]
    own[asks, width:] = 0  # what a slice for head 1 would not hold
    query, of_slice = (np.asarray(one @ heads.w_q[:, :width])[asks] for one in (x, own))
    entry = furthest(query - of_slice).first

    def read(done: str, after: Array) -> Experiment:
        return Experiment(done, f"entry {entry + 1} of the query", float(query[entry]), float(after[entry]))

    output = attend_heads(x, heads, CONFIG.n_heads, mask).output
    both = without_output_matrix(heads), heads
    beside, mixed = (head_writes(output, matrices.w_o)[:, asks] for matrices in both)  # (H, D)
    first, (other, second) = furthest(beside[0]).first, furthest(mixed[1:]).cell

    def off(heads: list[int], writes: Array, column: int) -> Experiment:
        what = f"entry {column + 1} of the output of {it}"
        before, after = (float(sum_of_heads(parts)[column]) for parts in (writes, zero_heads(writes, heads)))
        done = "All heads but the first are" if len(heads) > 1 else f"Head {heads[0] + 1} is"
        return Experiment(f"{done} switched off.", what, before, after)

    d_model, n_heads = COUNTED
    counted = [part for matrix in random_heads(d_model) for part in np.split(matrix, n_heads, axis=1)]
    one, eight = attention_parameters(d_model), sum(part.size for part in counted)
    done = f"The entries of all matrices are counted, for d_model = {d_model} and 1 head, then {n_heads}."
    tried = {
        "outside": read(f"All entries of its vector are set to 0 but the first {width}.", of_slice),
        "others": read("All other vectors are set to 0.", zeroed_rows(x, *place)[asks] @ heads.w_q[:, :width]),
        "alone": off([*range(1, CONFIG.n_heads)], beside, first),
        "first off": off([0], beside, first),
        "without": off([other + 1], mixed, second),
        "counted": Experiment(done, "the number of parameters", one, eight, 0),
    }
    numbers = {"times": float(n_heads * one), "part": one / n_heads}
    return statements(SAID, tried, {"asks": labels[asks]}, numbers)
