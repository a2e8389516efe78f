"""What one can do after the lesson on queries, keys and values."""

import numpy as np
from markupsafe import Markup

from attention_core.equations.softmax import softmax
from pages.look.html import number, prose
from pages.questions.kinds import Choice, Mistake, Number

WORDS = ("cup", "tea", "hot")


def score_question(variant: int) -> Number:
    rng = np.random.default_rng([variant, 21])
    query, key = rng.choice([2, 3, 4], 2, replace=False), rng.choice([2, 3, 5], 2, replace=False)
    score = int(query @ key)
    text = prose(
        f"A query is ({query[0]}, {query[1]}), a key is ({key[0]}, {key[1]}). What is their score, "
        "before it is divided by √d_k?"
    )
    products = query * key
    mistakes = (
        Mistake(float((query + key).sum()), "You added the entries. Multiply entry by entry first."),
        Mistake(float(products.prod()), "You multiplied the products. Add them."),
        Mistake(float(products.max()), "That is one of the two products. Add the other one."),
        Mistake(float(score / np.sqrt(2)), "You divided by √2 already. The question is about the step before."),
    )
    why = f"{query[0]} · {key[0]} + {query[1]} · {key[1]} = {score}."
    return Number("now_score", text, score, 0.4, why, mistakes, "Multiply entry by entry, then add.", 0)


def raised_question(variant: int) -> Choice:
    """Ask what becomes of a row of weights when one score rises."""
    rise = (1.0, 2.0, 0.5)[variant % 3]
    scores = np.random.default_rng([variant, 23]).choice([0.0, 1.0, 2.0, 3.0], 3, replace=False)
    before, after = softmax(scores), softmax(scores + np.array([rise, 0, 0]))
    ratio = float(after[0] / after[1] / (before[0] / before[1]))
    said = tuple(number(score, 0) for score in scores)
    text = prose(
        f"The scaled scores of *cup*, *tea* and *hot* are {said[0]}, {said[1]} and {said[2]}. "
        f"We add {number(rise, 1)} to the scaled score of *cup*. What happens to the weights of the row?"
    )
    right = f"cup’s weight ÷ tea’s is multiplied by about {number(ratio, 1)}"
    mistakes = {
        f"cup’s weight grows by {number(rise, 1)}": "Its scaled score grows by that. Softmax raises e to it.",
        f"cup’s weight ÷ tea’s is multiplied by about {number(1 + rise, 1)}": "You added. Raise e to the difference.",
        "only cup’s weight changes": "The weights of a row sum to 1. If one grows, the others shrink.",
    }
    why = Markup("e<sup>{}</sup> is about {}, and the weights of the other keys keep their ratio.").format(
        number(rise, 1), number(ratio, 1)
    )
    return Choice.of("now_raised", text, right, why, mistakes, variant)


QUESTIONS = (("now_score", score_question), ("now_raised", raised_question))
