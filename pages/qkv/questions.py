"""What the lesson on queries, keys and values asks; every answer is computed from the page as it stands."""

import math

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.equations.softmax import softmax
from attention_core.experiments.perturb import add_to_column, add_to_row, changed_cells, masked_scores
from pages.look.html import inline, number, prose, typed
from pages.page.matrices import Scene
from pages.page.questions import Cell, Choice, Mistake, Number


def shape_question(scene: Scene, variant: int) -> Choice:
    """Ask for the shape of one of the products on the way from X to the output."""
    (length, d_model), d_k, d_v = scene.x.shape, scene.head.w_q.shape[1], scene.head.w_v.shape[1]
    product, left, left_shape, right, right_shape = (
        ("Q = X · W_Q", "X", (length, d_model), "W_Q", (d_model, d_k)),
        ("V = X · W_V", "X", (length, d_model), "W_V", (d_model, d_v)),
        ("Q · Kᵀ", "Q", (length, d_k), "Kᵀ, which is K turned over,", (d_k, length)),
        ("their product, the output", "The table of weights", (length, length), "V", (length, d_v)),
    )[variant % 4]
    (rows, middle), columns = left_shape, right_shape[1]
    summed = f"the {middle} in the middle is summed away."
    reasons = {
        (columns, rows): "That is the answer lying on its side: the rows come from the left.",
        left_shape: "That is the shape of the left one itself.",
        right_shape: "That is the shape of the right one itself.",
        (middle, middle): f"That is twice the number that vanishes: {summed}",
    }
    reasons.pop((rows, columns), None)
    if not reasons:  # all sizes are the same
        reasons[rows, middle + columns] = f"Widths are not added: {summed}"
    said = {f"{height} × {width}": reason for (height, width), reason in reasons.items()}
    right_one = f"{rows} × {columns}"
    text = prose(
        f"{left} is {rows} × {middle} (rows × columns), {right} is {middle} × {columns}. "
        f"What is the shape of {product}?"
    )
    why = f"({rows} × {middle}) · ({middle} × {columns}) = {rows} × {columns}: {summed}"
    return Choice.shuffled("shape", text, [right_one], why, {right_one: ""} | said, [variant, 1])


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
        "That is another pair of words.",
    )


def scale_question(products: Array, attention: AttentionCache, labels: list[str], variant: int) -> Number:
    """Ask for a score, given the dot product."""
    rng = np.random.default_rng([variant, 3])
    places = rng.integers(len(labels), size=(5, 2))
    asks, answers = max(places.tolist(), key=lambda place: abs(products[*place]))  # small ones hide the mistakes
    d_k = attention.q.shape[-1]
    product, score = float(products[asks, answers]), float(attention.scores[asks, answers])
    text = prose(
        f"The score of the query of {{asks}} with the key of {{answers}} is **{number(product)}**, and d_k, the width "
        f"of both, is {d_k}. What is the scaled score, after dividing by √d_k?",
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
            Mistake(product, "That is the score itself, not yet divided."),
            Mistake(product / d_k, f"You divided by d_k; it is its root, √{d_k}."),
            Mistake(product * math.sqrt(d_k), "You multiplied by the root."),
            Mistake(-score, "The size is right, the sign is not: dividing by a root keeps it."),
        ),
        "",
    )


def ratio_question(attention: AttentionCache, labels: list[str], variant: int) -> Choice:
    """Ask how much larger one share is than another, given the two scores."""
    rng = np.random.default_rng([variant, 4])
    scores = masked_scores(attention)
    rows = np.flatnonzero((scores > -np.inf).sum(axis=-1) > 1)  # a mask may leave a row a single key, and no other
    row = int(rng.choice(rows if rows.size else len(labels)))
    first, second = two_keys(scores[row])
    higher, lower = float(scores[row, first]), float(scores[row, second])
    difference = higher - lower
    times = math.exp(min(difference, 700.0))
    guesses = {amount(times): ""}
    guesses.setdefault(amount(1), "Only equal scores get equal weights.")
    guesses.setdefault(
        amount(difference), "That is how much higher the score is; the exponential turns a difference into a factor."
    )
    if number(lower) != number(0) and abs(higher / lower) < 1e4:  # else no one would divide
        ratio = amount(higher / lower)
        below = ", but no weight is below 0" if ratio.startswith("−") else ""
        guesses.setdefault(ratio, f"That is the ratio of the scores{below}; softmax goes by their difference.")
    text = prose(
        f"In the row of {{asks}}, the key {{first}} has the scaled score **{number(higher)}** and {{second}} has "
        f"**{number(lower)}**. How large will the weight of {{first}} be, compared with that of {{second}}?",
        asks=labels[row],
        first=labels[first],
        second=labels[second],
    )
    why = f"The score is {number(difference, 3)} higher, and e to the {number(difference, 3)} is {factor(times)}."
    return Choice.shuffled("ratio", text, [amount(times)], why, guesses, rng)


def two_keys(scores: Array) -> tuple[int, int]:
    """Return the best key of a row, whose share can be seen, and another whose score lies about 1 below if any does."""
    best = int(scores.argmax())
    others = [int(key) for key in np.flatnonzero(scores > -np.inf) if key != best] or [best]
    return best, min(others, key=lambda key: abs(scores[best] - scores[key] - 1.2))


def amount(times: float) -> str:
    """Return how many times as large something is, as an option to choose."""
    return "as large as the other" if abs(times - 1) < 0.05 else f"{factor(times)} times as large"


def factor(times: float) -> str:
    """Return a factor, to one digit as far as digits tell anything."""
    return number(times, 1) if abs(times) < 1e4 else "more than 10 000"


def reach_question(moves: dict[str, tuple[str, ...]], matrix: str) -> Choice:
    """Ask what moves with one number of a matrix; `moves` says it of every matrix, as it was computed."""
    options = list(dict.fromkeys(together(names) for names in moves.values()))
    right = together(moves[matrix])
    if len(options) == 1:
        options.append("W_K alone")
    text = prose(f"One number of {matrix} is changed. What can move with it?")
    why = f"Computed here: one number of {matrix} moves {right}."
    reasons = []
    for option in options:
        others = [name for name, names in moves.items() if together(names) == option]
        reason = f"That is what a number of {' or '.join(others)} moves." if others else "Nothing here moves that."
        reasons.append("" if option == right else inline(reason))
    return Choice("reach", text, tuple(options), (options.index(right),), inline(why), tuple(reasons))


def together(names: tuple[str, ...]) -> str:
    """Return what moves as it is said."""
    *most, last = names or ("nothing",)
    return f"{', '.join(most)} and {last}" if most else last


def shift_question(attention: AttentionCache, labels: list[str], variant: int) -> Choice:
    """Ask what a constant does that is added to a row of scores, or in odd variants to a column."""
    place = int(np.random.default_rng([variant, 5]).integers(len(labels)))
    by_row = variant % 2 == 0
    add = add_to_row if by_row else add_to_column
    after = softmax(add(masked_scores(attention), place, 1.0))
    n_moved = int(changed_cells(attention.weights, after).sum())
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
        why += " Every weight is as good as 0 or 1 here, and stays so."
    sums = "They cannot all grow: the weights of a row sum to 1."
    if n_moved == 0:
        alone = "That would need one score to move alone." if by_row else "Here the weights have no room for it."
        return Choice("shift", text, options, (0,), why, ("", sums, alone))
    same = "Softmax forgets what all scores of a row have in common; here only one score of each row is raised."
    return Choice("shift", text, options, (2,), why, (same, sums, ""))
