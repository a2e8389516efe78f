"""What one can do after the lesson on several heads."""

import numpy as np

from attention_core.experiments.multi_head.head_parts import sum_of_heads, zero_heads
from pages.look.html import number, prose
from pages.questions.kinds import Mistake, Number

SIZES = ((64, 8), (48, 4), (96, 6), (32, 4))  # d_model and heads


def read_question(variant: int) -> Number:
    """Ask how many entries of a word’s vector one entry of a head’s query depends on."""
    d_model, n_heads = SIZES[variant % len(SIZES)]
    text = prose(
        f"A model has d_model = {d_model} and {n_heads} heads. On how many entries of a word’s vector does one entry "
        "of a head’s query depend?"
    )
    mistakes = (
        Mistake(d_model // n_heads, "That is the width of the head. Its query is cut, but the word’s vector is not."),
        Mistake(n_heads, "That is the number of heads. Each head has other columns."),
    )
    why = f"A column of W_Q has {d_model} entries, one for each entry of the vector."
    return Number("now_read", text, d_model, 0.4, why, mistakes, "Think of one column of the matrix W_Q.", 0)


def written_question(variant: int) -> Number:
    """Ask for an entry of the output without one head."""
    parts = np.random.default_rng([variant, 41]).choice([-4.0, -3.0, -1.0, 2.0, 3.0, 5.0], 3, replace=False)
    off = variant % 3
    right = float(sum_of_heads(zero_heads(parts.reshape(3, 1, 1), [off])).item())
    written = ", ".join(number(part, 0) for part in parts)
    text = prose(
        f"Three heads write {written} into one entry of the output. What is this entry if head {off + 1} is switched "
        "off?"
    )
    mistakes = (
        Mistake(float(parts.sum()), "That is the entry with all heads on."),
        Mistake(float(parts[off]), "That is the part that is missing."),
        Mistake(right / 2, "You took a mean. W_O adds the parts."),
        Mistake(float(parts.sum() + parts[off]), "You added the part once more. It is missing now."),
    )
    why = f"The other two parts add up to {number(right, 0)}."
    return Number("now_written", text, right, 0.4, why, mistakes, "The output is the sum of the parts of all heads.", 0)


QUESTIONS = (("now_read", read_question), ("now_written", written_question))
