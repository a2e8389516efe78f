"""How the loss fell, and what the model was like at a few checkpoints of its training."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Tokens
from attention_core.experiments.inside.compare_models import Snapshot
from attention_core.model.parameters import Model
from attention_core.shipped.models import loss_at
from attention_core.shipped.plans import MODELS
from attention_core.shipped.runs import loss_of_rows
from pages.look.html import number, percent, quoted, table
from pages.look.thumbnails import thumbnail
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.tiny_lm.checkpoints import (
    At,
    curve_for,
    held_out,
    moments_of,
    record_model,
    record_rows,
    run_moment,
)
from pages.tiny_lm.common import (
    bet_bars,
    continued,
    head_name,
    head_names,
    largest_look,
    several,
    small_maps,
    text_of,
)
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import Sampling, only_answers, say_limits
from pages.tiny_lm.time.ladder import draw_ladder
from pages.tiny_lm.time.travel import draw_travel

MAP = 72  # pixels: the side of the map over a checkpoint
FALLEN = ((0.15, "less than 15 %"), (0.4, "15 to 40 %"), (0.65, "40 to 65 %"), (10.0, "more than 65 %"))


def draw(page: Page, subject: Subject, sampling: Sampling) -> bool:
    """Show the run of the model, and what it is like at one of its checkpoints."""
    moments = moments_of(subject)
    here = next(place for place, at in enumerate(moments) if at.model is subject.model)
    models = [record_model(page, at) for at in moments]
    losses = tested_losses(page, subject, moments, models)
    if early := MODELS[subject.name].plan.first if subject.name in MODELS else 0:
        page.say(
            f"Up to step {early:,} this model read only short exercises, then whole stories too. So its validation "
            "loss, on whole stories, first rises. What changes soon after that step may come from the new data, not "
            "from more training.",
            "",
        )
    if len(losses) > 2 and not page.ask(way_question(moments, losses, page.variant("way"))):
        return False
    found = [
        run_moment(page, f"moment_{at.step}", model, subject, sampling)
        for at, model in zip(moments, models, strict=True)
    ]
    if not subject.brought:
        draw_travel(page, subject, sampling)
    page.heading("One checkpoint in detail", small=True)
    moving = most_moved(found)
    moment_buttons(page, subject, moments, found, here, moving)
    at, now, losses_said = moments[here], found[here], loss_sentences(subject, moments, losses)
    with st.container(border=True):
        loss = f", loss {losses_said[here]}" if losses_said[here] != "–" else ""
        text = Markup('<span class="soft">{}{}, {}:</span>{}')
        when = (
            "As loaded from your file"
            if subject.brought
            else f"After {several(at.step, 'step')}"
            if at.step
            else "Before training"
        )
        does = "the model’s top prediction" if only_answers(subject) else "the model generates"
        page.write(text.format(when, loss, does, continued(subject, shown_tokens(subject, now))))
        say_limits(page, subject)
    ends = (losses[here], losses[-1]) if losses else None
    draw_ladder(page, subject, at, now, ends, sampling)
    left, right = st.columns(2, gap="large")
    with left:
        page.heading("Prediction", small=True)
        bet_bars(page, subject, now.bets, "prediction", whose=subject.origin)
    with right:
        page.heading("Attention weights", small=True)
        small_maps(page, subject.labels, now.weights, "map", across=min(4, max(2, now.weights.shape[1])))
    page.heading("All checkpoints", small=True)
    page.write(moment_table(subject, moments, found, losses_said, here))
    held_out_loss = "The loss is the validation loss. " if losses else ""
    head = head_name(head_names(*now.weights.shape[:2])[moving])
    most = ", whose weights on the prompt changed most" if len(found) > 1 else ""
    sampled = "" if only_answers(subject) else "The text is sampled with the settings in the sidebar. "
    page.write(f"{sampled}{held_out_loss}The small map above a checkpoint shows {head}{most}.", "note")
    best = int(now.bets.argmax())
    page.prints(f"probability of {subject.token(best)} after {at.step} steps", now.bets, best)
    page.drawing.pictured = f"moment_{at.step}.weights[0, 0]"
    return True


def tested_losses(page: Page, subject: Subject, moments: list[At], models: list[Model]) -> list[float]:
    """Return the validation loss of each checkpoint; nothing of a student's own model."""
    if subject.name == "own":
        return []
    held = record_rows(page, held_out(subject.name), subject.name)
    return [
        page.recipe.found(f"loss_{at.step}", loss_at(at.name, at.step), loss_of_rows, model, *held)
        for at, model in zip(moments, models, strict=True)
    ]


def loss_sentences(subject: Subject, moments: list[At], losses: list[float]) -> list[str]:
    """Return the loss of each checkpoint as text; of an own run it is read off the nearest records."""
    if losses:
        return [number(loss) for loss in losses]
    if (curve := curve_for(subject)) is None:
        return ["–"] * len(moments)
    return [f"≈ {number(float(np.interp(at.step, curve.steps, curve.tested)))}" if at.step else "–" for at in moments]


def shown_tokens(subject: Subject, found: Snapshot) -> Tokens:
    """Return what a checkpoint generates; of a model that cannot write, its likeliest next token alone."""
    return found.bets.argmax(axis=-1, keepdims=True) if only_answers(subject) else found.written


def most_moved(found: list[Snapshot]) -> int:
    """Return the head whose weights on the prompt changed most from the first checkpoint to the last."""
    moved = np.abs(found[-1].weights - found[0].weights).mean(axis=(-2, -1))
    return int(moved.argmax())


def moment_buttons(
    page: Page, subject: Subject, moments: list[At], found: list[Snapshot], here: int, head: int
) -> None:
    """Draw a button for each checkpoint under a small map: the same choice as in the sidebar."""
    grid = st.grid(len(moments), min_column_width=128, gap="xsmall")
    for place, (at, one) in enumerate(zip(moments, found, strict=True)):
        weights = one.weights.reshape(-1, *one.weights.shape[2:])[head]
        with grid.cell():
            centred = Markup('<div style="display:flex;justify-content:center">{}</div>')
            page.write(centred.format(thumbnail(weights, None, MAP)))
            label = "your file" if subject.brought else f"{at.when} · {at.step:,}"
            st.button(
                f"**{label}**" if place == here else label,
                key=f"{page.name}_when_{place}",
                width="stretch",
                disabled="when" in page.controls.locked,
                on_click=page.controls.put,
                kwargs={"when": at.when},
            )


def moment_table(subject: Subject, moments: list[At], found: list[Snapshot], losses: list[str], here: int) -> Markup:
    """Return what the model is like at each checkpoint, a row each."""
    rows = []
    for place, (at, one) in enumerate(zip(moments, found, strict=True)):
        head, key, weight = largest_look(subject.labels, one.weights)
        look = Markup("{} → <b>{}</b> {}").format(head, key, number(weight))
        when = ["your file", "–"] if subject.brought else [at.when, f"{at.step:,}"]
        rows.append([*when, losses[place], look, text_of(subject, shown_tokens(subject, one))])
    says = "top prediction" if only_answers(subject) else "generated text"
    names = ["", "step", "loss", f"largest weight from {quoted(subject.labels[-1])}", says]
    return table(names, rows, bold=here, left=(0, 3, 4), long=4)


def way_question(moments: list[At], losses: list[float], variant: int) -> Choice:
    """Ask which part of its whole drop the loss has made at some checkpoint between."""
    place = 1 + (variant + 1) % (len(moments) - 2)
    step, last = moments[place].step, moments[-1].step
    first, now, end = (round(loss, 3) for loss in (losses[0], losses[place], losses[-1]))
    drop, whole = first - now, first - end  # of the losses as they are shown, so that they can be checked
    right, by_steps = named(drop / max(whole, 1e-9)), named(step / last)
    done = percent(drop / max(whole, 1e-9))
    why = (
        f"The loss goes from {number(first, 3)} to {number(now, 3)}, and to {number(end, 3)} at the end. That is "
        f"{done} of the drop after {percent(step / last)} of the steps."
    )
    text = (
        f"At the end of training, after {last:,} steps, the validation loss is lower than at step 0. Which part of "
        f"this drop has it made after {step:,} steps, {percent(step / last)} of them?"
    )
    options = tuple(name for _, name in FALLEN)
    divide = f"Divide the drop so far by the whole drop: {number(drop, 3)} ÷ {number(whole, 3)}."
    said = [f"You expected the loss to fall {how} than it did. {divide}" for how in ("more slowly", "faster")]
    mistakes = tuple(
        f"You expected the loss to fall evenly with the steps. {divide}"
        if option == by_steps
        else said[place > options.index(right)]
        for place, option in enumerate(options)
    )
    return Choice("way", text, options, (options.index(right),), why, mistakes)


def named(fraction: float) -> str:
    """Return the option that names a fraction."""
    return next(name for limit, name in FALLEN if fraction < limit)
