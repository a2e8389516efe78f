"""The time machine: what the model writes at each of its checkpoints, under a slider, over curves of what it can do."""

from collections.abc import Sequence
from difflib import SequenceMatcher

import numpy as np

from attention_core.arrays import Tokens
from attention_core.experiments.language.story_probes import grades_of_stories
from attention_core.model.generate import generate
from attention_core.model.parameters import Model
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import MODELS, STORIES
from pages.look.facts import several
from pages.motion.sliders import Slider
from pages.motion.text import Curve, Stop, moving_text
from pages.page.page import Page
from pages.server.model_cache import cached, is_kept
from pages.tiny_lm.common import patience, text_of
from pages.tiny_lm.model_in_view import Own, Subject
from pages.tiny_lm.sampling import Sampling, only_answers, only_digits

WRITTEN = {"word": 12, "character": 60, "piece": 24}  # tokens that each checkpoint generates
EXERCISES, FED = "After {steps}, all on short exercises.", "After {steps}, the last {fed:,} with stories."
CHANGED = " Marked: what differs from the checkpoint before."
RIGHT = (
    "Small curves: the fraction of right choices where earlier words of a new story determine the word, of at least "
    "{least:.0f} cases each."
)


def chosen_stop(page: Page, subject: Subject) -> int:
    """Return the step of the checkpoint at which the slider stands."""
    raw = page.controls.bare_text(
        "travel", "Checkpoint", "", lambda raw: raw == "" or (raw.isdecimal() and len(raw) < 9)
    )
    steps = [*checkpoints_of(subject)]
    return max((step for step in steps if raw and step <= int(raw)), default=steps[0 if raw else -1])


def checkpoints_of(subject: Subject) -> dict[int, Model]:
    """Return every step at which the model in view was kept, with the model."""
    if isinstance(subject.source, Own):
        return dict(zip(subject.steps, subject.source.models, strict=True))
    return {step: model_at(subject.name, step) for step in MODELS[subject.name].stops}


def draw_travel(page: Page, subject: Subject, sampling: Sampling, early: int) -> None:
    """Draw the text at every checkpoint with its changes, over curves of what the model gets right."""
    stops = checkpoints_of(subject)
    at = [*stops].index(chosen_stop(page, subject))
    slider = Slider("travel", "Checkpoint after step", [f"{step}" for step in stops], range(len(stops)), at)
    texts = texts_of(subject, [*stops.values()], sampling)
    frames: list[Stop] = []
    for step, text, before in zip(stops, texts, [texts[0], *texts], strict=False):
        after = several(step, "step")
        told = f"After {after}." if not early or not step else (EXERCISES if step <= early else FED)
        told = told.format(steps=after, fed=step - early) + CHANGED * bool(frames)
        frames.append(Stop(parts_of(subject, text, before), told))
    curves, note = [], ""
    if subject.name == STORIES.name:
        grades = grades_of_stories()
        places = [grades.steps.index(step) for step in stops]
        rates = {kind: np.array([scores[place].rate for place in places]) for kind, scores in grades.scores.items()}
        curves = [Curve(kind, rate) for kind, rate in rates.items()]
        note = RIGHT.format(least=min(scores[-1].asked for scores in grades.scores.values()))
    moving_text(page, text_of(subject, subject.tokens) + subject.space, frames, curves, 1.0, slider)
    if note:
        page.write(note, "note")


def texts_of(subject: Subject, models: Sequence[Model], sampling: Sampling) -> list[Tokens]:
    """Return what each checkpoint generates: of a model that cannot write, its likeliest next token alone."""
    alone = only_answers(subject) or only_digits(subject)
    n_new, ways = (1, (0.0, None, None, 0)) if alone else (WRITTEN[subject.unit], sampling)
    asked = (subject.tokens, n_new, *ways)
    with patience("Each checkpoint continues your prompt", all(is_kept(written, model, *asked) for model in models)):
        return [cached(written, model, *asked) for model in models]


def written(
    model: Model, prompt: Tokens, n_new: int, temperature: float, top_k: int | None, top_p: float | None, seed: int
) -> Tokens:
    return np.array(generate(model, prompt, n_new, temperature, top_k, top_p, seed), np.int64)


def parts_of(subject: Subject, text: Tokens, before: Tokens) -> list[tuple[str, bool]]:
    """Return a text in runs of tokens, each with whether it differs from the text before."""
    matched = SequenceMatcher(None, before.tolist(), text.tolist(), autojunk=False)
    return [
        (text_of(subject, text[start:stop]) + (subject.space if stop < len(text) else ""), kind != "equal")
        for kind, _, _, start, stop in matched.get_opcodes()
        if stop > start
    ]
