"""The model in view: which one, at which checkpoint, and the prompt as it reads it."""

from dataclasses import dataclass
from typing import ClassVar

import streamlit as st

from attention_core.model.config import Config
from attention_core.model.parameters import Model
from attention_core.shipped.models import Curve, curve_of, model_at
from attention_core.shipped.plans import MODELS
from attention_core.text.characters import short_label, truncate_word
from attention_core.text.corpora import Unit, source_of
from attention_core.text.stories import BEGUN_STORY, START
from attention_core.text.vocabulary import Vocabulary
from attention_core.text.word_vectors import position_labels
from pages.look.html import quoted, seen
from pages.page.page import Page
from pages.tiny_lm.units import as_text, tokens_in

OWN = "your own"
INSTEAD = "Toy English"  # of a model of one’s own that is not here: what links to one have always opened then
NAMES = {  # what a student chooses: which of the models that ship
    "Small Stories": "stories",
    "Toy English": "english",
    "Pronouns": "pronoun",
    "Copy task": "recall",
}
WHEN = ("untrained", "just begun", "early", "late", "trained")  # the five checkpoints of a model
PROMPTS = {
    "stories": ("story", BEGUN_STORY),
    "english": ("text", "the big cat saw a red ball near the hat and it"),
    "pronoun": ("text", "the big cat saw a red ball near the hat and it"),
    "recall": ("letters", "a3c7b1e4a"),
    "own": ("prompt", ""),
}
STARTS = {"stories": START}  # what stood before each text in training, so it stands before each prompt
MAX_PROMPT = {"word": 24, "character": 48, "piece": 48}  # tokens of a prompt
NOUNS = {"piece": "token"}  # what a sentence calls a token, where not by its unit
VISIBLE = {" ": "␣", "\n": "⏎", "\t": "⇥"}


@dataclass(eq=False)
class Own:
    """A model that the student trained here, or brought along."""

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
    knows: bool = False  # most of its validation text: it stands in the training text too
    starts: tuple[str, ...] = ()  # other prompts that it can read, where no model that ships reads the same tokens
    name: ClassVar = "own"

    @property
    def config(self) -> Config:
        return self.models[-1].config

    def model(self, place: int) -> Model:
        return self.models[place]


class Shipped:
    brought = knows = False

    def __init__(self, name: str) -> None:
        self.name, self.prompt = name, PROMPTS[name][1]
        self.steps, self.curve, self.config = stops_of(name), curve_of(name), MODELS[name].plan.config
        source = source_of(MODELS[name].source)
        self.vocabulary, self.unit, self.says = source.vocabulary, source.unit, source.says

    def model(self, place: int) -> Model:
        return model_at(self.name, self.steps[place])


class Subject:
    """A model at some step of its training, and a prompt."""

    def __init__(self, source: Shipped | Own, place: int, words: list[str]) -> None:
        self.source, self.name, self.unit, self.says = source, source.name, source.unit, source.says
        self.noun = NOUNS.get(self.unit, self.unit)
        self.steps, self.curve, self.brought = source.steps, source.curve, source.brought
        self.model, self.step = source.model(place), source.steps[place]
        self.vocabulary, self.words = as_text(source.vocabulary, source.unit), words
        self.tokens = self.vocabulary.encode(words)  # (T,), the prompt

    @property
    def labels(self) -> list[str]:
        return position_labels([visible(word) for word in self.words])

    @property
    def title(self) -> str:
        return title_of(self.name)

    @property
    def space(self) -> str:
        return " " if self.unit == "word" else ""

    @property
    def origin(self) -> str:
        if self.brought:
            return (
                f"This is the model that you loaded from a file{f', after step {self.step:,}' * (len(self.steps) > 1)}."
            )
        if self.step == 0:
            return "This model is untrained, so its parameters are random."
        return f"This model was trained for {self.step:,} step{'s' * (self.step != 1)} on {self.says}."

    def token(self, number: int) -> str:
        return visible(self.vocabulary.tokens[number])


def title_of(name: str) -> str:
    return next((label for label, own in NAMES.items() if own == name), OWN)


def visible(token: str) -> str:
    """Return a token so that it can be seen, the spaces before a word too."""
    word = token.lstrip("".join(VISIBLE))
    spaces = "".join(map(VISIBLE.__getitem__, token[: len(token) - len(word)]))
    return spaces + (short_label(seen(word)) if word else "")


def stops_of(name: str) -> tuple[int, ...]:
    """Return the steps at which a model that ships is looked at: one for each of WHEN, of those it was saved at."""
    saved = MODELS[name].stops
    return tuple(saved[round(place * (len(saved) - 1) / (len(WHEN) - 1))] for place in range(len(WHEN)))


def own_model() -> Own | None:
    """Return the model that this student trained or brought along."""
    return st.session_state.get("tiny_lm_own")


def make_own(own: Own) -> None:
    st.session_state["tiny_lm_own"] = own


def show_own(page: Page, own: Own) -> None:
    """Have a model of one's own in view, with a prompt that it can read."""
    page.controls.put(model=OWN, when=WHEN[-1], prompt=own.prompt)


def chosen(page: Page, always: str | None = None) -> tuple[Shipped | Own, str | None]:
    """Return the model chosen in the sidebar, or `always` one, or one’s own like it; a note where there is none."""
    label, own = page.controls.last("model", "", (*NAMES, OWN).__contains__), own_model()
    if always is not None:
        return own if own and NAMES.get(label) != always and fits(own, always) else Shipped(always), None
    if label == OWN and own:
        return own, None
    if label == OWN:
        return Shipped(NAMES[INSTEAD]), f"No model of your own is here: a reload forgets it. So this is {INSTEAD}."
    return Shipped(NAMES.get(label, next(iter(NAMES.values())))), None


def subject_of(
    page: Page, source: Shipped | Own, field: bool = True, finished: bool = False
) -> tuple[Subject, str | None]:
    """Draw the field of the prompt, unless it is the usual one; return the model at its checkpoint, and a note."""
    place, last = WHEN.index(page.controls.last("when", WHEN[-1], WHEN.__contains__)), len(source.steps) - 1
    place = last if finished or place == len(WHEN) - 1 else min(place, last)
    text = page.controls.text(PROMPTS[source.name][0], "Prompt", source.prompt, width=440) if field else source.prompt
    words, note = words_read(source, text)
    subject = Subject(source, place, words)
    if field:
        page.recipe.model("model", subject.model, source.name, subject.step)
        page.recipe.given("words", words)
        page.recipe.given("tokens", subject.tokens)
    return subject, note


def words_read(source: Shipped | Own, text: str) -> tuple[list[str], str | None]:
    """Return a text in tokens as a model reads it, and a note on what was dropped."""
    vocabulary, longest = as_text(source.vocabulary, source.unit), min(MAX_PROMPT[source.unit], source.config.max_len)
    return prompt_words(text, source.prompt, vocabulary, source.unit, longest, STARTS.get(source.name, ""))


def kind_of(source: Shipped | Own) -> str:
    """Return which model that ships reads the same tokens, so that its prompts will do; nothing if none does."""
    tokens, names = source.vocabulary.tokens, NAMES.values() if source.name == Own.name else [source.name]
    return next((name for name in names if source_of(MODELS[name].source).vocabulary.tokens == tokens), "")


def step_inside(own: Own) -> str:
    """Return the first step of “Looks inside” that can be about a model of one’s own."""
    return "copy" if fits(own, "recall") else "bench" if own.config.n_layers > 1 else "lens"


def fits(own: Own | None, name: str) -> bool:
    """Return whether an own model of several layers can read what a model that ships was made for."""
    tokens, longest = source_of(MODELS[name].source).vocabulary.tokens, MODELS[name].plan.config.max_len
    deep = own is not None and own.config.n_layers > 1 and own.config.max_len >= longest
    return own is not None and deep and own.vocabulary.tokens == tokens


def prompt_words(
    text: str, usual: str, vocabulary: Vocabulary, unit: Unit, longest: int, start: str = ""
) -> tuple[list[str], str | None]:
    """Return the tokens of a prompt that a model knows, after the start token, and a note if something was dropped."""
    given = tokens_in(text, vocabulary, unit)
    known = [token for token in given if token in vocabulary]
    if not known:
        known = [token for token in tokens_in(usual, vocabulary, unit) if token in vocabulary] or [vocabulary.tokens[0]]
        why = "No token of your text is in this model’s vocabulary" if given else "The field is empty"
        note = f"{why}, so it reads its usual prompt."
    elif unknown := list(dict.fromkeys(visible(truncate_word(token)) for token in given if token not in vocabulary)):
        some = ", ".join(quoted(token) for token in unknown[:6]) + (" and more" if len(unknown) > 6 else "")
        note = f"This model has never met {some}, so it reads the rest."
    else:
        note = None
    begun = [start] if start else []
    longest -= len(begun)
    if len(known) > longest:
        cut = f"The model reads the last {longest} {NOUNS.get(unit, unit)}s, so that the charts stay readable."
        note = f"{note} {cut}" if note else cut
    return [*begun, *known[-longest:]], note
