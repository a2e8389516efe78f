"""What the lesson on queries, keys and values asks; every answer is computed from the page as it stands."""

import math
from html import escape

import numpy as np

from attention_core.arrays import Array
from attention_core.attention import AttentionCache
from attention_core.softmax import softmax
from attention_core.what_if import added_to_column, added_to_row, moved
from pages.shared.markup import number, prose, typed
from pages.shared.questions import Cell, Choice, Mistake, Number


def shape_question(x: Array, w_q: Array, variant: int) -> Choice:
    """Ask for the shape of Q."""
    (length, d_model), d_k = x.shape, w_q.shape[1]
    reasons = {
        (length, d_k): "",
        (d_k, length): "That is Q lying on its side: words are rows, so Q has a row for each word.",
        (length, d_model): "That is the shape of X itself; W_Q changes the width of its rows.",
        (d_model, d_k): "That is the shape of W_Q, which knows nothing of how many words there are.",
    }
    reasons.pop((length, d_k))
    if not reasons:  # the three sizes are one
        reasons[length, d_model + d_k] = f"Widths are not added: the {d_model} in the middle is summed away."
    shapes = [(length, d_k), *reasons]
    order = np.random.default_rng([variant, 1]).permutation(len(shapes))
    shapes = [shapes[i] for i in order]
    text = prose(
        f"X has {length} rows and {d_model} columns; W_Q has {d_model} rows and {d_k} columns. "
        "What is the shape of Q = X · W_Q, rows first?"
    )
    why = (
        f"({length} × {d_model}) · ({d_model} × {d_k}) = {length} × {d_k}: the {d_model} in the middle is summed away."
    )
    options = tuple(f"{rows} × {columns}" for rows, columns in shapes)
    right = (shapes.index((length, d_k)),)
    return Choice("shape", text, options, right, why, tuple(reasons.get(shape, "") for shape in shapes))


def cell_question(labels: list[str], variant: int) -> Cell:
    """Ask where the score of a query with a key stands."""
    rng = np.random.default_rng([variant, 2])
    asks, answers = (int(i) for i in rng.choice(len(labels), 2, replace=len(labels) < 2))
    text = prose(
        "The table of scores will have a row and a column for every word. "
        "In which cell stands the score that tells how well the query of {asks} matches the key of {answers}?",
        asks=labels[asks],
        answers=labels[answers],
    )
    return Cell(
        "cell",
        text,
        tuple(labels),
        (asks, answers),
        "A row is a query, a column is a key.",
        f"There {typed(labels[answers])} asks and {typed(labels[asks])} answers, which is another number.",
        "One of the two words is another one.",
    )


def scale_question(products: Array, attention: AttentionCache, labels: list[str], variant: int) -> Number:
    """Ask for a score, given the dot product."""
    rng = np.random.default_rng([variant, 3])
    places = rng.integers(len(labels), size=(5, 2))
    asks, answers = max(places.tolist(), key=lambda place: abs(products[*place]))  # small ones hide the mistakes
    d_k = attention.q.shape[-1]
    product, score = float(products[asks, answers]), float(attention.scores[asks, answers])
    text = prose(
        f"The query of {{asks}} times the key of {{answers}} is **{number(product)}**, and d_k, the width of both, is "
        f"{d_k}. What is the score, after dividing by √d_k?",
        asks=labels[asks],
        answers=labels[answers],
    )
    return Number(
        "scale",
        text,
        score,
        max(0.02, 0.02 * abs(score)),
        f"{number(product)} ÷ √{d_k} = {number(product)} ÷ {number(math.sqrt(d_k))} = {number(score)}.",
        (
            Mistake(product, "That is the dot product itself, not yet divided."),
            Mistake(product / d_k, f"You divided by d_k; it is its root, √{d_k}."),
            Mistake(product * math.sqrt(d_k), "You multiplied by the root."),
            Mistake(-score, "The size is right, the sign is not: dividing by a root keeps it."),
        ),
        "",
    )


def brightest_question(attention: AttentionCache, labels: list[str], variant: int) -> Choice:
    """Ask which word gets the largest share of a row, given its scores."""
    row = int(np.random.default_rng([variant, 4]).integers(len(labels)))
    seen = attention.scores[row] if attention.mask is None else attention.scores[row] + attention.mask[row]
    weights = attention.weights[row]
    chips = "".join(
        f"<span>{escape(label)} {'hidden' if score == -np.inf else number(score)}</span>"
        for label, score in zip(labels, seen, strict=True)
    )
    text = prose("These are the scores of {asks}. Which word will it look at most?", asks=labels[row])
    top, best = int(weights.argmax()), weights.max()
    shown = [number(score) for score in seen]
    right = tuple(i for i in range(len(shown)) if shown[i] == shown[top])  # what looks the same is as good
    share = f"The largest score, {number(seen[top])}, becomes the largest share: {number(best)}."
    mistakes = []
    for i, score in enumerate(seen):
        if i in right:
            mistakes.append("")
        elif score == -np.inf:
            mistakes.append("This word may not be seen: it stands further on, and the mask hides it.")
        elif score < 0 < seen[top] <= -score:
            mistakes.append(f"Its score is far from zero, but below it: e to the {number(score)} is small.")
        else:
            mistakes.append(f"Its score is {number(score)}, which is less.")
    question = f'{text}<div class="course chips" style="margin-top:8px">{chips}</div>'
    return Choice("brightest", question, tuple(labels), right, share, tuple(mistakes))


def shift_question(attention: AttentionCache, labels: list[str], variant: int) -> Choice:
    """Ask what a constant does that is added to a row of scores, or in odd variants to a column."""
    place = int(np.random.default_rng([variant, 5]).integers(len(labels)))
    by_row = variant % 2 == 0
    add = added_to_row if by_row else added_to_column
    masked = attention.scores if attention.mask is None else attention.scores + attention.mask
    after = softmax(add(masked, place, 1.0))
    n_moved = int(moved(attention.weights, after).sum())
    if by_row:
        text = prose("Add 1 to every score in the row of {word}. What happens to its weights?", word=labels[place])
    else:
        text = prose("Add 1 to the score of the key {word} in every row. What happens?", word=labels[place])
    options = ("No weight changes", "All weights of the row grow", "The key’s weight grows, the others shrink")
    why = f"Computed both ways: {n_moved} of {after.size} weights have moved."
    if by_row:
        why += " Every exponential of the row is multiplied by e, and so is their sum."
    elif n_moved:
        why += " One exponential in each row is multiplied by e, the others are not."
    else:
        why += " Every share is as good as 0 or 1 here, and stays so."
    sums = "They cannot all grow: the shares of a row sum to 1."
    if n_moved == 0:
        alone = "That would need one score to move alone." if by_row else "Here the shares have no room for it."
        return Choice("shift", text, options, (0,), why, ("", sums, alone))
    same = "Softmax forgets what all scores of a row have in common; here only one score of each row is raised."
    return Choice("shift", text, options, (2,), why, (same, sums, ""))
