"""How a token is sampled: the controls of every step that generates."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import streamlit as st

from attention_core.experiments.language.next_token import Decisions, decisions
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import source_of
from attention_core.threads import one_at_a_time
from pages.look.facts import largest
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.tiny_lm.common import go_to_usual
from pages.tiny_lm.model_in_view import Shipped, Subject, kind_of, words_read
from pages.tiny_lm.texts import TEXTS

STORY_LENGTH = 200  # pieces, of which a model reads more at a time
MOST_NEW = 60  # beyond the length that a model reads each costs a pass over all of it: more would keep a class waiting
TRIES: dict[str, dict[str, object]] = {  # ways to sample that are worth a comparison
    "Greedy": {"greedy": True},
    "T = 0.5": {"greedy": False, "temperature": 0.5},
    "T = 1": {"greedy": False, "temperature": 1.0},
    "T = 2": {"greedy": False, "temperature": 2.0},
    "Top-k = 3": {"greedy": False, "top_k": 3},
    "Top-p = 0.9": {"greedy": False, "top_p": 0.9},
    "Keep all": {"greedy": False, "top_k": 0, "top_p": 1.0},
}


CANNOT_WRITE = "In training, this model had one target, the verb after “it” or “they”. So what it generates is no text."


class Sampling(NamedTuple):
    """What changes the probabilities before a token is sampled."""

    temperature: float  # 0: greedy
    top_k: int | None
    top_p: float | None
    seed: int

    @property
    def how(self) -> str:
        if not self.temperature:
            return "greedy"
        cuts = [f"top-k {self.top_k}"] if self.top_k else []
        cuts += [f"top-p {self.top_p:g}"] if self.top_p else []
        return ", ".join([f"T = {self.temperature:g}", *cuts])


USUAL_SAMPLING = Sampling(0.8, None, None, 3)
HEATS = tuple(round(0.1 + 0.05 * step, 2) for step in range(39))  # those of the slider, 0.1 to 2
WRITTEN = 5  # tokens of a model of one’s own at first
FARTHEST = 16  # tokens, among which one of the models that ship is uncertain


def chosen_sampling(page: Page, acts: bool = True) -> Sampling:
    """Draw the controls in the sidebar; where nothing is sampled yet, say on what they act."""
    with page.sidebar:
        st.subheader("Sampling", anchor=False)
        controls = page.controls
        greedy = controls.switch("greedy", "Greedy (no sampling)")
        temperature = controls.slider(
            "temperature", "Temperature T", 0.1, 2.0, USUAL_SAMPLING.temperature, 0.05, disabled=greedy
        )
        top_k = controls.slider("top_k", "Top-k (0 keeps all)", 0, 20, 0, 1, disabled=greedy)
        top_p = controls.slider("top_p", "Top-p (1 keeps all)", 0.05, 1.0, 1.0, 0.05, disabled=greedy)
        seed = controls.seed(USUAL_SAMPLING.seed, disabled=greedy)
        if not acts:
            page.write("These act on what is generated next, not on the prediction.", "note")
    return Sampling(0.0 if greedy else temperature, top_k or None, top_p if top_p < 1 else None, seed)


def n_written(page: Page, subject: Subject, name: str = "new", usual: int = 0) -> int:
    """Return how many tokens to generate, kept by a name; after another prompt the count begins anew."""
    legal, key = frozenset(map(str, range(STORY_LENGTH + 1))), f"_{page.name}_{name}_after"
    count = int(page.controls.bare_text(name, "Generated tokens", str(usual), legal.__contains__))
    before = st.session_state.get(key, (subject.words, count))
    if before[0] != subject.words and before[1] == count > usual and name not in page.controls.locked:
        page.controls.put(**{name: str(usual)})
        count = usual
    st.session_state[key] = subject.words, count
    return count


def decided(page: Page, subject: Subject, sampling: Sampling, n_new: int) -> Decisions:
    """Return what decided each new token, and the one after them, which comes next."""
    return page.recipe.run_once("decided", decisions, subject.model, subject.tokens, n_new + 1, *sampling)


@one_at_a_time
@lru_cache(maxsize=8)
def most_uncertain(name: str) -> int:
    """Return after how many tokens of its usual text a model that ships has the most choices, so that one is seen."""
    if name not in MODELS:
        return WRITTEN
    source = Shipped(name)
    subject = Subject(source, -1, words_read(source, source.prompt)[0])
    found = decisions(subject.model, subject.tokens, FARTHEST, *USUAL_SAMPLING)
    logs = np.log(np.maximum(found.bets, np.finfo(np.float32).tiny))
    return largest((found.bets * -logs).sum(axis=-1), 4).first


def only_answers(subject: Subject) -> bool:
    """Return whether the model in view was trained on answers alone, here or before, so that it cannot write."""
    return subject.says == source_of("pronoun").says


def only_digits(subject: Subject) -> bool:
    """Return whether the model in view reads the Copy task, of which it learned a digit at a time."""
    return kind_of(subject.source) == "recall"


def say_limits(page: Page, subject: Subject) -> None:
    """Say why a model that ships writes no better, or why it cannot write at all."""
    if only_answers(subject):
        page.write(CANNOT_WRITE, "note")
        return
    limit = TEXTS["limits"].get("recall" if only_digits(subject) else subject.name)
    if limit and subject.step == subject.steps[-1]:
        page.say(limit, "note")


def writing_buttons(page: Page, subject: Subject, n_new: int, name: str = "new") -> None:
    """Draw the buttons that have the model generate more; one that cannot says why, and leads to one that can."""
    fixed = name in page.controls.locked
    if only_answers(subject):
        go_to_usual(page, f"{name}_other")
        if n_new:
            put_button(page, "Reset", {name: "0"}, f"{name}_0", disabled=fixed)
        page.write(CANNOT_WRITE, "note")
        return
    most = STORY_LENGTH if subject.unit == "piece" else MOST_NEW
    many = ((f"Next {subject.noun}", 1, ":material/play_arrow:"), ("Next 10", 10, None), ("Next 100", 100, None))
    for label, more, icon in many[: 3 if most > 100 else 2]:
        after = min(n_new + more, most)
        put_button(page, label, {name: str(after)}, f"{name}_{more}", icon, disabled=fixed or after == n_new)
    put_button(page, "Reset", {name: "0"}, f"{name}_0", disabled=fixed or n_new == 0)


def try_buttons(page: Page) -> None:
    """Draw buttons that set the controls of the sidebar, for it is closed on a phone."""
    with st.container(horizontal=True, gap="xsmall"):
        for label, values in TRIES.items():
            put_button(page, label, values, f"try_{label}", disabled=bool(page.controls.locked & values.keys()))
