"""The model in view: which one, at which checkpoint, and the prompt as it reads it."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import streamlit as st

from attention_core.arrays import Array, Tokens
from attention_core.model.as_text import pack, unpack
from attention_core.model.parameters import Model
from attention_core.shipped.models import Curve, curve_of, model_at
from attention_core.shipped.plans import MODELS
from attention_core.text.characters import short_label, truncate_word
from attention_core.text.corpora import Unit, source_of
from attention_core.text.stories import BEGUN_STORY
from attention_core.text.vocabulary import Vocabulary
from attention_core.text.word_vectors import position_labels
from pages.look.html import quoted, seen
from pages.page.page import Page
from pages.tiny_lm.units import as_text, joined, tokens_in

OWN = "your own"
INSTEAD = "Toy English"  # of a model of one’s own that is not here: what links to one have always opened then
NAMES = {  # what a student chooses: which of the models that ship
    "Small Stories": "stories",
    "Toy English": "english",
    "Pronouns": "pronoun",
    "Copy task": "recall",
    "King James Bible": "bible",
}
WHEN = ("untrained", "just begun", "early", "late", "trained")  # the five checkpoints of a model
PROMPTS = {
    "stories": ("story", BEGUN_STORY),
    "english": ("text", "the big cat saw a red ball near the hat and it"),
    "pronoun": ("text", "the big cat saw a red ball near the hat and it"),
    "recall": ("letters", "a3c7b1e4a"),
    "bible": ("verse", "And God said"),
    "own": ("prompt", ""),
}
MOST = {"word": 24, "character": 48, "piece": 48}  # tokens of a prompt
GONE = "Your model is no longer kept, because the models of others needed the memory"
VISIBLE = {" ": "␣", "\n": "⏎", "\t": "⇥"}


@dataclass(eq=False)
class Own:
    """A model that the student trained here, or brought along; a session holds it, and the scheduler counts it."""

    models: tuple[Model, ...]  # as they were at the steps, the last is the finished one
    steps: tuple[int, ...]
    vocabulary: Vocabulary
    unit: Unit
    says: str  # what it was trained on
    prompt: str
    curve: Curve | None = None  # how its training went, where that is known
    size: str = ""
    brought: bool = False  # in a file, which does not say how it was trained
    baselines: tuple[tuple[str, float], ...] = ()  # names and validation losses of models that only count
    owner: str = ""  # the session
    since: float = 0.0

    def arrays(self) -> list[Array]:
        """Return what it holds."""
        return [model.flat for model in self.models]

    def drop(self) -> None:
        """Let go of the models: others need the memory."""
        self.models = ()


class Subject(NamedTuple):
    """A model at some step of its training, and a prompt."""

    name: str  # of those that ship, or "own"
    model: Model
    vocabulary: Vocabulary
    unit: Unit
    tokens: Tokens  # (T,), the prompt
    words: list[str]  # the same as text
    step: int  # after which the model stands
    steps: tuple[int, ...]  # at which it can be looked at
    says: str  # what it was trained on
    curve: Curve | None  # how its training went
    own: tuple[Model, ...] = ()  # the student's own models at the steps, where it is one of them
    brought: bool = False  # from a file
    baselines: tuple[tuple[str, float], ...] = ()  # of a model that was trained here

    @property
    def labels(self) -> list[str]:
        """The tokens of the prompt as labels of an axis."""
        return position_labels([visible(word) for word in self.words])

    @property
    def space(self) -> str:
        """What stands between two tokens of a text."""
        return " " if self.unit == "word" else ""

    @property
    def origin(self) -> str:
        """Which model, at which step of its training."""
        if self.brought:
            return "This is the model that you loaded from a file."
        if self.step == 0:
            return "This model is untrained. Its parameters are random, so this means nothing yet."
        return f"This model was trained for {self.step:,} step{'s' * (self.step != 1)} on {self.says}."

    def token(self, number: int) -> str:
        """Return a token of the vocabulary as it is shown."""
        return visible(self.vocabulary.tokens[number])


def visible(token: str) -> str:
    """Return a token so that it can be seen, the spaces before a word too."""
    word = token.lstrip("".join(VISIBLE))
    spaces = "".join(map(VISIBLE.__getitem__, token[: len(token) - len(word)]))
    return spaces + (short_label(seen(word)) if word else "")


def stops_of(name: str) -> tuple[int, ...]:
    """Return the steps at which a model that ships is looked at: one for each of WHEN, of those it was saved at."""
    saved = MODELS[name].stops
    return tuple(saved[round(place * (len(saved) - 1) / (len(WHEN) - 1))] for place in range(len(WHEN)))


def is_offered(label: str) -> bool:
    """Return whether the list of models has this one."""
    return label in (*NAMES, OWN)


def own_model() -> Own | None:
    """Return the model that this student trained or brought along."""
    return st.session_state.get("tiny_lm_own")


def chosen_subject(page: Page, always: str | None = None, field: bool = True) -> tuple[Subject, str | None]:
    """Draw the field of the prompt, and return the model that the sidebar chooses, with a note on what was dropped.

    A step that is about one model shows `always` that, or one of the student's own with the same vocabulary. Without
    the field it is the usual prompt, and no part of what the page computes.
    """
    label = page.controls.last("model", "", is_offered)
    when = page.controls.last("when", WHEN[-1], WHEN.__contains__)
    own, note = own_model(), None
    models = own.models if own else ()  # the scheduler may drop them at any time, and this page draws these
    if label == OWN and not models:
        why = GONE if own else "You have not trained or loaded a model yet"
        label, note = INSTEAD, f"{why}, so this is {INSTEAD}."
    name = "own" if label == OWN else NAMES.get(label, next(iter(NAMES.values())))
    if always is not None and not (name == "own" and own is not None and fits(own, models[-1], always)):
        name, note = always, None
    stop = WHEN.index(when)
    if name == "own" and own is not None:
        stop = min(stop, len(models) - 1) if stop < len(WHEN) - 1 else len(models) - 1
        model, step, steps, vocabulary, unit, says = (
            models[stop], own.steps[stop], own.steps, own.vocabulary, own.unit, own.says,
        )  # fmt: skip
        usual, curve = own.prompt, own.curve
    else:
        source, steps = source_of(MODELS[name].source), stops_of(name)
        step = steps[stop]
        model, vocabulary, unit, says = model_at(name, step), source.vocabulary, source.unit, source.says
        usual, curve = PROMPTS[name][1], curve_of(name)
    vocabulary = as_text(vocabulary, unit)
    text = page.controls.text(PROMPTS[name][0], "Prompt", usual, width=440) if field else usual
    words, cut = prompt_words(text, usual, vocabulary, unit, min(MOST[unit], model.config.max_len))
    tokens = vocabulary.encode(words)
    if field:
        page.recipe.made("model", model, unpack, lambda: pack(model))
        if name != "own":
            page.recipe.say_shortly("model", f"model_at({name!r}, {step})", model_at)
        page.recipe.given("words", words)
        page.recipe.given("tokens", tokens)
    shown, brought, known = (models, own.brought, own.baselines) if name == "own" and own else ((), False, ())
    found = Subject(name, model, vocabulary, unit, tokens, words, step, steps, says, curve, shown, brought, known)
    return found, note or cut


def usual_subject(name: str) -> Subject:
    """Return a model that ships, fully trained, with its usual prompt: for a view that the model in the list lacks."""
    source, steps = source_of(MODELS[name].source), stops_of(name)
    vocabulary, unit = as_text(source.vocabulary, source.unit), source.unit
    words = tokens_in(PROMPTS[name][1], vocabulary, unit)
    tokens, curve = vocabulary.encode(words), curve_of(name)
    return Subject(name, model_at(name), vocabulary, unit, tokens, words, steps[-1], steps, source.says, curve)


def has_one_layer(page: Page) -> bool:
    """Tell whether the model that the sidebar chooses has a single layer."""
    label, own = page.controls.last("model", "", is_offered), own_model()
    if label == OWN:
        if own and own.models:
            return own.models[-1].config.n_layers == 1
        label = INSTEAD
    return MODELS[NAMES.get(label, next(iter(NAMES.values())))].plan.config.n_layers == 1


def fits(own: Own, model: Model, name: str) -> bool:
    """Tell whether an own model can read what a model that ships was made for."""
    tokens = source_of(MODELS[name].source).vocabulary.tokens
    return own.vocabulary.tokens == tokens and model.config.max_len >= MODELS[name].plan.config.max_len


def read_by_own(name: str) -> bool:
    """Tell whether this student has a model that can read what a model that ships was made for."""
    own = own_model()
    return bool(own and own.models and fits(own, own.models[-1], name))


def prompt_words(
    text: str, usual: str, vocabulary: Vocabulary, unit: Unit, longest: int
) -> tuple[list[str], str | None]:
    """Return the tokens of a prompt that a model knows, and a note if something had to be dropped."""
    given = tokens_in(text, vocabulary, unit)
    known = [token for token in given if token in vocabulary]
    if not known:
        known = [token for token in tokens_in(usual, vocabulary, unit) if token in vocabulary] or [vocabulary.tokens[0]]
        why = "No token of your text is in this model’s vocabulary" if given else "The field is empty"
        note = f"{why}, so it reads its usual prompt."
    elif unknown := list(dict.fromkeys(visible(truncate_word(token)) for token in given if token not in vocabulary)):
        some = ", ".join(quoted(token) for token in unknown[:6]) + (" and more" if len(unknown) > 6 else "")
        note = f"This model has never met {some}, so it skips them."
    else:
        note = None
    if len(known) > longest:
        cut = f"The model reads only the last {longest} {unit}s, so that the charts stay readable."
        note = f"{note} {cut}" if note else cut
    return known[-longest:], note


def shown_text(tokens: np.ndarray, vocabulary: Vocabulary, unit: Unit) -> str:
    """Return generated tokens as one text."""
    return joined(vocabulary, tokens, unit)
