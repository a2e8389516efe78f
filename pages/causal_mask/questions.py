"""What the lesson on masks asks; every answer is computed from the page as it stands."""

import numpy as np

from attention_core.arrays import Array
from attention_core.leaks import distances, largest_difference, rows_one_by_one, weight_on_blocked
from attention_core.mistakes import softmax_of_zeroed_scores, softmax_with_large_number, zeroed_after_softmax
from pages.causal_mask.scene import SAYS, Masked
from pages.shared.markup import number, prose
from pages.shared.questions import Choice, Mistake, Number


def drawn(variant: int, which: int, places: Array) -> int:
    """Return one of some places, as the variant wills."""
    return int(np.random.default_rng([variant, which]).choice(places))


def count_question(scene: Masked) -> Number:
    """Ask how many cells stay open."""
    length, hidden = len(scene.words), int(scene.blocked.sum())
    cells = length * length
    text = prose(
        f"{length} words ask {length} words, so the map has {cells} cells. Under the mask chosen here "
        f"({scene.kind}: {SAYS[scene.kind]}{', with your painted cells' if scene.painted else ''}), "
        "how many cells may still hold a weight above 0?"
    )
    why = f"{hidden} of {cells} cells are hidden, {cells - hidden} stay open."
    if scene.kind == "causal" and not scene.painted:
        sums = " + ".join(str(i) for i in range(1, length + 1)) if length <= 8 else f"1 + 2 + … + {length}"
        why = f"The first word sees 1 word, the second 2, and so on: {sums} = {cells - hidden}."
    mistakes = (
        Mistake(hidden, "Those are the cells that are hidden; the others were asked for."),
        Mistake(cells - hidden - length, "A word may look at itself: the diagonal stays open."),
        Mistake(cells / 2, "Not half of them: the diagonal stays open too."),
    )
    kept = tuple(mistake for mistake in mistakes if abs(mistake.value - (cells - hidden)) > 0.5)
    return Number("count", text, cells - hidden, 0.25, why, kept, "Count row by row.", digits=0)


def blocked_question(scene: Masked, row: int, bits: int) -> Choice:
    """Ask what −10⁹ does to a row in which every key is blocked."""
    length = len(scene.words)
    everything = np.ones((1, length), dtype=bool)
    weights = softmax_with_large_number(scene.plain.scores[row : row + 1], everything, bits)[0]
    same = float(distances(weights[None], scene.plain.weights[row : row + 1])[0]) < 1e-6
    text = prose(
        f"Block every key of {{word}}, and write −10⁹ where −∞ should stand, in numbers of {bits} bits. "
        "What are the weights of its row?",
        word=scene.labels[row],
    )
    options = (
        "All 0",
        "What they are without a mask",
        f"All {number(1 / length)}: the same share for each",
        "All NaN",
    )
    why = (
        "10⁹ was taken from every score alike, and softmax forgets what all scores of a row have in common. "
        if same
        else "Numbers of 32 bits near 10⁹ stand 64 apart, so every score becomes the same −10⁹. "
    ) + "With −∞ there is nothing left to share, and the course gives such a row zeros."
    if length == 1:
        return Choice("blocked", text, ("0", "1"), (1,), why, ("−10⁹ is low, but it is a score: it takes all.", ""))
    right = 1 if same else 2
    mistakes = [
        "That is what −∞ gives. −10⁹ is a number like any other, and softmax makes shares of it.",
        "That is so in 64 bits, where the differences between the scores survive beside 10⁹.",
        "That is so in 32 bits, where the scores are lost beside 10⁹.",
        "NaN comes from −∞ − (−∞); −10⁹ is a number.",
    ]
    mistakes[right] = ""
    return Choice("blocked", text, options, (right,), why, tuple(mistakes))


def multiplied_question(scene: Masked, variant: int) -> Choice:
    """Ask what multiplying scores by 0 and 1 leaves on the hidden keys."""
    rows = np.flatnonzero(scene.blocked.any(axis=1))
    if not len(rows):
        rows = np.arange(len(scene.words))
    row = drawn(variant, 2, rows)
    length, n_hidden = len(scene.words), int(scene.blocked[row].sum())
    share = float(weight_on_blocked(softmax_of_zeroed_scores(scene.plain.scores, scene.blocked), scene.blocked)[row])
    before = float(weight_on_blocked(scene.plain.weights, scene.blocked)[row])
    text = prose(
        f"{{word}} may not look at {n_hidden} of the {length} words. Someone multiplies their scores by 0 and the "
        "others by 1, then takes softmax. How much of the row ends up on the hidden words?",
        word=scene.labels[row],
    )
    found: dict[str, str] = {number(share): ""}
    found.setdefault(number(0), "A score of 0 is a score: e⁰ = 1, and it gets its share.")
    found.setdefault(number(before), "That is their share without any mask; multiplying by 0 has changed their scores.")
    found.setdefault(number(n_hidden / length), "That would be so if every score were 0.")
    found.setdefault(number(1), "The words that may be seen keep their scores, and a share.")
    if n_hidden == 0:
        found = {number(0): "", number(1): "No word is hidden from this one."}
    order = np.random.default_rng([variant, 3]).permutation(len(found))
    options = [list(found)[i] for i in order]
    right = options.index(number(share))
    why = f"Each hidden word gets e⁰ = 1 in the sum: together {number(share)} of the row."
    if n_hidden == 0:
        why = "No word is hidden from this one, so nothing was multiplied by 0."
    return Choice("multiplied", text, tuple(options), (right,), why, tuple(found[option] for option in options))


def sums_question(scene: Masked, variant: int) -> Number:
    """Ask what a row sums to when its hidden cells are set to 0 after softmax."""
    rows = np.flatnonzero(scene.blocked.any(axis=1) & ~scene.blocked.all(axis=1))
    if not len(rows):
        rows = np.arange(len(scene.words))
    row = drawn(variant, 4, rows)
    weights = zeroed_after_softmax(scene.plain.scores, scene.blocked)
    total, gone = float(weights[row].sum()), float(weight_on_blocked(scene.plain.weights, scene.blocked)[row])
    text = prose(
        "Now softmax first, over all words, and only then 0 into the hidden cells. In the row of {word} the hidden "
        f"words had **{number(gone)}** of the weight. What does the row sum to after that?",
        word=scene.labels[row],
    )
    why = f"1 − {number(gone)} = {number(total)}: what was taken away is missing."
    mistakes = (
        Mistake(1, "Softmax made a sum of 1 before the zeros came; nobody has divided again."),
        Mistake(gone, "That is what was taken away."),
        Mistake(0, "Only the hidden cells became 0."),
    )
    kept = tuple(mistake for mistake in mistakes if abs(mistake.value - total) > 0.02)
    return Number("sums", text, total, 0.02, why, kept, "")


def leak_question(scene: Masked, effect: Array, column: int, new: str) -> Number:
    """Ask how many outputs move when one word is exchanged."""
    length, right = len(scene.words), int((effect[:, column] != 0).sum())
    text = prose(
        f"The word {{old}}, number {column + 1} of {length}, becomes {{new}}. Under the mask ({scene.kind}"
        f"{', painted' if scene.painted else ''}), how many of the {length} output rows change, if only by a little?",
        old=scene.labels[column],
        new=new,
    )
    if right == 0:
        why = "Not one: nobody may look at this word, or it is the word that stood there before."
    else:
        why = (
            "Every row that may look at it moves: its column shows them. Its own moves too, for it asks otherwise now."
        )
    mistakes = (
        Mistake(length, "That is so without a mask, where each output takes in something of every word."),
        Mistake(1, "Its own output moves, but so does that of every other word that may look at it."),
        Mistake(0, "At least one output hears of it: look down its column."),
        Mistake(column + 1, "Those are the words up to it; the outputs that change are those that may look at it."),
    )
    kept = tuple(mistake for mistake in mistakes if mistake.value != right)
    return Number("leak", text, right, 0.25, why, kept, "Look down the column of the word: who may see it?", digits=0)


def reach_question(scene: Masked, needed: Array, variant: int) -> Number:
    """Ask how many words can reach an output through two layers."""
    length = len(scene.words)
    two = (needed > 0) & (needed <= 2)
    gained = np.flatnonzero(two.sum(axis=1) > (needed == 1).sum(axis=1))
    row = drawn(variant, 6, gained) if len(gained) else length - 1
    right, one = int(two[row].sum()), int((needed[row] == 1).sum())
    text = prose(
        f"One layer lets {{word}} hear of {one} of {length} words, itself included. Stack two layers under this mask: "
        "of how many words can its output hear then, directly or through another word?",
        word=scene.labels[row],
    )
    if right == one:
        why = "Nothing is gained: whoever it sees may see nothing beyond that."
    else:
        why = "In the second layer it hears what the words it sees have heard in the first."
    mistakes = (
        Mistake(one, "That is one layer. In the second, the words it sees hand on what they saw."),
        Mistake(length, "Not everything: what none of the words it sees may see stays out of reach."),
        Mistake(2 * one, "Words that are reached both ways count once."),
    )
    kept = tuple(mistake for mistake in mistakes if mistake.value != right)
    return Number("reach", text, right, 0.25, why, kept, "Follow each word it sees, and add what those see.", digits=0)


def first_question(scene: Masked, variant: int) -> Choice:
    """Ask which rows must be there before another can be computed."""
    length = len(scene.words)
    row = drawn(variant, 7, np.arange(length)[-max(1, length // 2) :])
    alone = rows_one_by_one(scene.x, scene.head, scene.mask, [row])
    gap = largest_difference(alone, scene.masked.weights, [row])
    text = prose(
        f"Row {row + 1} of {length}, that of {{word}}, is to be computed. Which other rows of the weights must be "
        "computed before?",
        word=scene.labels[row],
    )
    options = ("The one above it", "All those above it", "None")
    why = (
        "A row needs its own query, and keys and values, and these come from X, not from other rows. Computed first of "
        f"all, it differs from what all rows at once give by {'nothing' if gap == 0 else 'less than 10⁻¹²'}."
    )
    reason = "That is how a sentence is read. The mask says which keys a row may use, and the keys are all there."
    return Choice("first", text, options, (2,), why, (reason, reason, ""))


def layers_question(moved: Array) -> Choice:
    """Ask from which layer on the last word's output needs the mask."""
    last = moved[:, -1] > 1e-9
    first = int(last.argmax()) if last.any() else len(last)
    text = prose(
        "To choose the next word, a model uses the output of the last word alone, and under a causal mask the last "
        "word may look at everything anyway. So leave the mask out, and compare the last word’s numbers with and "
        "without. From which layer on do they differ?"
    )
    options = ("In no layer", "From the first layer on", "From the second layer on", "From the third layer on")
    right = (0,) if not last.any() else (min(first + 1, 3),)
    reasons = [
        "Its own look is not hidden, but from the second layer on it looks at words that peeked.",
        "In the first layer its row has no hidden cell, so the same numbers are computed.",
        "In the first layer nothing is hidden from it, and in the second it meets words that peeked.",
        "The second layer already sees words whose outputs were changed in the first.",
    ]
    why = {
        0: "Under this mask the last word and all it hears of are the same in every layer.",
        1: "This mask hides something from the last word itself.",
        2: "In the first layer the last row is the same; the other rows are not, and the second layer looks at them.",
    }.get(right[0], "It takes that many layers until something hidden comes through.")
    return Choice(
        "layers", text, options, right, why, tuple("" if i in right else reason for i, reason in enumerate(reasons))
    )


def shuffle_question(scene: Masked, without: Array, under: Array) -> Choice:
    """Ask what a shuffle does to the outputs under the mask."""
    n_moved = int((under > 1e-9).sum())
    text = prose(
        "Shuffle the words: the rows of X in another order, every number in them kept. Without a mask each word gets "
        f"the output that it had before. And under this mask ({scene.kind}{', painted' if scene.painted else ''})?"
    )
    options = ("The same: the rows are only in another order", "Some words get other outputs")
    right = (1,) if n_moved else (0,)
    why = f"Without a mask {int((without > 1e-9).sum())} words have other outputs, under this one {n_moved}."
    if n_moved:
        why += " A mask goes by place, not by word, so who stands before whom changes what is seen."
        mistakes = ("A mask is not shuffled along with the words: another word stands first now.", "")
    else:
        mistakes = ("", "This mask hides nothing that a shuffle could bring into sight.")
    return Choice("shuffle", text, options, right, why, mistakes)
