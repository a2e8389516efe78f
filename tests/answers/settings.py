"""Settings of a step, at random: kinds of matrices, seeds, sentences, chosen words, variants of its questions."""

from collections import defaultdict
from functools import cache

import numpy as np

from tests.app.steps import step

SENTENCES = (
    "the cat sat on the warm mat and it meowed",
    "the dog barked because it was tired",
    "the thirsty girl drank the hot chai because it was sweet",
    "a big red ball and a small blue box",
    "it it it it",
    "cat",
    "warm cat",
    "the the dog dog cat cat",
    "zork blip the cat zork",
    "she saw the old house and the old tree by the road when they were young and it was new",
)
LARGEST = 10**12 - 1  # variant that a browser can say


@cache
def ends_of(lesson, name, link):
    return step(lesson, name, **dict(link)).page.controls.ends


def some(rng, words):
    """Return one of the words of a control; between two ends that are whole numbers, any."""
    ends = [word.removesuffix(".0") for word in (words[0], words[-1])]
    if len(words) == 2 and all(end.lstrip("-").isdecimal() for end in ends) and int(ends[0]) < int(ends[1]):
        return str(rng.integers(int(ends[0]), int(ends[1]) + 1))
    return str(words[rng.integers(len(words))])


def settings(lesson, name, count, seed=0):
    """Yield links to a step with variants of its questions: the usual ones, then every kind of matrices."""
    yield {}, defaultdict(int)
    rng = np.random.default_rng([seed, *f"{lesson}/{name}".encode()])
    for claim in ends_of(lesson, name, ()).get("claim", ())[1:]:  # each has a question of its own
        yield {"claim": claim}, defaultdict(int)
    kinds = ends_of(lesson, name, ()).get("weights", [None])
    for place in range(count - 1):
        link = {"weights": kinds[place % len(kinds)]} if kinds[0] else {}
        if "text" in ends_of(lesson, name, ()) and rng.random() < 0.7:
            link["text"] = SENTENCES[rng.integers(len(SENTENCES))]
        for control, words in ends_of(lesson, name, tuple(link.items())).items():
            if control not in ("step", "text", "weights", "claim") and rng.random() < 0.6:
                link[control] = some(rng, words)
        variant = LARGEST if rng.random() < 0.05 else int(rng.integers(12))
        yield link, defaultdict(lambda variant=variant: variant)
