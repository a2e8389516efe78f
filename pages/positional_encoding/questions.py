"""What the lesson on positions asks; every answer is computed from the page as it stands."""

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.positions import sinusoidal_positions
from attention_core.experiments.position_kinds import KINDS, one_word, turned_score
from attention_core.experiments.position_similarity import encoding_meters, rope_products
from attention_core.experiments.wrong_on_purpose import positions_side_by_side, rope_products_of_mixed_pairs
from attention_core.rows import largest_difference, row_norms
from pages.look.html import number, prose
from pages.page.questions import Choice, Mistake, Number

MOVES = 1e-9  # more than rounding


def order_question(before: Array, after: Array, labels: list[str], order: Array, variant: int) -> Choice:
    """Ask what a shuffle does to the output of one word that it moves, where nothing tells positions."""
    elsewhere = np.flatnonzero(order != np.arange(len(order)))
    place = int(np.random.default_rng([variant, 31]).choice(elsewhere)) if len(elsewhere) else 0
    text = prose(
        "Shuffle the words of the sentence, and tell attention nothing of positions. What becomes of the output of "
        "{word}?",
        word=labels[place],
    )
    same = int((np.abs(after - before).max(axis=-1) < MOVES).sum())
    why = (
        f"Computed: {same} of {len(labels)} words keep their output to the last digits. A score is q · k, a mix is a "
        "sum over all words, and a sum does not know in which order its terms came."
    )
    options = ("The same numbers, in another row", "Other numbers", "The same numbers in the same row")
    right = 0 if len(elsewhere) else 2
    mistakes = [
        "A word alone has no other row to go to.",
        "Its query, all the keys and all the values are what they were; only their rows have changed places.",
        "The numbers are the same, but they go where the word goes.",
    ]
    mistakes[right] = ""
    return Choice("order", text, options, (right,), why, tuple(mistakes))


def wavelength_question(long: Array, variant: int) -> Choice:
    """Ask which of four columns swings fastest."""
    rng = np.random.default_rng([variant, 32])
    pairs = rng.choice(len(long), min(4, len(long)), replace=False)
    columns = [int(2 * pair + rng.integers(2)) for pair in pairs]
    best = int(np.argmin(long[pairs]))
    shown = [f"column {column + 1}" for column in columns]
    mistakes = [
        "" if i == best else f"It comes round after {number(long[pair], 1)} positions." for i, pair in enumerate(pairs)
    ]
    why = (
        f"Column {columns[best] + 1} comes round after {number(long[pairs[best]], 1)} positions, sooner than the "
        "others: the first columns are the fast ones, and each later pair is slower."
    )
    text = prose(f"The table has {2 * len(long)} columns. Which of these swings fastest along the positions?")
    return Choice("wavelength", text, tuple(shown), (best,), why, tuple(mistakes))


def own_product_question(table: Array, variant: int) -> Number:
    """Ask for the product of a row of waves with itself."""
    place = int(np.random.default_rng([variant, 33]).integers(len(table)))
    width = table.shape[1]
    right = float(table[place] @ table[place])
    hint = f"Its {width} numbers are {width // 2} pairs, each the sine and the cosine of one angle."
    why = f"sin² + cos² = 1 for each of {width // 2} pairs: {number(right)}, at every position."
    mistakes = (
        Mistake(float(width), "That would be 1 for each column; it is 1 for each pair of columns."),
        Mistake(1.0, "That is what a single pair gives."),
        Mistake(0.0, "A product of a row with itself is a sum of squares: it is 0 for a row of zeros alone."),
        Mistake(float(row_norms(table)[place]), "That is the length of the row; the product is its square."),
    )
    text = prose(f"What is the dot product of row {place} with itself? {hint}")
    return Number("own_product", text, right, max(0.05, 0.01 * right), why, mistakes, "")


def same_score_question(q: Array, k: Array, at: tuple[int, int], base: float, variant: int) -> Choice:
    """Ask at which other positions a query and a key have the same score under RoPE."""
    rng = np.random.default_rng([variant, 34])
    q_at, k_at = at
    slide = int(rng.integers(2, 40))
    swapped = (k_at, q_at) if q_at != k_at else (q_at, k_at + 1)
    places = [(q_at + slide, k_at + slide), (q_at + slide, k_at), swapped, (2 * q_at + 1, 2 * k_at + 3)]
    places = list(dict.fromkeys(places))
    places = [places[i] for i in rng.permutation(len(places))]
    score = turned_score(q, k, *at, base).score
    scores = [turned_score(q, k, *place, base).score for place in places]
    right = tuple(i for i, other in enumerate(scores) if abs(other - score) < MOVES)
    options = tuple(f"query at {a}, key at {b}" for a, b in places)
    apart = number(k_at - q_at, 0)
    mistakes = tuple(
        "" if i in right else f"There it is {number(there, 4)}: key minus query is {number(b - a, 0)}, and was {apart}."
        for i, (there, (a, b)) in enumerate(zip(scores, places, strict=True))
    )
    text = prose(
        f"With RoPE a query at position {q_at} and a key at position {k_at} have the scaled score {number(score, 4)}. "
        "Where else do the same query and key have the same one?"
    )
    why = "Both turn on by the same angles, and the angle between them stays: "
    why += f"the scaled score is {number(score, 4)} again."
    return Choice("same_score", text, options, right, why, mistakes)


def stay_question(changes: dict[str, float], offset: int, length: int, variant: int) -> Choice:
    """Ask of one encoding whether its weights stay when the sentence slides along."""
    order = np.random.default_rng([variant, 35]).permutation(len(KINDS))
    options = tuple(KINDS[i] for i in order)
    slid = {kind: changes[kind] for kind in options}
    right = tuple(i for i, kind in enumerate(options) if (slid[kind] >= MOVES))
    text = prose(
        f"The same sentence, but its first word stands at position {offset} and not at 0: as if {offset} words stood "
        "before it that nobody looks at. Name one encoding under which the weights change."
    )
    largest = ", ".join(f"{options[i]} by up to {number(slid[options[i]], 4)}" for i in right) or "none"
    why = f"Computed with an offset of {offset}, these change: {largest}."
    reasons = {
        "none": "It knows of no position, so it cannot notice a new one.",
        "RoPE": "It turns q and k by their positions, and the angle between them stays.",
        "ALiBi": "It subtracts for the distance between two words, and that stays.",
        "sinusoidal": "Here nothing of it is added, so nothing can change.",
        "learned": "Here nothing of it is added, so nothing can change.",
    }
    if length == 1:
        reasons = dict.fromkeys(KINDS, "A word alone gives itself the whole weight, wherever it stands.")
    mistakes = tuple("" if i in right else reasons[kind] for i, kind in enumerate(options))
    if not right:  # a strength of 0, or one word
        return Choice("stay", text, (*options, "no weight changes"), (len(options),), why, (*mistakes, ""))
    return Choice("stay", text, options, right, why, mistakes)


def meter_question(length: int, d_model: int, base: float, variant: int) -> Choice:
    """Ask which meter notices that columns stand apart, or that RoPE's pairs are mixed."""
    same = one_word(length, d_model)
    mixed = variant % 2 == 1
    rope = rope_products_of_mixed_pairs if mixed else rope_products
    table = (sinusoidal_positions if mixed else positions_side_by_side)(length, d_model, base)
    values = (*encoding_meters(table, base), largest_difference(rope(same, same, base), rope(same, same, base, 5)))
    options = (
        "how far p · p differs along a diagonal",
        "how far the lengths of two rows differ",
        "how far a turn by one step misses the next row",
        "how far RoPE’s scores move on a slide",
    )
    right = tuple(i for i, value in enumerate(values) if value > MOVES)
    if mixed:
        what = "turns q in pairs of neighbours, (1, 2), (3, 4) …, and k in pairs a half apart"
        table_is_whole = "The table of sines and cosines is not touched by it."
        reasons = (table_is_whole, table_is_whole, table_is_whole, "")
    else:
        what = "writes all sines into the first half of the columns and all cosines into the second"
        reasons = (
            "A product of two rows does not ask in which order the columns stand.",
            "Each row holds the same numbers, so it is as long as it was.",
            "",
            "RoPE makes its own angles and does not read this table.",
        )
    text = prose(f"Someone {what}. Which of these numbers is not 0 any more and gives it away?")
    mistakes = tuple("" if i in right else reasons[i] for i in range(4))
    shown = "; ".join(f"{options[i]}: {number(values[i], 4)}" for i in right)
    return Choice("meter", text, options, right, f"Measured: {shown}. The others are 0.", mistakes)
