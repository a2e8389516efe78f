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
from pages.look.html import number
from pages.motion.sliders import Slider
from pages.motion.text import Curve, Stop, moving_text
from pages.page.page import Page
from pages.server.model_cache import cached, is_kept
from pages.tiny_lm.checkpoints import WRITTEN, patience
from pages.tiny_lm.common import several, text_of
from pages.tiny_lm.model_in_view import Own, Subject
from pages.tiny_lm.sampling import Sampling, only_answers

CHANGED = " Marked: what differs from the checkpoint before."


def chosen_stop(page: Page, subject: Subject) -> int:
    """Return the step of the checkpoint at which the slider stands."""
    raw = page.controls.mark("travel", "Checkpoint", "", lambda raw: raw == "" or (raw.isdecimal() and len(raw) < 9))
    steps = [step for step, _ in checkpoints_of(subject)]
    return max((step for step in steps if raw and step <= int(raw)), default=steps[0 if raw else -1])


def draw_travel(page: Page, subject: Subject, sampling: Sampling, early: int) -> None:
    """Draw the text at every checkpoint with its changes, over curves of what the model gets right."""
    stops = checkpoints_of(subject)
    steps = [step for step, _ in stops]
    at = steps.index(chosen_stop(page, subject))
    slider = Slider("travel", "Checkpoint after step", [f"{step}" for step in steps], range(len(steps)), at)
    texts = texts_of(subject, [model for _, model in stops], sampling)
    curves = curves_of(subject, steps)
    frames = [
        Stop(parts_of(subject, text, texts[place - 1] if place else text), told(step, early) + CHANGED * (place > 0))
        for place, (text, step) in enumerate(zip(texts, steps, strict=True))
    ]
    moving_text(page, text_of(subject, subject.tokens) + subject.space, frames, curves, 1.0, slider)
    page.write(curves_note(subject), "note")


def told(step: int, early: int) -> str:
    """Return how long a checkpoint was trained, and on which data if these changed at step `early`."""
    after = f"After {several(step, 'step')}"
    if not early or not step:
        return f"{after}."
    return f"{after}, all on short exercises." if step <= early else f"{after}, the last {step - early:,} with stories."


def checkpoints_of(subject: Subject) -> list[tuple[int, Model]]:
    """Return every step at which the model in view was kept, with the model."""
    if isinstance(subject.source, Own):
        return list(zip(subject.steps, subject.source.models, strict=True))
    return [(step, model_at(subject.name, step)) for step in MODELS[subject.name].stops]


def texts_of(subject: Subject, models: Sequence[Model], sampling: Sampling) -> list[Tokens]:
    """Return what each checkpoint generates: of a model that cannot write, its likeliest next token alone."""
    greedy = only_answers(subject)
    n_new = 1 if greedy else WRITTEN[subject.unit]
    ways = (0.0, None, None, 0) if greedy else sampling
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


def curves_of(subject: Subject, steps: list[int]) -> list[Curve]:
    """Return the curves at these steps: of Small Stories what it gets right."""
    if subject.name != STORIES.name:
        return []
    grades = grades_of_stories()
    places = [grades.steps.index(step) for step in steps]
    return [Curve(kind, np.array([scores[place].rate for place in places])) for kind, scores in grades.scores.items()]


def curves_note(subject: Subject) -> str:
    same = "Prompt, settings and seed are the same at every checkpoint."
    if subject.name != STORIES.name:
        return same
    asked = min(scores[-1].asked for scores in grades_of_stories().scores.values())
    return (
        f"{same} A small curve is the fraction of right choices where earlier words of a new story determine the "
        f"word: at least {number(asked, 0)} cases each."
    )
