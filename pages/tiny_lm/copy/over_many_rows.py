"""The heads that copy, scored over many rows: since when they do, and what is lost without them."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array, Tokens
from attention_core.experiments.induction import (
    CopyScores,
    accuracy_by_ablated_head,
    accuracy_without_heads,
    copy_scores,
    recall_rows,
)
from attention_core.model.as_text import pack, unpack
from attention_core.shipped.models import MODELS, model_at, twin
from attention_core.text.corpora import HELD_OUT
from pages.charts.bars import share_bars
from pages.charts.heatmap import Axes, heatmap
from pages.charts.lines import line_chart
from pages.look.colours import ATTENTION, INK, SOFT
from pages.look.html import number, percent
from pages.page.buttons import put_button
from pages.page.heads_view import heads_off, word_for_heads
from pages.page.page import Page
from pages.page.questions import Choice
from pages.server.model_cache import is_kept
from pages.tiny_lm.checkpoints import At, moments_of, patience, said_model
from pages.tiny_lm.common import head_names
from pages.tiny_lm.model_in_view import Subject

ROWS, LENGTH, SEED = 64, 32, HELD_OUT  # the rows over which heads are scored: those that no training saw
COUNTED = f"All is measured over {ROWS} rows that it never learned from; the prompt plays no part."
MOST_HEADS = 32  # of a model, which a link may name
SCORE_AXES = Axes("head", "step", "share")


def moment_in_view(moments: list[At], subject: Subject) -> At:
    """Return the moment at which the model stands that the sidebar chooses."""
    return next(at for at in moments if at.model is subject.model)


def held_out_rows(page: Page) -> Tokens:
    """Return the rows over which heads are scored."""
    rows: Tokens = page.recipe.run("rows", recall_rows, ROWS, LENGTH, SEED)
    return rows


def copy_scores_of(page: Page, moments: list[At], rows: Tokens) -> list[CopyScores]:
    """Return how well the heads copy at some moments; one that comes again is scored once."""
    models = {at.step: said_model(page, at) for at in moments}
    with patience("Scoring the heads", all(is_kept(copy_scores, model, rows) for model in models.values())):
        found = {
            step: page.recipe.run_once(f"scores_{step}", copy_scores, model, rows) for step, model in models.items()
        }
    return [found[at.step] for at in moments]


def draw_story(page: Page, subject: Subject) -> None:
    """Draw accuracy and the two best scores over the moments, and every head's scores."""
    st.subheader("It comes suddenly", anchor=False)
    rows, moments = held_out_rows(page), moments_of(subject)
    scores = copy_scores_of(page, moments, rows)
    names = head_names(*scores[0].answer.shape)
    steps = np.array([at.step for at in moments])
    accuracy = np.array([score.accuracy for score in scores])
    answer = np.array([score.answer.ravel() for score in scores])  # (moments, heads)
    letter = np.array([score.letter.ravel() for score in scores])
    single = twin(MODELS["recall"], "one layer").name
    one_layer = page.recipe.made("one_layer", model_at(single), unpack, lambda: pack(model_at(single)))
    alone = page.recipe.run_once("one_layer_scores", copy_scores, one_layer, rows)
    sentence = (
        f"Right: {', '.join(percent(value) for value in accuracy)} at steps {', '.join(map(str, steps))}. The best "
        f"head’s look at the answer goes from {number(answer[0].max())} to {number(answer[-1].max())}."
    )
    chart = line_chart(
        steps,
        {"right": accuracy, "on the answer": answer.max(axis=1), "on the letter": letter.max(axis=1)},
        x_title="training steps",
        y_title="share",
        x_domain=(0.0, float(max(1, steps[-1]))),
        y_domain=(0.0, 1.0),
        name="copy story",
        sentence=sentence,
        baselines={"one layer": alone.accuracy},
        colours=(INK, ATTENTION, SOFT),
        dots=True,
    )
    page.show(
        chart,
        note="Right: how often its first bet is the digit. The other two lines are mean weights of the best heads, on "
        "the answer and from a digit on its letter. Dashed: the finished twin with one layer is right "
        f"{percent(alone.accuracy)} of the time. {COUNTED}",
    )
    columns = st.columns(2, gap="large")
    for column, values, title in (
        (columns[0], answer.T, "from a letter to what followed it before"),
        (columns[1], letter.T, "from a digit to the letter before it"),
    ):
        with column:
            page.write(Markup("<b>Every head’s look {}</b>").format(title))
            head, when = np.unravel_index(values.argmax(), values.shape)
            page.show(
                heatmap(
                    values,
                    names,
                    [str(step) for step in steps],
                    SCORE_AXES,
                    name=f"heads {title.split()[2]}",
                    sentence=f"Most: head {names[int(head)]} at step {steps[when]}, {number(values[head, when])}.",
                    small=True,
                    legend=False,
                )
            )


def draw_without_heads(page: Page, subject: Subject) -> bool:
    """Ask which head is missed most, and show what is lost without each, and without some together."""
    rows = held_out_rows(page)
    (score,) = copy_scores_of(page, [moment_in_view(moments_of(subject), subject)], rows)
    names = head_names(*score.answer.shape)
    st.subheader("Is a head the reason? Switch it off", anchor=False)
    page.say(
        "That a head looks at the answer does not say that the bet comes from it. So take a head out: set its rows of "
        "W_O to zero, leave everything else, and count how often the bet is still right.",
        "",
    )
    without = page.recipe.run_once("without", accuracy_by_ablated_head, subject.model, rows)
    if len(names) > 1 and subject.step:
        question = off_question(names, score.answer, without, score.accuracy, page.variant("off"))
        if not page.ask(question):
            return False
    off = heads_off(page, len(names), MOST_HEADS)
    page.write("Switch several off together:", "note")
    with st.container(horizontal=True, gap="xsmall"):
        for head, name in enumerate(names):
            toggled = {"off": word_for_heads(set(off) ^ {head})}
            kind = "secondary" if head in off else "tertiary"
            put_button(page, name, toggled, f"off_{head + 1}", kind=kind, disabled="off" in page.controls.locked)
    together = page.recipe.run_once("together", accuracy_without_heads, subject.model, rows, tuple(off))
    values = np.array([score.accuracy, *without.ravel(), together])
    chosen = " and ".join(names[head] for head in off) or "none"
    worst = int(without.argmin())
    sentence = f"All heads: {percent(score.accuracy)} right. Without {names[worst]}: {percent(without.ravel()[worst])}."
    chart = share_bars(
        ["all heads on", *(f"without {name}" for name in names), "off together"],
        values,
        name="switched off",
        sentence=sentence,
        highlight=0,
        title="share of answers that are right",
        of="model",
    )
    page.show(chart, note=f"Off together now: {chosen}, {percent(together)} right.")
    loud = score.answer.ravel() > 0.5
    rest = ""
    if loud.sum() > 1:
        both = page.recipe.run_once(
            "all_that_copy",
            accuracy_without_heads,
            subject.model,
            rows,
            tuple(int(head) for head in np.flatnonzero(loud)),
        )
        named = " and ".join(name for name, is_loud in zip(names, loud, strict=True) if is_loud)
        rest = (
            f" Heads {named} each give more than half of their look to the answer. Take one away, and the other still "
            f"does the work; without all of them {percent(both)} are right."
        )
    page.write(
        f"This is evidence of another kind: something was changed, and the answers changed with it.{rest} {COUNTED}"
    )
    return True


def off_question(names: list[str], scores: Array, without: Array, accuracy: float, variant: int) -> Choice:
    """Ask which head is missed most when it is switched off."""
    costs = accuracy - without.ravel()
    order = np.argsort(-costs, kind="stable")
    loud = [int(head) for head in np.argsort(-scores.ravel(), kind="stable")[:2]]
    shown = list(dict.fromkeys([int(order[0]), *loud, int(order[-1]), *map(int, order)]))[:4]
    right = [names[head] for head in shown if costs[head] >= costs.max() - 1e-9]
    best = int(order[0])
    why = (
        f"Without {names[best]} the model is right {percent(without.ravel()[best])} of the time in place of "
        f"{percent(accuracy)}: more is lost than with any other head. It gives {number(float(scores.ravel()[best]))} "
        "of its look to the answers."
    )
    mistakes = {
        names[head]: f"Without it {percent(without.ravel()[head])} are right; {number(float(scores.ravel()[head]))} "
        "of its look goes to the answers."
        for head in sorted(shown)
    }
    text = (
        "Each head is switched off in turn: what it writes is set to zero. Which of these is missed most? One job is "
        "to tell a digit which letter it belongs to, another to fetch the digit for a letter; who does how much of "
        "them stands under “since when”."
    )
    return Choice.shuffled("off", text, right, why, mistakes, variant)
