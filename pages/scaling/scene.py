"""The settings of the lesson on scaling, and the first trial, which several of its steps show."""

from typing import NamedTuple

import streamlit as st

from attention_core.arrays import Array
from attention_core.experiments.qkv.perturb import dot_products
from attention_core.experiments.scaling.random_scores import WIDTHS, divisor, one_table
from attention_core.text.word_vectors import SUBSCRIPTS, position_labels
from pages.charts.chart import Chart
from pages.charts.heatmap import ATTENTION_AXES, ROW_SUMS, Layer, heatmap
from pages.look.html import indexed, quoted
from pages.look.sentences import first_query
from pages.look.typed import words_of
from pages.page.page import Page
from pages.page.steps import Steps

WORDS = "draws length seed text"  # of a link, for controls that several steps have

OVER_WIDTHS = ("spread", "gradient")  # the steps that run trials at every d_k
OF_WORDS = ("collapse", "train")  # the steps over a sentence
FIXED = ("claims", *OF_WORDS)  # these, and the one over as many keys as tutorials have
N_TRIALS = ("1", "10", "25", "100", "1000", "4000")
SENTENCE = ("the", "cat", "didn't", "cross", "the", "river", "because", "it", "was", "too", "tired")
NARROW, USUAL = "4", "64"  # d_k, where nothing is chosen: where it is to be dragged, and elsewhere
OF_VALUES = "16"  # d_v, where nothing is chosen: another width than that of the keys
LENGTH = 4  # queries and keys in the examples of tutorials, on which their claims are tried
DIVISORS = {"none": "nothing", "√d_k": "√d_k", "d_k": "d_k"}  # as a student chooses them: as the core names them


class Trials(NamedTuple):
    """Random trials of queries and keys; what a step has no control for has its default."""

    length: int  # queries and keys in a trial
    n_trials: int
    seed: int
    d_k: int
    divisor: str  # its name: nothing, √d_k or d_k
    words: tuple[str, ...] = SENTENCE  # of a step over a sentence

    @property
    def labels(self) -> list[str]:
        return position_labels(self.words)

    @property
    def asks(self) -> int:
        return first_query(self.words)

    @property
    def word(self) -> str:
        return quoted(self.labels[self.asks])

    @property
    def by(self) -> float:
        """The number that divides the scores."""
        return divisor(self.divisor, self.d_k)

    @property
    def origin(self) -> str:
        """What is said under the pictures of these numbers."""
        return f"Random numbers (seed {self.seed}). They stand for no words."


def choose_scene(steps: Steps) -> Trials:
    """Draw the controls that the step in view has use for, and return their values."""
    page, controls = steps.page, steps.page.controls
    is_fixed, goes_over_widths = steps.name in FIXED, steps.name in OVER_WIDTHS
    length, n_trials, d_k, chosen = LENGTH, 0, int(NARROW), "none"
    text = sentence = " ".join(SENTENCE)
    with page.sidebar:
        st.subheader("Settings", anchor=False)
        if steps.name in OF_WORDS:
            text = controls.text("text", "Sentence", sentence)
        if not is_fixed:
            length = controls.slider("length", "Number of queries and keys", 2, 16, 8, 1)
        if goes_over_widths:
            n_trials = int(controls.dial("draws", "Trials", N_TRIALS, "25", help="Tables of random queries and keys"))
        seed = controls.seed(895)
    with page.fields:
        if not is_fixed and steps.name != "spread":  # which has its fields beside its picture, after its question
            usual = {"scores": NARROW, "gradient": str(WIDTHS[-1])}.get(steps.name, USUAL)
            d_k = width_field(page, own(page, "d_k"), "Key width d_k", usual, 220 if steps.name == "d_v" else 300)
        if steps.name in ("gradient", "scores"):
            chosen = controls.choice(own(page, "divide"), "Divisor", tuple(DIVISORS), chosen)
    words, note = words_of(text, sentence)
    steps.note(note)
    return Trials(length, n_trials, seed, d_k, DIVISORS[chosen], tuple(words))


def division(named: str) -> str:
    """Return how one of the core's divisors divides the scores, as a line is named."""
    return "not divided" if named == "nothing" else f"÷ {indexed(named)}"


def own(page: Page, name: str) -> str:
    """Return the name of a control that several steps have, each for itself: what is dragged in one stays in it."""
    return f"{page.controls.last('step', '')}_{name}"


def width_field(page: Page, name: str, label: str, usual: str, pixels: int) -> int:
    """Draw a slider over the widths that a vector may have, and return the chosen one."""
    return int(page.controls.dial(name, label, [str(width) for width in WIDTHS], usual, width=pixels))


def first_trial(page: Page, scene: Trials) -> Array:
    trial = page.recipe.run("trial", one_table, scene.d_k, scene.length, scene.seed, 0)
    return page.recipe.run("products", dot_products, trial.q, trial.k)


def index_field(page: Page, scene: Trials, letter: str) -> int:
    """Draw the field for a query or a key and return its index, counted from 0."""
    label = {"q": "Query · row", "k": "Key · column"}[letter]
    return min(page.controls.integer(own(page, letter), label, 1, 16, 1, width=150), scene.length) - 1


def name_at(letter: str, index: int) -> str:
    """Return the name of a query or key: q₁ for the first."""
    return f"{letter}{index + 1}".translate(SUBSCRIPTS)


def names(letter: str, length: int) -> list[str]:
    return [name_at(letter, index) for index in range(length)]


def weights_map(weights: Array, name: str, sentence: str, *layers: Layer) -> Chart:
    """Return the weights of one trial: a row for each query, a column for each key."""
    rows, columns = names("q", len(weights)), names("k", weights.shape[-1])
    return heatmap(weights, rows, columns, ATTENTION_AXES, ROW_SUMS, *layers, name=name, sentence=sentence)
