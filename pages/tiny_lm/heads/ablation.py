"""Copying over many sequences: which head it needs, and when it begins."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.inside.induction import (
    accuracy_by_ablated_head,
    accuracy_without_heads,
    copy_scores,
)
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import MODELS, twin
from pages.charts.bars import fraction_bars
from pages.charts.heatmap import NO_LEGEND, SMALL, Axes, heatmap
from pages.charts.lines import line_chart
from pages.heads.side_by_side import heads_off, word_for_heads
from pages.look.colours import ATTENTION, INK, SOFT
from pages.look.html import number, percent
from pages.page.fields.buttons import put_button
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.tiny_lm.checkpoints import moments_of
from pages.tiny_lm.common import head_name, head_names
from pages.tiny_lm.copying import ROWS, copy_scores_of, held_out_rows, moment_in_view
from pages.tiny_lm.model_in_view import Subject

COUNTED = f"All numbers are over {ROWS} held-out sequences, not over your prompt."
MOST_HEADS = 32  # of a model, which a link may name
SCORE_AXES = Axes("head", "step", "attention weight")


def draw_without_heads(page: Page, subject: Subject) -> bool:
    """Ask which head matters most, and show the accuracy without each, and without some together."""
    page.say(
        "A large weight on the answer does not prove that the prediction comes from it. So switch a head off "
        "(**zero-ablation**), and measure the accuracy again.",
        "",
    )
    rows = held_out_rows(page)
    (score,) = copy_scores_of(page, [moment_in_view(subject)], rows)
    names = head_names(*score.answer.shape)
    without = page.recipe.run_once("without", accuracy_by_ablated_head, subject.model, rows)
    if len(names) > 1 and subject.step:
        question = off_question(names, score.answer, without, score.accuracy, page.variant("off"))
        if not page.ask(question):
            return False
    off = heads_off(page, "off", len(names), MOST_HEADS)
    page.write("Switch several heads off together:", "note")
    with st.container(horizontal=True, gap="xsmall"):
        for head, name in enumerate(names):
            toggled = {"off": word_for_heads(set(off) ^ {head})}
            fixed = "off" in page.controls.locked
            put_button(page, name, toggled, f"off_{head + 1}", chosen=head in off, disabled=fixed)
    together = page.recipe.run_once("together", accuracy_without_heads, subject.model, rows, tuple(off))
    values = np.array([score.accuracy, *without.ravel(), together])
    page.prints("accuracy without the heads that are switched off", "together")
    chosen = " and ".join(names[head] for head in off) or "none"
    worst = int(without.argmin())
    sentence = (
        f"Accuracy with all heads: {percent(score.accuracy)}. Without {head_name(names[worst])}: "
        f"{percent(without.ravel()[worst])}."
    )
    chart = fraction_bars(
        ["all heads", *(f"without {name}" for name in names), "without these together"],
        values,
        name="accuracy by ablation",
        sentence=sentence,
        highlight=0,
        title="accuracy",
        of="model",
    )
    page.show(chart, note=f"Without {chosen} the accuracy is {percent(together)}." if off else "")
    copying = np.flatnonzero(score.answer.ravel() > 0.5)
    rest = ""
    if len(copying) > 1:
        heads = tuple(int(head) for head in copying)
        both = page.recipe.run_once("all_that_copy", accuracy_without_heads, subject.model, rows, heads)
        alone = float(without.ravel()[list(heads)].min())
        rest = without_copying([names[head] for head in heads], score.accuracy, alone, both)
    page.write(f"Here something was changed, and we measure the effect: that is evidence for a cause.{rest} {COUNTED}")
    return True


def without_copying(heads: list[str], accuracy: float, alone: float, together: float) -> str:
    """Return how the accuracy changes if one of the heads that attend to the answer is off, and if all are."""
    kept = alone > accuracy - 0.02
    without = "Switch one off, and the other still does the work" if kept and len(heads) == 2 else "Switch one off"
    return (
        f" Heads {' and '.join(heads)} each give the answer a mean weight above 0.5. {without}: the accuracy is "
        f"{percent(alone)}. Switch all of them off, and it is {percent(together)}."
    )


def off_question(names: list[str], scores: Array, without: Array, accuracy: float, variant: int) -> Choice:
    """Ask which head lowers the accuracy most when it is switched off."""
    costs = accuracy - without.ravel()
    order = np.argsort(-costs, kind="stable")
    most = [int(head) for head in np.argsort(-scores.ravel(), kind="stable")[:2]]
    shown = list(dict.fromkeys([int(order[0]), *most, int(order[-1]), *map(int, order)]))[:4]
    right = [names[head] for head in shown if costs[head] >= costs.max() - 1e-9]
    best = int(order[0])
    why = (
        f"Without {head_name(names[best])} the accuracy goes from {percent(accuracy)} to "
        f"{percent(without.ravel()[best])}. No other ablation lowers it more. The head’s "
        f"mean weight on the answer is {number(float(scores.ravel()[best]))}."
    )
    mistakes = {
        names[
            head
        ]: f"This head’s mean weight on the answer is {number(float(scores.ravel()[head]))}. Without the head, the "
        f"accuracy is {percent(without.ravel()[head])}."
        for head in sorted(shown)
    }
    text = (
        "One head is switched off at a time. Without which of these heads is the accuracy lowest? Some heads attend "
        "to the letter before a digit, others to the answer; “patterns” shows which."
    )
    return Choice.shuffled("off", text, right, why, mistakes, variant)


def draw_story(page: Page, subject: Subject) -> bool:
    """Draw accuracy and the two best scores over the checkpoints, and every head's scores."""
    rows, moments = held_out_rows(page), moments_of(subject)
    scores = copy_scores_of(page, moments, rows)
    names = head_names(*scores[0].answer.shape)
    steps = np.array([at.step for at in moments])
    page.prints(f"accuracy after {moments[-1].step} steps", f"scores_{moments[-1].step}.accuracy")
    accuracy = np.array([score.accuracy for score in scores])
    answer = np.array([score.answer.ravel() for score in scores])  # (moments, heads)
    letter = np.array([score.letter.ravel() for score in scores])
    single = twin(MODELS["recall"], "one layer").name
    one_layer = page.recipe.model("one_layer", model_at(single), single)
    alone = page.recipe.run_once("one_layer_scores", copy_scores, one_layer, rows)
    sentence = (
        f"Accuracy: {', '.join(percent(value) for value in accuracy)} at steps {', '.join(map(str, steps))}. The "
        f"largest mean weight on the answer goes from {number(answer[0].max())} to {number(answer[-1].max())}."
    )
    chart = line_chart(
        steps,
        {"accuracy": accuracy, "on the answer": answer.max(axis=1), "on the letter": letter.max(axis=1)},
        x_title="training steps",
        y_title="accuracy, mean attention weight",
        name="copying during training",
        sentence=sentence,
        baselines={"one layer": alone.accuracy},
        colours=(INK, ATTENTION, SOFT),
        dots=True,
    )
    page.show(
        chart,
        note="Other lines: the largest mean weight of a head on the answer, and from a digit on its letter. Dashed: "
        f"accuracy of a model with one layer, {percent(alone.accuracy)}. {COUNTED}",
    )
    columns = st.columns(2, gap="large")
    for column, values, title in (
        (columns[0], answer.T, "from a letter to its earlier digit"),
        (columns[1], letter.T, "from a digit to the letter before it"),
    ):
        with column:
            page.write(Markup("<b>Mean weight {}</b>").format(title))
            head, when = np.unravel_index(values.argmax(), values.shape)
            page.show(
                heatmap(
                    values,
                    names,
                    [str(step) for step in steps],
                    SCORE_AXES,
                    SMALL,
                    NO_LEGEND,
                    name=f"heads {title.split()[2]}",
                    sentence=f"Largest: head {names[int(head)]} at step {steps[when]}, {number(values[head, when])}.",
                )
            )
    return True
