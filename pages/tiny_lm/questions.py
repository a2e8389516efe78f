"""The questions of the lesson on a small language model, with answers computed from what is shown."""

from html import escape

import numpy as np

from attention_core.arrays import Array
from pages.look.html import number, quoted
from pages.page.questions import Choice
from pages.tiny_lm.model_in_view import Subject


def bet_question(subject: Subject, best: int, bets: Array, variant: int) -> Choice:
    """Ask on which token the model bets most once it has written the likeliest."""
    order = np.argsort(-bets, kind="stable")
    first, others = int(order[0]), [int(token) for token in order[1:3]]
    again = [int(token) for token in (best, *subject.tokens[::-1]) if token not in (first, *others)][:1]
    filler = [int(token) for token in order[3:5] if token not in again][: 3 - len(others) - len(again)]
    tokens = [first, *others, *again, *filler]
    written, likeliest = (quoted(escape(subject.token(token))) for token in (best, first))
    reasons = {subject.token(token): f"The model gives it {number(float(bets[token]))}." for token in tokens}
    return Choice.shuffled(
        "bet",
        f"Suppose it writes {written}. On which {subject.unit} does it bet after that?",
        [subject.token(token) for token in tokens if bets[token] == bets[first]],
        f"After {written} it bets {number(float(bets[first]))} on {likeliest}: a new bet, over all {len(bets)} tokens, "
        "from the text as it then stands.",
        reasons,
        [variant],
    )
