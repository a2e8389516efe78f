"""The heads that copy, scored over many rows: since when they do, and what is lost without them."""

from html import escape

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.experiments.induction import (
    CopyScores,
    accuracy_by_ablated_head,
    accuracy_without_heads,
    copy_scores,
)
from attention_core.model.as_text import pack, unpack
from attention_core.shipped.models import MODELS, model_at, twin
from attention_core.text.corpora import HELD_OUT
from pages.charts.bars import share_bars
from pages.charts.heatmap import Axes, heatmap
from pages.charts.lines import line_chart
from pages.look.colours import ATTENTION, INK, SOFT
from pages.look.html import number
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.server.model_cache import is_kept
from pages.tiny_lm.history_questions import off_question, share
from pages.tiny_lm.moments import At, patience, said_model
from pages.tiny_lm.subject import Subject

ROWS, LENGTH, SEED = 64, 32, HELD_OUT  # the rows over which heads are scored: those that no training saw
COUNTED = f"All is measured over {ROWS} rows that it never learned from; the prompt plays no part."
SCORE_AXES = Axes("head", "step", "share")


def moment_in_view(moments: list[At], subject: Subject) -> At:
    """Return the moment at which the model stands that the sidebar chooses."""
    return next(at for at in moments if at.model is subject.model)


def scored(page: Page, moments: list[At], rows: Array) -> list[CopyScores]:
    """Return how well the heads copy at some moments; one that comes again is scored once."""
    models = {at.step: said_model(page, at) for at in moments}
    with patience("Scoring the heads", all(is_kept(copy_scores, model, rows) for model in models.values())):
        found = {
            step: page.recipe.run_once(f"scores_{step}", copy_scores, model, rows) for step, model in models.items()
        }
    return [found[at.step] for at in moments]


def story(
    page: Page,
    moments: list[At],
    scores: list[CopyScores],
    names: list[str],
    rows: Array,
) -> None:
    """Draw accuracy and the two best scores over the moments, and every head's scores."""
    st.subheader("It comes suddenly", anchor=False)
    steps = np.array([at.step for at in moments])
    accuracy = np.array([score.accuracy for score in scores])
    answer = np.array([score.answer.ravel() for score in scores])  # (moments, heads)
    letter = np.array([score.letter.ravel() for score in scores])
    single = twin(MODELS["recall"], "one layer").name
    one_layer = page.recipe.made("one_layer", model_at(single), unpack, lambda: pack(model_at(single)))
    alone = page.recipe.run_once("one_layer_scores", copy_scores, one_layer, rows)
    sentence = (
        f"Right: {', '.join(share(value) for value in accuracy)} at steps {', '.join(map(str, steps))}. The best "
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
        f"{share(alone.accuracy)} of the time. {COUNTED}",
    )
    columns = st.columns(2, gap="large")
    for column, values, title in (
        (columns[0], answer.T, "from a letter to what followed it before"),
        (columns[1], letter.T, "from a digit to the letter before it"),
    ):
        with column:
            page.write(f"<b>Every head’s look {title}</b>")
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


def switched_off(page: Page, subject: Subject, score: CopyScores, names: list[str], rows: Array) -> None:
    """Ask which head is missed most, and show what is lost without each, and without some together."""
    st.subheader("Is a head the reason? Switch it off", anchor=False)
    page.say(
        "That a head looks at the answer does not say that the bet comes from it. So take a head out: set its rows of "
        "W_O to zero, leave everything else, and count how often the bet is still right.",
        "",
    )
    without = page.recipe.run_once("without", accuracy_by_ablated_head, subject.model, rows)
    if (
        len(names) > 1
        and subject.step
        and not page.ask(off_question(names, score.answer, without, score.accuracy, page.variant("off")))
    ):
        return
    off = chosen_off(page, len(names))
    page.write("Switch several off together:", "note")
    with st.container(horizontal=True, gap="xsmall"):
        for head, name in enumerate(names):
            after = sorted(set(off) ^ {head})
            values = {"off": ".".join(str(other + 1) for other in after)}
            kind = "secondary" if head in off else "tertiary"
            put_button(page, name, values, f"off_{head + 1}", kind=kind, disabled="off" in page.controls.locked)
    together = page.recipe.run_once("together", accuracy_without_heads, subject.model, rows, tuple(off))
    values = np.array([score.accuracy, *without.ravel(), together])
    chosen = " and ".join(names[head] for head in off) or "none"
    worst = int(without.argmin())
    chart = share_bars(
        ["all heads on", *(f"without {name}" for name in names), "off together"],
        values,
        name="switched off",
        sentence=f"All heads: {share(score.accuracy)} right. Without {names[worst]}: {share(without.ravel()[worst])}.",
        highlight=0,
        title="share of answers that are right",
        of="model",
    )
    page.show(chart, note=f"Off together now: {escape(chosen)}, {share(together)} right.")
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
            f"does the work; without all of them {share(both)} are right."
        )
    page.write(
        "This is evidence of another kind: something was changed, and the answers changed with it."
        + rest
        + f" {COUNTED}",
    )


def chosen_off(page: Page, n_heads: int) -> list[int]:
    """Return which heads are switched off together."""

    def legal(raw: str) -> bool:
        return all(part.isascii() and part.isdigit() and 1 <= int(part) <= 32 for part in raw.split(".") if part)

    raw = page.controls.mark("off", "Heads switched off", "", legal)
    return [head for head in sorted({int(part) - 1 for part in raw.split(".") if part}) if head < n_heads]
