"""What the lesson on several heads asks; every answer is computed from the page as it stands."""

from collections.abc import Sequence
from html import escape

import numpy as np

from attention_core.arrays import Array
from attention_core.experiments.costs import map_bytes
from attention_core.experiments.head_parts import idle_rows
from attention_core.model.parameters import attention_parameters
from pages.look.html import number, prose, typed, whole
from pages.page.questions import Choice, Mistake, Number

LENGTHS = (100_000, 50_000, 200_000, 20_000, 400_000)
BILLION = 10**9
MOST_ROWS = 6
SEEN = 0.005  # what two moves must differ by to be told apart in what is shown of them


def job_question(measure: str, leaders: Sequence[int], n_heads: int, variant: int) -> Choice:
    """Ask which head leads in a measure under other seeds; `leaders` are those of this scene and of the others."""
    first, others = leaders[0] + 1, [leader + 1 for leader in leaders[1:]]
    text = prose(
        f"Of the {n_heads} heads above, head {first} has the most “{measure}”. Now {len(others)} other sets of random "
        "matrices look at the same words. Which head leads with them?"
    )
    same = sum(leader == first for leader in others)
    why = f"Computed: heads {', '.join(map(str, others))} lead, so head {first} in {same} of {len(others)}."
    always, any_head = f"Head {first} each time", "Now this head, now that one"
    another = "Another head, the same each time"
    mistakes = {
        always: "A head has a number, not a job: what it looks at comes from its matrices.",
        another: "With other matrices every head is as likely to lead as the next.",
        any_head: "Here one head leads each time, which is how it fell this time.",
    }
    right = always if same == len(others) else another if same == 0 and len(set(others)) == 1 else any_head
    return Choice.shuffled("job", text, [right], why, {right: ""} | mistakes, variant)


def split_question(length: int, d_model: int, n_heads: int, variant: int) -> Choice:
    """Ask for the shape of the queries after they were split into heads."""
    d_head = d_model // n_heads
    heads = f"{n_heads} head{'s' * (n_heads > 1)}"
    text = prose(
        f"X · W_Q is one matrix, {length} × {d_model}. Now it is split into {heads}. Which shape has the result, heads "
        "first?"
    )
    why = f"{length} · {d_model} numbers, none added, none lost: {heads} of {length} rows and {d_head} columns."
    mistakes = {
        three(n_heads, length, d_model): "That would be a full copy for each head, and more numbers than there are.",
        three(n_heads, d_head, length): "Each head would hold its words as columns; a word stays a row.",
        three(length, n_heads, d_head): "There the words come first: a small table for each word, not for each head.",
    }
    right = three(n_heads, length, d_head)
    return Choice.shuffled("split", text, [right], why, {right: ""} | mistakes, variant)


def three(*sizes: int) -> str:
    """Return a shape."""
    return " × ".join(map(str, sizes))


def reads_question(d_model: int, d_head: int, head: int, label: str) -> Number:
    """Ask how many numbers of a word's vector a head reads."""
    text = prose(
        f"The vector of {{word}} has {d_model} numbers, its query in head {head + 1} has {d_head}. Each number of the "
        "query is a sum of products. Of how many?",
        word=label,
    )
    why = f"A head’s columns of W_Q have {d_model} rows: each number of its query is a sum over all {d_model}."
    slice_only = f"That is how many numbers its query has. Each of the {d_head} is made from the whole vector."
    return Number("reads", text, d_model, 0.5, why, (Mistake(d_head, slice_only),), "", digits=0)


def sum_question(writes: Array, labels: list[str], variant: int) -> Number:
    """Ask for a number of the output, given what each head writes there."""
    rng = np.random.default_rng([variant, 4])
    n_heads, length, width = writes.shape
    places = np.stack([rng.integers(length, size=7), rng.integers(width, size=7)], axis=1)
    row, column = max(places.tolist(), key=lambda place: np.abs(writes[:, *place]).sum())
    parts = writes[:, row, column]
    right = float(parts.sum())
    chips = "".join(f"<span>head {head + 1} {number(part)}</span>" for head, part in enumerate(parts))
    text = prose(
        f"Each head has written something into number {column + 1} of {{word}}. What does this number of the output "
        "become?",
        word=labels[row],
    )
    text += f'<div class="course chips" style="margin-top:8px">{chips}</div>'
    mistakes = (
        Mistake(right / n_heads, "You took the mean. Heads add up; nothing divides by their number."),
        Mistake(float(np.abs(parts).sum()), "You left out the signs: a head may well take away."),
        Mistake(float(parts[np.abs(parts).argmax()]), "That is the head that writes most; the others count as well."),
    )
    tolerance = max(0.02, 0.02 * abs(right))
    return Number("sum", text, right, tolerance, f"They add up to {number(right)}.", mistakes, "")


def missed_question(weights: Array, effects: Array, labels: list[str], variant: int) -> Choice:
    """Ask which key is missed most, first in the rows whose brightest key is missed least."""
    rows = idle_rows(weights, effects).tolist()
    rows = [place for place in rows if effects[*place].max() > 10 * SEEN] or rows
    head, row = rows[variant % min(MOST_ROWS, len(rows))]
    shares, moves = weights[head, row], effects[head, row]
    chips = "".join(
        f"<span>{escape(label)} {number(share)}</span>" for label, share in zip(labels, shares, strict=True)
    )
    text = prose(
        f"This is where {{word}} looks in head {head + 1}. Take one word away, and the others share its weight. Which "
        "one will the output miss most?",
        word=labels[row],
    )
    text += f'<div class="course chips" style="margin-top:8px">{chips}</div>'
    right = tuple(i for i, move in enumerate(moves) if move > moves.max() - SEEN)
    most = " or ".join(typed(labels[i]) for i in right)
    why = f"Without {most} the output moves by {number(moves.max())}, the most of all."
    brightest = int(shares.argmax())
    if brightest not in right:
        why += f" Without the brightest, {typed(labels[brightest])}, by {number(moves[brightest])}."
    mistakes = []
    for i, (share, move) in enumerate(zip(shares, moves, strict=True)):
        if i in right:
            mistakes.append("")
        elif i == brightest:
            mistakes.append("It has the largest weight, but what it brings is near to what the others bring anyway.")
        elif share == 0:
            mistakes.append("It has no weight at all, so nothing goes missing with it.")
        else:
            mistakes.append(f"Taking it away moves the output by {number(move)} only.")
    return Choice("missed", text, tuple(labels), right, why, tuple(mistakes))


def numbers_question(d_model: int, counts: list[int], variant: int) -> Number:
    """Ask how many numbers several heads hold, given those of one."""
    several = [count for count in counts if count > 1]
    n_heads = several[np.random.default_rng([variant, 6]).integers(len(several))]
    one = attention_parameters(d_model)
    text = prose(
        f"With one head and d_model = {d_model}, the four matrices hold 4 · {d_model} · {d_model} = {whole(one)} "
        f"numbers. How many do they hold with {n_heads} heads?"
    )
    width = d_model // n_heads
    why = f"The same four matrices, cut into {n_heads} blocks of {width} columns: {whole(one)} numbers again."
    mistakes = (
        Mistake(one * n_heads, "Each head has matrices of its own, but they are narrower by as much."),
        Mistake(one / n_heads, "That is what one of the heads holds; there are more of them."),
    )
    return Number("numbers", text, one, 0.5, why, mistakes, "", digits=0)


def rectangle_question(asks: int, answers: int, variant: int) -> Choice:
    """Ask for the shape of a map between two sentences."""
    text = prose(
        f"The first sentence, of length {asks}, asks; the second, of length {answers}, is looked at. Which shape has "
        "the map of one head, rows first?"
    )
    why = f"A row for each word that asks, {asks}; a column for each that answers, {answers}."
    mistakes = {
        three(answers, asks): "That is the map lying on its side: whoever asks has a row.",
        three(asks, asks): "The words that ask are not looked at here; the keys come from the other sentence.",
        three(asks + answers, asks + answers): "That would be one long sentence that looks at itself.",
    }
    right = three(asks, answers)
    return Choice.shuffled("rectangle", text, [right], why, {right: ""} | mistakes, variant)


def memory_question(variant: int) -> Number:
    """Ask how much memory the weights of one head take."""
    length = LENGTHS[variant % len(LENGTHS)]
    right = map_bytes(length) / BILLION
    written = whole(length)
    text = prose(
        f"A text of {written} tokens, 2 bytes for each weight. How many gigabytes (10⁹ bytes) does the map of a single "
        "head take?"
    )
    why = f"{written} × {written} weights of 2 bytes are {number(right, 1)} GB, for each head and each layer."
    mistakes = (
        Mistake(right / 2, "You counted one byte for each weight; it is two."),
        Mistake(2 * length / BILLION, "That is one row of the map. It has as many rows as there are tokens."),
        Mistake(2 * right, "That would be weights of four bytes."),
    )
    return Number("memory", text, right, 0.02 * right, why, mistakes, "")
