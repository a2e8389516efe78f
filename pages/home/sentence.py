"""The sentence of the home page, and the head that reads it."""

from collections.abc import Sequence
from typing import NamedTuple, cast

from markupsafe import Markup, escape

from attention_core.arrays import Array
from attention_core.experiments.multi_head.english_heads import trained_heads
from attention_core.experiments.multi_head.several_heads import attend_heads
from attention_core.experiments.qkv.one_head import JOBS, Job
from attention_core.text.word_vectors import position_labels
from pages.heads.matrices import OneHead, hand_set_scene, random_scene, trained_scene
from pages.look.facts import largest
from pages.look.html import number, prose
from pages.page.fields.controls import Controls
from pages.questions.kinds import Choice
from pages.reproduce.recipe import Recipe

SENTENCE = "the cat sat on the warm mat and it meowed"  # that of lesson 1
HEADS = ("1", "2", "3", "4")
KINDS = ("trained", "random", *JOBS)
OF_WORDS = ("random", "same word")  # the heads that read a word’s own vector, which its seed draws


class Head(NamedTuple):
    kind: str  # trained, random, or what it attends to if it was made by hand
    number: int  # of the trained heads, from 1
    seed: int  # of the random matrices


def choose_head(controls: Controls, kind: str) -> Head:
    """Draw the choice among the trained heads, or the seed of what is random in other matrices."""
    if kind == "trained":
        return Head(kind, int(controls.choice("head", "Trained head", HEADS, HEADS[-1])), 0)
    if kind not in OF_WORDS:
        return Head(kind, 0, 7)
    return Head(kind, 0, controls.seed(7, width=150))


def head_over(recipe: Recipe, words: list[str], head: Head) -> tuple[OneHead, str | None]:
    """Return a head over some words, and a note on those that it does not know."""
    if head.kind == "trained":
        return trained_scene(recipe, words, head.number - 1, usual=SENTENCE)
    if head.kind == "random":
        return random_scene(recipe, words, 16, 8, 8, head.seed), None
    return hand_set_scene(recipe, words, cast(Job, head.kind), head.seed), None


def trained_maps(words: Sequence[str]) -> Array:
    """Return the attention weights (H, T, T) of all heads of the trained model, which has one layer."""
    heads = trained_heads(words)
    return attend_heads(heads.x, heads.matrices, len(HEADS), heads.mask).weights


def elsewhere_question(words: list[str], asks: int, variant: int) -> Choice | None:
    """Ask which word the same word attends to most in another head."""
    maps, labels, usual = trained_maps(words), position_labels(words), len(HEADS) - 1
    head = variant % usual
    tops = [largest(row) for row in maps[:, asks]]
    others = [place for place, word in enumerate(words) if words.count(word) == 1]  # whose labels are plain words
    places = list(dict.fromkeys((*(top.first for top in tops), asks, *others[:2])))
    if len(places) < 3 or not tops[usual].is_one:
        return None
    named = {"heads": escape(len(HEADS)), "last": escape(usual + 1), "other": escape(head + 1)}
    text = prose(
        "A **head** is one way to attend, and this model has {heads}. In head {last}, {asks} attends most to {first}. "
        "Which word does {asks} attend to most in head {other}?",
        asks=labels[asks],
        first=labels[tops[usual].first],
        **named,
    )
    why = prose(
        "In head {other}, {asks} gives {most} a weight of {weight}: how much it takes from that word. A large weight "
        "shows what a head attends to, not why.",
        asks=labels[asks],
        most=labels[tops[head].first],
        weight=escape(tops[head].shown),
        **named,
    )
    said = "In head {} less is taken from this word, {} of the whole, than from another."
    wrong = {labels[place]: said.format(head + 1, number(maps[head, asks, place])) for place in places}
    right = [labels[place] for place in places if place in tops[head].places]
    blank = (Markup(),) * len(places)  # a click on a word is the answer
    return Choice.of("elsewhere", text, right, why, wrong, pictures=blank)
