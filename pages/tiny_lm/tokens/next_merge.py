"""How the next merge is chosen: the pairs of a few words are counted, merged and counted again."""

from collections import Counter
from functools import cache

from attention_core.experiments.language.each_merge import pair_counts
from pages.look.html import commas, table
from pages.page.page import Page
from pages.page.questions.kinds import Choice

WORDS = (  # of each text, how often each word occurs
    {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5},
    {"sea": 8, "seat": 6, "tea": 9, "eat": 5, "set": 4},
    {"cat": 9, "hat": 7, "chat": 6, "cab": 8},
)
LISTED = 6  # pairs

Pairs = Counter[tuple[str, str]]


def draw_next_merge(page: Page) -> None:
    """Ask which pair is merged next; then show the counts before and after the first merge."""
    page.heading("The most frequent pair is merged next", small=True)
    variant = page.variant("next_merge")
    if not page.ask(next_question(variant)):
        return
    words = WORDS[variant % len(WORDS)]
    before, after = counts_of(variant % len(WORDS))
    pairs = sorted(before | after, key=lambda pair: -max(before[pair], after[pair]))[:LISTED]
    rows = [(joined(pair), commas(before[pair]), commas(after[pair])) for pair in pairs]
    page.write(table(("pair", "before merge 1", "after it"), rows))
    page.write(
        f"Counts of neighbours in {listed(words)}. Each merge changes the counts of the pairs around it.", "note"
    )


@cache
def counts_of(text: int) -> tuple[Pairs, Pairs]:
    """Return how often each pair of one of the texts occurs before the first merge and after it."""
    words = WORDS[text]
    return pair_counts(words, 0), pair_counts(words, 1)


def joined(pair: tuple[str, str]) -> str:
    return " + ".join(pair)


def listed(words: dict[str, int]) -> str:
    """Return words with how often they occur."""
    return ", ".join(f"{word} ({times} ×)" for word, times in words.items())


def next_question(variant: int) -> Choice:
    """Ask for the second merge of a text of a few words, whose first one is known."""
    words = WORDS[variant % len(WORDS)]
    before, after = counts_of(variant % len(WORDS))
    (first, most), (second, times) = before.most_common(1)[0], after.most_common(1)[0]
    stale = next(pair for pair, _ in before.most_common() if pair != first and after[pair] < before[pair])
    fewer = next(pair for pair, _ in after.most_common() if pair not in (second, stale))
    return Choice.shuffled(
        "next_merge",
        f"A text has the words {listed(words)}. The most frequent pair, {joined(first)}, occurs {most} times, so merge "
        f"1 makes {''.join(first)}. Which pair is merge 2?",
        [joined(second)],
        f"After merge 1, {joined(second)} occurs {times} times, more often than every other pair.",
        {
            joined(second): "",
            joined(stale): f"It occurred {before[stale]} times before merge 1. Then {''.join(first)} is one token, and "
            f"{after[stale]} are left. Count again after each merge.",
            joined(
                first
            ): f"Merge 1 has joined all of these pairs, so none is left. Count the pairs with {''.join(first)}"
            " as one token.",
            joined(fewer): f"It occurs {after[fewer]} times, so another pair is more frequent.",
        },
        [variant],
    )
