"""What positions do: the statements of the fifth lesson, tested on the sentence of the student."""

from attention_core.equations.attention import AttentionCache
from attention_core.experiments.positions.position_kinds import explain_rope_score, placed_attention
from attention_core.experiments.qkv.one_head import random_head
from attention_core.rows import reorder
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.heads.matrices import SENTENCE
from pages.look.facts import furthest
from pages.look.html import quoted
from pages.memory.explain import BY_RANDOM, Experiment, Statements, Tried, explain_sentence, statements
from pages.page.page import Page

WIDTH, SEED, SHIFT = 16, 18, 7
SAID = {
    "order": "A head without mask and positions reads the words in reverse order. Then the output of {asks} {gap}.",
    "added": "Sinusoids are added. If all words come 7 positions later, the score of {asks} with {key} {gap}.",
    "rope": "With RoPE, if all words come 7 positions later, the score of {asks} with {key} {gap}.",
    "distance": "With RoPE, if only {asks} comes 7 positions later, this score {gap}.",
    "values": "RoPE rotates {gap}.",
}


def draw(page: Page) -> bool:
    return explain_sentence(page, "Explain how attention knows positions", statements_of, SENTENCE, BY_RANDOM)


def statements_of(words: list[str]) -> Statements:
    """Return what is said of two words of the sentence, and of their order."""
    if len(words) < 3:
        return []
    labels, asks, key = position_labels(words), 1, 2
    it, other = quoted(labels[asks]), quoted(labels[key])
    x, head = word_vectors(words, WIDTH, SEED), random_head(WIDTH, WIDTH, SEED)

    def becomes(done: str, field: str, now: AttentionCache, after: AttentionCache, place: int = asks) -> Experiment:
        found, then = getattr(now, field)[asks], getattr(after, field)[place]
        column = key if field == "scores" else furthest(found).first
        what = f"the score of {it} with {other}" if field == "scores" else f"entry {column + 1} of the output of {it}"
        return Experiment(done, what, float(found[column]), float(then[column]))

    backwards = list(range(len(words)))[::-1]
    plain, turned = (placed_attention(rows, head, "none") for rows in (x, reorder(x, backwards)))
    order = becomes("The order of the words is reversed.", "output", plain, turned, backwards[asks])
    all_later = f"All words come {SHIFT} positions later."
    waves, later_waves = (placed_attention(x, head, "sinusoidal", offset=offset) for offset in (0, SHIFT))
    rope, later_rope = (placed_attention(x, head, "RoPE", offset=offset) for offset in (0, SHIFT))
    both = becomes(all_later, "scores", rope, later_rope)
    q, k = plain.q[asks], plain.k[key]
    near, far = (explain_rope_score(q, k, asks + extra, key).score for extra in (0, SHIFT))
    one = Experiment(f"Only {it} comes {SHIFT} positions later.", f"the score of {it} with {other}", near, far)
    outputs = becomes(all_later, "output", rope, later_rope)
    added = becomes(all_later, "scores", waves, later_waves)
    experiments: Tried = {
        "order": {
            "is the same": ("stays", order),
            "is another one, as other words come before it": ("moves", order),
            "is 0": (0.0, order),
        },
        "added": {
            "changes": ("moves", added),
            "stays, as their distance is the same": ("stays", added),
            "becomes 0": (0.0, added),
        },
        "rope": {
            "stays, as their distance is the same": ("stays", both),
            "changes, as both vectors rotate further": ("moves", both),
            "becomes 0": (0.0, both),
        },
        "distance": {
            "changes, as the angle between them does": ("moves", one),
            "stays, as the words are the same": ("stays", one),
            "becomes 0": (0.0, one),
        },
        "values": {
            "queries and keys": ("stays", outputs),
            "queries, keys and values": ("moves", outputs),
            "the vectors of the words": ("moves", outputs),
        },
    }
    return statements(SAID, experiments, asks=labels[asks], key=labels[key])
