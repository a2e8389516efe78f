"""How a token is drawn from the bet: the controls of every step that generates."""

from typing import NamedTuple

from attention_core.generate import Decisions, decisions
from pages.shared.frame import Page
from pages.shared.heads import put_button
from pages.tiny_lm.subject import Subject

MOST_NEW = 80


class Sampling(NamedTuple):
    """What changes the odds before a token is drawn."""

    temperature: float  # 0: greedy
    top_k: int | None
    top_p: float | None
    seed: int


def chosen_sampling(page: Page) -> Sampling:
    """Draw the controls in the sidebar."""
    controls = page.controls
    greedy = controls.switch("greedy", "Greedy: always the likeliest")
    temperature = controls.slider("temperature", "Temperature", 0.1, 2.0, 0.8, 0.05, disabled=greedy)
    top_k = controls.slider("top_k", "Top-k (0 keeps all)", 0, 20, 0, 1, disabled=greedy)
    top_p = controls.slider("top_p", "Top-p (1 keeps all)", 0.05, 1.0, 1.0, 0.05, disabled=greedy)
    seed = controls.whole("seed", "Seed", 0, 9999, 3, disabled=greedy)
    return Sampling(0.0 if greedy else temperature, top_k or None, top_p if top_p < 1 else None, seed)


def n_written(page: Page) -> int:
    """Return how many tokens the student had the model write."""
    legal = frozenset(map(str, range(MOST_NEW + 1)))
    return int(page.controls.mark("new", "Tokens written", "0", legal.__contains__))


def decided(page: Page, subject: Subject, sampling: Sampling, n_new: int) -> Decisions:
    """Return what decided each new token, and the one after them, which is about to be drawn."""
    return page.recipe.run(
        "decided",
        decisions,
        subject.model,
        subject.tokens,
        n_new + 1,
        sampling.temperature,
        sampling.top_k,
        sampling.top_p,
        sampling.seed,
    )


def writing_buttons(page: Page, subject: Subject, n_new: int) -> None:
    """Draw the buttons that have the model write on."""
    fixed = "new" in page.controls.locked
    for label, more, icon in ((f"Next {subject.unit}", 1, ":material/play_arrow:"), ("Next ten", 10, None)):
        after = min(n_new + more, MOST_NEW)
        kind = "secondary" if more == 1 else "tertiary"
        key = f"new_{more}"
        put_button(page, label, {"new": str(after)}, key, icon, kind=kind, disabled=fixed or after == n_new)
    put_button(page, "Start again", {"new": "0"}, "new_0", disabled=fixed or n_new == 0)
