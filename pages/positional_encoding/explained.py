"""What positions do: the statements of the fifth lesson, tested on the sentence of the student."""

from attention_core.data_files import read_table
from attention_core.equations.attention import AttentionCache
from attention_core.equations.masks import additive_mask, causal_mask
from attention_core.experiments.positions.position_kinds import explain_rope_score, placed_attention
from attention_core.experiments.qkv.one_head import attend, random_head
from attention_core.rows import reorder
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.heads.matrices import SENTENCE
from pages.look.facts import furthest
from pages.look.html import quoted
from pages.memory.explain import BY_RANDOM, Experiment, Statements, explain_sentence, statements
from pages.page.page import Page

WIDTH, SEED, SHIFT = 16, 18, 7
SAID = read_table(__file__)


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

    mask, backwards = additive_mask(causal_mask(len(words))), list(range(len(words)))[::-1]
    plain, turned = (attend(rows, head, mask) for rows in (x, reorder(x, backwards)))
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
    tried = {"reversed": order, "added": added, "rope": both, "one later": one, "outputs": outputs}
    return statements(SAID, tried, {"asks": labels[asks], "key": labels[key]})
