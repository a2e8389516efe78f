"""The questions of the lesson on a small language model, with answers computed from what is shown."""

from html import escape

import numpy as np

from attention_core.arrays import Array
from pages.shared.markup import number, quoted
from pages.shared.questions import Choice
from pages.tiny_lm.subject import Subject


def bet_question(subject: Subject, bets: Array, variant: int) -> Choice:
    """Ask on which token the model bets most."""
    order = np.argsort(-bets, kind="stable")
    others = [int(token) for token in order[1:3]]
    again = [int(token) for token in subject.tokens[::-1] if token not in (order[0], *others)][:1]
    filler = [int(token) for token in order[3:5]][: 3 - len(others) - len(again)]
    tokens = [int(order[0]), *others, *again, *filler]
    tokens = [tokens[place] for place in np.random.default_rng(variant).permutation(len(tokens))]
    best = int(order[0])
    mistakes = tuple("" if token == best else f"The model gives it {number(float(bets[token]))}." for token in tokens)
    return Choice(
        "bet",
        f"Read the prompt: {escape(quoted(subject_text(subject)))}. Which {subject.unit} does the model expect next?",
        tuple(subject.token(token) for token in tokens),
        tuple(place for place, token in enumerate(tokens) if bets[token] == bets[best]),
        f"On {escape(quoted(subject.token(best)))} it bets {number(float(bets[best]))}: "
        f"the shares of all {len(bets)} tokens sum to 1.",
        mistakes,
    )


def subject_text(subject: Subject) -> str:
    """Return the prompt as one text."""
    return (" " if subject.unit == "word" else "").join(subject.words)
