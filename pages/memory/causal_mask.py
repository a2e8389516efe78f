"""What one can do after the lesson on causal masks."""

import numpy as np

from attention_core.equations.masks import causal_mask
from attention_core.equations.softmax import softmax
from attention_core.experiments.qkv.wrong_on_purpose import softmax_of_zeroed_scores, zero_and_renormalise
from attention_core.experiments.scaling.head_metrics import weight_on_blocked
from pages.look.html import inline, number, prose
from pages.questions.kinds import Choice, Mistake, Number

LENGTHS = (3, 5, 4, 6)  # of texts
TEXT = ("the", "small", "dog", "sat", "on", "the", "rug")
READ = (12, 30, 8, 50)  # tokens that a model has read


def weight_question(variant: int) -> Number:
    """Ask for a weight of a row of equal scores whose last word is masked."""
    length = LENGTHS[variant % len(LENGTHS)]
    score, future = ((1, 3), (2, 4), (1, 4))[variant % 3]
    scores = np.full((length, length), float(score))
    scores[:, -1] = future
    blocked, row = causal_mask(length), length - 2
    right = float(zero_and_renormalise(scores, blocked)[row, 0])
    plain, multiplied = (float(one[row, 0]) for one in (softmax(scores), softmax_of_zeroed_scores(scores, blocked)))
    text = prose(
        f"Under a causal mask, word {row + 1} of {length} has these scaled scores: {score} with each word up to "
        f"itself, and {future} with the word after it. What weight does it give to the first word?"
    )
    mistakes = (
        Mistake(plain, "That is the weight before the mask. The mask removes the last word from the sum of the row."),
        Mistake(multiplied, "You gave the masked word a score of 0. Only −∞ takes it out of the sum."),
        Mistake(1 / length, "You counted the masked word too. It has a score of −∞, so it gets nothing."),
        Mistake(1 / row, "You masked the word itself too. A word may attend to itself."),
        Mistake(float(weight_on_blocked(softmax(scores), blocked)[row]), "You gave the masked word’s weight."),
    )
    kept = tuple(mistake for mistake in mistakes if abs(mistake.value - right) > 0.02)
    why = f"The scaled score of each of the {row + 1} words is {score}, so each gets 1 ÷ {row + 1} = {number(right)}."
    return Number("now_weight", text, right, 0.01, why, kept, "Count the words that it may attend to, itself included.")


def copy_question(variant: int) -> Choice:
    """Ask what a model attends to that was trained without a mask."""
    place = 1 + variant % 4
    text = prose(
        "A model is trained without a mask. It reads *{text}*, and at *{word}* it must predict the next word. "
        "Attending to which word lowers its loss most?".format(text=" ".join(TEXT), word=TEXT[place])
    )
    right = TEXT[place + 1]
    mistakes = {
        TEXT[place - 1]: "An earlier word only helps to guess. Without a mask, the answer itself is in the input.",
        TEXT[place]: "A word only helps to guess the one after it. Without a mask, the answer itself is in the input.",
        TEXT[-1]: "That is the last word of the text. At this position, the answer is the word that follows.",
    }
    why = f"*{right}* is the answer. So the model learns to copy it, and has nothing to copy when it generates."
    return Choice.of("now_copy", text, right, inline(why), mistakes, variant)


QUESTIONS = (("now_weight", weight_question), ("now_copy", copy_question))
