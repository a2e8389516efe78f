"""The loss of a run beside baselines that only count, and what each of them generates."""

import math
from functools import partial
from typing import Any

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Tokens
from attention_core.experiments.inside.compare_models import Snapshot
from attention_core.model.parameters import Model
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import n_grams_of, source_of
from attention_core.text.n_grams import ORDER, Baselines, n_gram_losses, write_n_gram
from pages.charts.lines import line_chart
from pages.look.html import number, percent, table
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.server.model_cache import cached
from pages.tiny_lm.checkpoints import At, baselines, curve_for, held_out, known_losses, record_n_grams, record_rows
from pages.tiny_lm.common import text_of
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import Sampling, only_answers

BEFORE_ASKED = ("uniform", "unigram")  # the baselines that the picture has while the others are asked for
KNOWN_TOKENS = {"bigram": "last {unit}", "trigram": "last two {unit}s"}  # what each of them knows
COMES = ((0.1, "less than 10 %"), (0.5, "10 to 50 %"), (0.9, "50 to 90 %"), (math.inf, "more than 90 %"))


def draw_ladder(
    page: Page, subject: Subject, at: At, now: Snapshot, losses: tuple[float, float] | None, sampling: Sampling
) -> None:
    """Draw how the loss fell, with the baselines. Of a model that ships, ask for one and show what each generates.

    `losses` are those of the checkpoint in view and of the finished model; None if they are not known.
    """
    known = known_losses(subject)
    if losses is None:
        draw_curve(page, subject, at, known)
        return
    page.heading("What does the model add to counting?", small=True)
    question = ladder_question(known, losses[1], subject.unit, page.variant("ladder"))
    few = {name: known[name] for name in BEFORE_ASKED}
    if not page.ask(question, blank=partial(draw_curve, page, subject, at, few)):
        return
    draw_curve(page, subject, at, known)
    baseline_table(page, subject, now, losses[0], sampling)


def baseline_table(page: Page, subject: Subject, now: Snapshot, loss: float, sampling: Sampling) -> None:
    """Write what each baseline knows, its loss and its text, above those of the checkpoint in view."""
    grams = record_n_grams(page, subject.name)
    held = record_rows(page, held_out(subject.name), subject.name)
    known = page.recipe.found
    found = known("baseline_losses", baselines(subject.name), n_gram_losses, grams, held.rows, held.counted)
    knows = ("nothing", "frequencies", *(what.format(unit=subject.unit) for what in KNOWN_TOKENS.values()))
    name = Markup('{}<br><span class="soft" style="font-weight:400">from {}</span>')
    names = [*map(name.format, found._fields, knows), name.format("this checkpoint", f"all {subject.unit}s before")]
    columns = [names, [*map(number, (*found, loss))]]
    head = ["prediction", "loss"]
    if not only_answers(subject):
        ways = (sampling.temperature, sampling.top_k, sampling.top_p, sampling.seed)
        asked = (subject.tokens, len(now.written), *ways)
        texts = [
            known(f"{name}_text", text, write_n_gram, grams, order, *asked)
            for order, (name, text) in enumerate(
                zip(found._fields, cached(baseline_texts, subject.model, subject.name, *asked), strict=True)
            )
        ]
        columns.append([text_of(subject, text) for text in (*texts, now.written)])
        head.append("its text")
    page.say(ladder_words(loss, found, subject.unit), "")
    page.write(table(head, list(zip(*columns, strict=True)), bold=ORDER + 1, left=(0, 2), long=2))
    counted = f"The first four only count, in {int(grams.sums[0][-1]):,} targets of the training data."
    same = "" if only_answers(subject) else " All continue the same prompt, by the same settings and random numbers."
    page.write(f"{counted}{same}", "note")


def baseline_texts(model: Model, name: str, *asked: Any) -> list[Tokens]:
    """Return what each baseline generates, from the counts for a model that ships: kept as long as that."""
    grams = n_grams_of(source_of(MODELS[name].source), model.config.max_len)
    return [write_n_gram(grams, order, *asked) for order in range(ORDER + 1)]


def draw_curve(page: Page, subject: Subject, at: At, known: dict[str, float]) -> None:
    """Draw how the loss fell, if that was recorded, beside the known losses of baselines."""
    curve = curve_for(subject)
    if curve is None:
        page.write("The losses of this training were not recorded, so there is no curve.", "note")
        return
    for field in ("steps", "learned", "tested"):
        page.recipe.given(f"curve_{field}", getattr(curve, field))
    first, last = float(curve.tested[0]), float(curve.tested[-1])
    sentence = (
        f"The validation loss goes from {number(first)} nats at step {int(curve.steps[0]):,} to {number(last)} at step "
        f"{int(curve.steps[-1]):,}."
    )
    chart = line_chart(
        np.asarray(curve.steps),
        {"training loss": curve.learned, "validation loss": curve.tested},
        x_title="training steps (log scale)",
        y_title=f"loss · nats per {subject.unit}",
        y_domain=(0.0, ceiling(curve.learned.max(), curve.tested.max(), *known.values())),
        name="loss",
        sentence=sentence,
        baselines=known,
        here=max(1, at.step),
        log_x=True,
    )
    dashed = " Dashed: baselines, which use no attention." if known else ""
    page.show(chart, note=f"Vertical line: the checkpoint in view, step {at.step:,}.{dashed}")


def ceiling(*losses: float) -> float:
    """Return the top of an axis of losses: the half above the largest."""
    return math.ceil(2 * max(*losses, 0.5)) / 2


def ladder_words(loss: float, found: Baselines, unit: str) -> str:
    """Return which baselines a checkpoint is better than, and by how much."""
    named = sorted(found._asdict().items(), key=lambda item: item[1])  # the best first
    better = [(name, other) for name, other in named if other <= loss]
    beaten = [(name, other) for name, other in named if other > loss]
    if not beaten:
        return f"This checkpoint is worse than all four baselines: its loss is {number(loss)} nats."
    name, other = beaten[0]
    ahead = f"This checkpoint beats the {name} by **{number(other - loss)} nats**"
    if better:
        above, least = better[-1]
        return f"{ahead}. The {above} is still better, by {number(loss - least)} nats."
    return (
        f"{ahead}. A trigram knows two {unit}s, and attention can use all earlier ones. The model’s other parts also "
        "add to the difference."
    )


def ladder_question(known: dict[str, float], finished: float, unit: str, variant: int) -> Choice:
    """Ask where the line of the bigram or the trigram is, between those of the unigram and of the finished model."""
    name, knows = list(KNOWN_TOKENS.items())[variant % len(KNOWN_TOKENS)]
    top, line, low = (round(loss, 2) for loss in (known["unigram"], known[name], finished))  # as they are shown
    part = (top - line) / max(top - low, 0.01)
    options = tuple(said for _, said in COMES)
    right = next(place for place, (limit, _) in enumerate(COMES) if part < limit)
    down = f"Its loss is {number(line)} nats: ({number(top)} − {number(line)}) ÷ ({number(top)} − {number(low)})"
    why = f"{down} is {percent(part)} of the way."
    said = [
        f"You expected the {knows.format(unit=unit)} to tell {how} of the next {unit}. {down}."
        for how in ("less", "more")
    ]
    mistakes = tuple("" if place == right else said[place > right] for place in range(len(options)))
    text = (
        f"A {name} model knows only the {knows.format(unit=unit)}: it counts what followed in training. The unigram’s "
        f"loss is {number(top)} nats, the loss of the finished model {number(low)}. How much of the way down does the "
        f"{name}’s line get?"
    )
    return Choice("ladder", text, options, (right,), why, mistakes)
