"""The time machine: what the model writes at each of its checkpoints, under a slider, over curves of what it can do."""

from collections.abc import Sequence
from difflib import SequenceMatcher

import numpy as np

from attention_core.arrays import Tokens
from attention_core.experiments.inside.compare_models import take_snapshot
from attention_core.experiments.language.story_probes import grades_of_stories
from attention_core.model.generate import generate
from attention_core.model.parameters import Model
from attention_core.shipped.models import curve_of, model_at
from attention_core.shipped.plans import MODELS, STORIES
from pages.look.html import number, percent
from pages.motion.sliders import Slider
from pages.motion.text import Curve, Frame, moving_text
from pages.page.page import Page
from pages.server.model_cache import cached, is_kept
from pages.tiny_lm.checkpoints import WRITTEN, curve_for, patience
from pages.tiny_lm.common import several, text_of
from pages.tiny_lm.model_in_view import Own, Subject
from pages.tiny_lm.sampling import Sampling, only_answers

LEARNED = 0.8  # of the cases: from there on a kind of word counts as learned


def draw_travel(page: Page, subject: Subject, sampling: Sampling) -> None:
    """Draw the text at every checkpoint with its changes, and the curves under it."""
    stops = checkpoints_of(subject)
    steps = [step for step, _ in stops]
    page.heading("Drag through the training", small=True)
    raw = page.controls.mark("travel", "Checkpoint", "", lambda raw: raw == "" or (raw.isdecimal() and len(raw) < 9))
    at = (
        max((place for place, step in enumerate(steps) if raw and step <= int(raw)), default=0)
        if raw
        else len(steps) - 1
    )
    words = [f"{step}" for step in steps]
    slider = Slider("travel", "Checkpoint after step", words, range(len(words)), at)
    texts = texts_of(subject, [model for _, model in stops], sampling)
    curves, top = curves_of(subject, steps)
    told = [
        f"After {several(step, 'step')}." + (" Marked: what differs from the checkpoint before." if place else "")
        for place, step in enumerate(steps)
    ]
    frames = [
        Frame(parts_of(subject, text, texts[place - 1] if place else text), sentence)
        for place, (text, sentence) in enumerate(zip(texts, told, strict=True))
    ]
    moving_text(page, text_of(subject, subject.tokens) + subject.space, frames, curves, top, slider)
    page.write(curves_note(subject), "note")


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
    drawn = [is_kept(take_snapshot, model, *asked) for model in models]  # by the other views of this step
    known = [has or is_kept(written, model, *asked) for model, has in zip(models, drawn, strict=True)]
    with patience("Each checkpoint continues your prompt", all(known)):
        return [
            cached(take_snapshot, model, *asked).written if has else cached(written, model, *asked)
            for model, has in zip(models, drawn, strict=True)
        ]


def written(
    model: Model, prompt: Tokens, n_new: int, temperature: float, top_k: int | None, top_p: float | None, seed: int
) -> Tokens:
    """Return a continuation as an array."""
    return np.array(generate(model, prompt, n_new, temperature, top_k, top_p, seed), np.int64)


def parts_of(subject: Subject, text: Tokens, before: Tokens) -> list[tuple[str, bool]]:
    """Return a text in runs of tokens, each with whether it differs from the text before."""
    matched = SequenceMatcher(None, before.tolist(), text.tolist(), autojunk=False)
    return [
        (text_of(subject, text[start:stop]) + (subject.space if stop < len(text) else ""), kind != "equal")
        for kind, _, _, start, stop in matched.get_opcodes()
        if stop > start
    ]


def curves_of(subject: Subject, steps: list[int]) -> tuple[list[Curve], float]:
    """Return the curves at these steps, and the top of their axes: what Small Stories gets right, or the loss."""
    if subject.name == STORIES.name:
        grades = grades_of_stories()
        places = [grades.steps.index(step) for step in steps]
        found = {kind: np.array([scores[place].rate for place in places]) for kind, scores in grades.scores.items()}
        return [Curve(kind, values) for kind, values in found.items()], 1.0
    curve = curve_for(subject) if subject.name == "own" else curve_of(subject.name)
    if curve is None:
        return [], 1.0
    losses = np.interp(steps, curve.steps, curve.tested)
    return [Curve("validation loss", losses)], float(losses.max())


def curves_note(subject: Subject) -> str:
    """Return what the curves are, and for Small Stories in which order the kinds of words were learned."""
    same = "Prompt, settings and seed are the same at every checkpoint."
    if subject.name != STORIES.name:
        return f"{same} The curve is the validation loss in nats, as it was recorded near each checkpoint."
    grades = grades_of_stories()
    reached = {
        kind: next((step for step, score in zip(grades.steps, scores, strict=True) if score.rate >= LEARNED), None)
        for kind, scores in grades.scores.items()
    }
    learned = sorted((step, kind) for kind, step in reached.items() if step is not None)
    told = ", ".join(f"{kind} at step {step:,}" for step, kind in learned)
    never = [kind for kind, step in reached.items() if step is None]
    missing = f" Below that to the end: {', '.join(never)}." if never else ""
    asked = min(scores[-1].asked for scores in grades.scores.values())
    least = percent(LEARNED)
    return (
        f"{same} A curve is the fraction of right choices where earlier words of a new story determine the word: at "
        f"least {number(asked, 0)} cases each. First checkpoint with {least} right: {told}.{missing}"
    )
