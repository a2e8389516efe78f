"""How a word finds another one: the statements of the first lesson, tested on the sentence of the student."""

import numpy as np

from attention_core.arrays import Array
from attention_core.data_files import read_table
from attention_core.equations.attention import attention_forward
from attention_core.equations.softmax import softmax
from attention_core.experiments.qkv.one_head import attend
from attention_core.experiments.qkv.perturb import add_to_column, swapped_rows, zeroed_rows
from pages.heads.matrices import SIZES, Matrices, OneHead, scene_of
from pages.look.facts import furthest, ordered
from pages.look.html import quoted
from pages.memory.explain import Experiment, Statements, explain_sentence, statements
from pages.page.page import Page
from pages.qkv.scene import SEED, SENTENCE
from pages.reproduce.recipe import Recipe

JOB = Matrices("hand-made", SIZES, "pronoun to noun", 0, SEED)  # the head of the path

BY_MADE = "The experiments are made with the hand-made head of this lesson."
GONE = "The {} is set to 0."
SAID = read_table(__file__)


def draw(page: Page) -> bool:
    """Let a student explain how a word of the sentence finds another one."""
    return explain_sentence(page, "Explain how a word finds another one", statements_of, SENTENCE, BY_MADE)


def words_in_view(scene: OneHead) -> list[int]:
    """Return the word that asks, the other one with its largest weight, and the next one that moves its output most."""
    now, asks = scene.attention, scene.asks
    found = next(place for place in ordered(now.weights[asks]) if place != asks)
    moved = (np.abs(now.v) * now.weights[asks, :, None]).max(axis=1)
    return [asks, found, next(place for place in ordered(moved) if place not in (asks, found))]


def statements_of(words: list[str]) -> Statements:
    """Return what is said of queries, keys, weights and values; nothing where there are too few words."""
    if len(words) < 3:
        return []
    scene, _ = scene_of(Recipe(), words, JOB)
    now = scene.attention
    asks, found, other = words_in_view(scene)
    named = dict(zip(("asks", "found", "other"), (scene.labels[i] for i in (asks, found, other)), strict=True))
    it, cat, mat = map(quoted, named.values())
    in_query = furthest(now.q[asks]).first
    in_output = furthest(now.weights[asks, other] * now.v[other]).first

    def query(of: str, *without: int) -> Experiment:
        """Set vectors to 0, and read the query of the word that asks."""
        after = attend(zeroed_rows(scene.x, *without), scene.head)
        what = f"entry {in_query + 1} of the query of {it}"
        return Experiment(GONE.format(of), what, float(now.q[asks, in_query]), float(after.q[asks, in_query]))

    def head(done: str, what: str, q: Array = now.q, k: Array = now.k, v: Array = now.v) -> Experiment:
        """Change queries, keys or values, and read a score, a weight or an entry of the output."""
        field, name, column = {
            "score": ("scores", f"the scaled score of {it} with {cat}", found),
            "weight": ("weights", f"the weight of {cat}", found),
            "output": ("output", f"entry {in_output + 1} of the output of {it}", in_output),
        }[what]
        before, after = (float(getattr(one, field)[asks, column]) for one in (now, attention_forward(q, k, v)))
        return Experiment(done, name, before, after)

    raised = softmax(add_to_column(now.scores, other, 1))[asks, found]
    rise = f"1 is added to the scaled score of {mat}."
    swapped, exchange = swapped_rows(now.v, found, other), f"{cat} and {mat} exchange their values."
    others = [place for place in range(len(words)) if place != asks]
    tried = {
        "own vector": query(f"vector of {it}", asks),
        "found vector": query(f"vector of {cat}", found),
        "other vectors": query("vector of each other word", *others),
        "key": head(GONE.format(f"key of {cat}"), "score", k=zeroed_rows(now.k, found)),
        "query": head(GONE.format(f"query of {cat}"), "score", zeroed_rows(now.q, found)),
        "value": head(GONE.format(f"value of {cat}"), "score", v=zeroed_rows(now.v, found)),
        "raised": Experiment(rise, f"the weight of {cat}", float(now.weights[asks, found]), float(raised)),
        "without": head(GONE.format(f"value of {mat}"), "output", v=zeroed_rows(now.v, other)),
        "swapped output": head(exchange, "output", v=swapped),
        "swapped weight": head(exchange, "weight", v=swapped),
    }
    return statements(SAID, tried, named)
