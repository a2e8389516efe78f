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


def count_question(scene: Masked, variant: int) -> Number:
    """Ask how many cells stay open, or in odd variants how many are hidden."""
    length, hidden = len(scene.words), int(scene.blocked.sum())
    cells = length * length
    stay = cells - hidden
    asks_open = variant % 2 == 0
    right, other = (stay, hidden) if asks_open else (hidden, stay)
    text = prose(
        f"{length} words ask {length} words, so the map has {cells} cells. Under the mask chosen here "
        f"({scene.kind}: {SAYS[scene.kind]}{', with your painted cells' if scene.painted else ''}), how many cells "
        + ("may still hold a weight above 0?" if asks_open else "are hidden?")
    )
    why = f"{hidden} of {cells} cells are hidden, {stay} stay open."
    if scene.kind == "causal" and not scene.painted:
        sums = " + ".join(str(i) for i in range(1, length + 1)) if length <= 8 else f"1 + 2 + … + {length}"
        why = f"The first word sees 1 word, the second 2, and so on: {sums} = {stay} open, {hidden} hidden."
    mistakes = (
        Mistake(other, f"Those are the cells that {'are hidden' if asks_open else 'stay open'}; the others are asked."),
        Mistake(right + (-length if asks_open else length), "A word may look at itself: the diagonal stays open."),
        Mistake(cells / 2, "Not half of them: the diagonal stays open too."),
    )
    diagonal = not scene.blocked.diagonal().any()
    kept = [mistake for mistake in mistakes[: 3 if diagonal else 1] if abs(mistake.value - right) > 0.6]
    return Number("count", text, right, 0.25, why, tuple(kept), "Count row by row.", digits=0)


def blocked_question(scene: Masked, row: int, bits: int) -> Choice:
    """Ask what −10⁹ does to a row in which every key is blocked."""
    length = len(scene.words)
    everything = np.ones((1, length), dtype=bool)
    weights = softmax_with_large_number(scene.plain.scores[row : row + 1], everything, bits)[0]
    usual = scene.plain.weights[row : row + 1]
    same = float(distances(weights[None], usual)[0]) < 1e-6
    even = float(np.ptp(usual)) < 1e-6
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
    right = (1, 2) if same and even else (1,) if same else (2,)
    mistakes = [
        "That is what −∞ gives. −10⁹ is a number like any other, and softmax makes shares of it.",
        "That is so in 64 bits, where the differences between the scores survive beside 10⁹.",
        "That is so in 32 bits, where the scores are lost beside 10⁹.",
        "NaN comes from −∞ − (−∞); −10⁹ is a number.",
    ]
    told = tuple("" if i in right else mistake for i, mistake in enumerate(mistakes))
    return Choice("blocked", text, options, right, why, told)


def multiplied_question(scene: Masked, variant: int) -> Choice:
    """Ask what multiplying scores by 0 and 1 leaves on the hidden keys."""
    spoilt = softmax_of_zeroed_scores(scene.plain.scores, scene.blocked)
    shares = weight_on_blocked(spoilt, scene.blocked)
    usual = weight_on_blocked(scene.plain.weights, scene.blocked)
    clear = np.flatnonzero(abs(shares - usual) > 0.02)
    hides = np.flatnonzero(scene.blocked.any(axis=1) & ~scene.blocked.all(axis=1))
    row = drawn(variant, 2, clear if len(clear) else hides if len(hides) else np.arange(len(scene.words)))
    share, before, n_hidden = float(shares[row]), float(usual[row]), int(scene.blocked[row].sum())
    text = prose(
        f"{{word}} may not look at {n_hidden} of the {len(scene.words)} words; without a mask they had "
        f"**{number(before)}** of its weight. Someone multiplies their scores by 0 and the others by 1, then takes "
        "softmax. How much of the row is on the hidden words then?",
        word=scene.labels[row],
    )
    options = ("Nothing", "Something, but less than without a mask", "As much as without a mask, or more")
    right = 0 if share == 0 else 1 if share < before else 2
    why = f"Each hidden word adds e⁰ = 1 to the sum of the row: together they get {number(share)} of it."
    if n_hidden == 0:
        why = "No word is hidden from this one, so nothing was multiplied by 0."
    reasons = [
        "A score of 0 is a score: it does not hide a word, it puts it in the middle.",
        "Their scores were below 0, and 0 is more: multiplying has raised their share.",
        "Their scores were above 0 on the whole, so 0 lowers their share, but it does not take it away.",
    ]
    reasons[right] = ""
    if n_hidden == 0:
        return Choice("multiplied", text, options, (0, 2), why, ("", "Nothing is less than nothing.", ""))
    return Choice("multiplied", text, options, (right,), why, tuple(reasons))


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


def leak_question(scene: Masked, effect: Array, plain: Array, column: int, new: str) -> Number:
    """Ask how many outputs move when one word is exchanged."""
    length, right = len(scene.words), int((effect[:, column] != 0).sum())
    text = prose(
        f"The word {{old}}, number {column + 1} of {length}, becomes {{new}}. Under the mask ({scene.name}), "
        f"how many of the {length} output rows change, if only by a little?",
        old=scene.labels[column],
        new=new,
    )
    looking = int((~scene.blocked[:, column]).sum())
    if right == 0:
        why = "Not one: nobody may look at this word, or it is the word that stood there before."
    elif right < looking:
        why = f"{looking} rows may look at it, but in some its weight is so small that no digit changes."
    else:
        why = (
            "Every row that may look at it moves: its column shows them. Its own moves too, for it asks otherwise now."
        )
    mistakes = {
        column + 1: "Those are the words up to it; the outputs that change are those that look at it.",
        looking: "So many may look at it, but not all of them give it a share that counts, or it asks for itself.",
        int((plain[:, column] != 0).sum()): "That is so without a mask.",
        1: "Its own output moves, but so does that of other words that look at it.",
        0: "At least one output hears of it: look down its column.",
    }
    wrong = [value for value in mistakes if value != right and (value != 1 or right > 1)]
    kept = tuple(Mistake(value, mistakes[value]) for value in wrong)
    return Number("leak", text, right, 0.25, why, kept, "Look down the column of the word: who may see it?", digits=0)


def reach_question(scene: Masked, needed: Array, variant: int) -> Number:
    """Ask how many words can reach an output through two layers."""
    length = len(scene.words)
    two = (needed > 0) & (needed <= 2)
    once = (needed == 1).sum(axis=1)
    rows = (np.flatnonzero(two.sum(axis=1) > once), np.flatnonzero(once < length), np.arange(length))
    row = drawn(variant, 6, next(places for places in rows if len(places)))
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


def layers_question(scene: Masked, moved: Array, variant: int) -> Choice:
    """Ask from which layer on a word's output needs the mask: the last word's, in other variants any word's."""
    last = len(scene.words) - 1
    word = last if variant == 0 else drawn(variant, 8, np.arange(last + 1))
    differs = moved[:, word] > 1e-9
    first = int(differs.argmax()) if differs.any() else len(moved)
    if word == last and not scene.blocked[last].any():
        text = prose(
            "To choose the next word, a model uses the output of the last word alone, and this mask hides nothing "
            "from it. So leave the mask out, and compare the last word’s numbers with and without. "
            "From which layer on do they differ?"
        )
    else:
        text = prose(
            f"Leave the mask out, and look at {{word}}, number {word + 1} of {last + 1}. From which layer on do its "
            "numbers differ from those under the mask?",
            word=scene.labels[word],
        )
    options = ("In no layer", "From the first layer on", "From the second layer on", "From the third layer on")
    right = 0 if not differs.any() else min(first + 1, 3)
    n_hidden = int(scene.blocked[word].sum())
    why = (
        "Under this mask the word, and all that it hears of, is the same in every layer.",
        f"The mask hides {n_hidden} words from it, and without the mask it looks at them at once.",
        "In the first layer its row is the same; other rows are not, and in the second layer it looks at them.",
        "It takes that many layers until something hidden comes through.",
    )[right]
    reasons = [
        f"Layer {first + 1} already differs.",
        "After the first layer its numbers are the same with the mask and without.",
        "Count the steps: a word hears in one layer what it sees, and in the next what those have seen.",
        "Count the steps: a word hears in one layer what it sees, and in the next what those have seen.",
    ]
    reasons[right] = ""
    return Choice("layers", text, options, (right,), why, tuple(reasons))


def shuffle_question(scene: Masked, without: Array, under: Array) -> Choice:
    """Ask what a shuffle does to the outputs under the mask."""
    n_moved = int((under > 1e-9).sum())
    text = prose(
        "Shuffle the words: the rows of X in another order, every number in them kept. Without a mask each word gets "
        f"the output that it had before. And under this mask ({scene.name})?"
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
