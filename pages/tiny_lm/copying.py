"""Copying what followed: the two heads that recall a digit, how they came about, and what is lost without them."""

from html import escape

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.copying import (
    CopyScores,
    accuracies_without,
    accuracy_without_heads,
    copy_scores,
    recall_prompt,
    recall_rows,
)
from attention_core.insides import Insides, insides
from attention_core.model import attention_weights
from attention_core.packed import pack, unpack
from attention_core.shipped import MODELS, model_at, twin
from attention_core.softmax import softmax
from attention_core.sources import HELD_OUT
from attention_core.tasks import recall_targets
from pages.shared import cards
from pages.shared.charts.bars import share_bars
from pages.shared.charts.heatmap import ATTENTION_AXES, Axes, heatmap
from pages.shared.charts.lines import line_chart
from pages.shared.colours import ATTENTION, INK, SOFT
from pages.shared.frame import Page
from pages.shared.heads import put_button
from pages.shared.kept import is_kept
from pages.shared.markup import number
from pages.shared.sentences import brightest_cell
from pages.tiny_lm.betting import bet_bars
from pages.tiny_lm.history_questions import copy_question, off_question, share
from pages.tiny_lm.moments import At, moments_of, patience, said_model
from pages.tiny_lm.sampling import Sampling
from pages.tiny_lm.subject import Subject
from pages.tiny_lm.views import head_names

LOOKS = ("the two heads", "since when", "without a head")
ROWS, LENGTH, SEED = 64, 32, HELD_OUT  # the rows over which heads are scored: those that no training saw
COUNTED = f"All is counted over {ROWS} rows that it never learned from; the prompt plays no part."
DRAWN = 24  # tokens of a row that is drawn, at most
SCORE_AXES = Axes("head", "step", "share")


def copying(page: Page, subject: Subject, sampling: Sampling) -> str | None:
    """Show how a digit is recalled: which head finds it, since when, or what is lost without it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        look = page.controls.choice("copy_look", "Look at", LOOKS, LOOKS[0])
        if look == LOOKS[0]:
            drawn_row(page, subject)
    if look == LOOKS[0]:
        return in_the_row(page, subject)
    rows = page.recipe.run("rows", recall_rows, ROWS, LENGTH, SEED)
    moments = moments_of(subject)
    if look == LOOKS[1]:
        scores = scored(page, moments, rows)
        story(page, moments, scores, head_names(*scores[0].answer.shape), rows)
    else:
        (score,) = scored(page, [moment_in_view(moments, subject)], rows)
        switched_off(page, subject, score, head_names(*score.answer.shape), rows)
    return None


def in_the_row(page: Page, subject: Subject) -> str | None:
    """Ask where a head must look in the row of the prompt, and show where the heads look that do."""
    tokens, labels = subject.tokens, subject.labels
    targets = recall_targets(tokens)
    regular = all(word.isdigit() == place % 2 for place, word in enumerate(subject.words))
    asks = int(np.flatnonzero(targets.answerable)[-1]) if regular and targets.answerable.any() else None
    cells: dict[str, tuple[int, int]] = {}  # where the weight must lie: from the digit, and from the letter
    if not regular:
        page.write("It has only read rows of letter, digit, letter, digit: type one such as a3c7a.", "note")
    elif asks is None:
        page.write("In this row no letter comes again, so there is nothing to recall: type one such as a3c7a.", "note")
    else:
        answers = int(np.flatnonzero(targets.sources[asks])[-1])
        if asks == len(tokens) - 1 and not page.ask(copy_question(labels, asks, answers)):
            return None
        cells = {"letter": (answers, answers - 1), "answer": (asks, answers)}
        page.write(cards.chips(labels, asks, answers))
    rows = page.recipe.run("rows", recall_rows, ROWS, LENGTH, SEED)
    moments = moments_of(subject)
    compared = [moments[0], moment_in_view(moments, subject), moments[-1]]
    scores = scored(page, compared, rows)
    names = head_names(*scores[0].answer.shape)
    inside = page.recipe.run("inside", insides, subject.model, tokens)
    two_heads(page, subject, compared, scores, names, cells, inside.weights)
    one_row(page, subject, names, labels, inside)
    return "inside.weights[-1, 0]"


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


def drawn_row(page: Page, subject: Subject) -> None:
    """Draw the button that writes another row into the field of the prompt."""
    legal = frozenset(map(str, range(1000)))
    seed = int(page.controls.mark("row", "Row drawn", "0", legal.__contains__))
    longest = min(DRAWN, subject.model.config.max_len)
    text = "".join(subject.vocabulary.decode(recall_prompt((seed + 1) % 1000, longest)))
    field = "prompt" if subject.name == "own" else "letters"
    fixed = bool({"row", field} & page.controls.locked)
    values = {"row": str((seed + 1) % 1000), field: text}
    put_button(page, "Another row", values, "row", ":material/casino:", kind="secondary", disabled=fixed)


def two_heads(
    page: Page,
    subject: Subject,
    compared: list[At],
    scores: list[CopyScores],
    names: list[str],
    cells: dict[str, tuple[int, int]],
    last: Array,
) -> None:
    """Draw the heads that look most at the letter before and at the answer, before training and at the moment.

    They are those of the last of three moments: before training, in view, at the end.
    """
    before, at, _ = compared
    first_score, now, finished = scores
    labels = subject.labels
    later, earlier = int(finished.answer.argmax()), int(finished.letter.argmax())
    page.say(
        f"Two heads share the work, and measures alone picked them in the trained model, over {ROWS} rows. Head "
        f"**{names[earlier]}** looks from a digit to the letter before it, so that a digit comes to tell *which "
        f"letter it belongs to*. Head **{names[later]}**, one layer up, looks from a letter to the digit that "
        "carries the same letter: an *induction head*. On the map that is a dark cell one to the right of where the "
        "letter stood."
        if earlier // now.answer.shape[1] < later // now.answer.shape[1]
        else f"Measures alone picked two heads in the trained model, over {ROWS} rows: head **{names[earlier]}** "
        f"looks most from a digit to the letter before it, head **{names[later]}** most from a letter to what "
        "followed it earlier. For copying, the first would have to stand in a layer below the second.",
        "",
    )
    first = page.recipe.run_once("before", attention_weights, said_model(page, before), subject.tokens)
    for head, field, what in (
        (earlier, "letter", "the letter before"),
        (later, "answer", "what followed the same letter"),
    ):
        columns = st.columns(2, gap="medium")
        for column, when, weights, score in (
            (columns[0], before.when, first, first_score),
            (columns[1], f"step {at.step}", last, now),
        ):
            value = float(getattr(score, field).ravel()[head])
            shown = weights.reshape(-1, *weights.shape[2:])[head]
            with column:
                page.write(f"<b>Head {names[head]}, {escape(when)}</b>: {number(value)} on {what}")
                side = "before" if column is columns[0] else "after"
                page.show(
                    heatmap(
                        shown,
                        labels,
                        labels,
                        ATTENTION_AXES,
                        name=f"{field} {side}",
                        sentence=f"Head {names[head]}: {brightest_cell(shown, labels, len(labels) - 1)}",
                        chosen=cells.get(field, (None, None)),
                        small=True,
                        legend=False,
                    ),
                    quiet=True,
                )
    page.write(
        f"The numbers are means over {ROWS} rows that it never learned from: the share of the look of every digit, "
        "or of every letter seen before. The maps are of the row above, and outlined is the cell that the answer "
        f"asks for. They say where a head looks, not that this is the reason of a bet. {escape(subject.origin)}",
        "note",
    )


def one_row(page: Page, subject: Subject, names: list[str], labels: list[str], inside: Insides) -> None:
    """Show for one token of the row where each head looks, and what the model bets on next."""
    row = labels.index(page.controls.select("from", "From which token", labels, labels[-1], width=180))
    bets = page.recipe.run("bets", softmax, inside.logits)[row]
    looks = inside.weights[:, :, row].reshape(len(names), -1)
    best = looks.argmax(axis=-1)
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Where each head looks", anchor=False)
        page.show(
            share_bars(
                [f"{name} → {labels[key]}" for name, key in zip(names, best, strict=True)],
                looks.max(axis=-1),
                name="looks",
                sentence="Each head’s largest weight from the chosen token, and on what it lies.",
                title="layer.head → where",
                of="head",
            )
        )
    with right:
        st.subheader("What it bets on next", anchor=False)
        bet_bars(page, subject, bets)


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
        note="Right: how often its first bet is the digit. The other two lines are the best heads’ mean looks, at the "
        "answer and from a digit at its letter. Dashed: the finished twin with one layer is right "
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
        "How much a head looks at the answer does not say that the bet comes from it. So take a head out: set the "
        "rows of W_O that read it to zero, leave everything else, and count how often the bet is still right.",
        "",
    )
    without = page.recipe.run_once("without", accuracies_without, subject.model, rows)
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
        "This is evidence of another kind: here something was changed, and the answers changed with it."
        + rest
        + f" {COUNTED}",
    )


def chosen_off(page: Page, n_heads: int) -> list[int]:
    """Return which heads are switched off together."""

    def legal(raw: str) -> bool:
        return all(part.isascii() and part.isdigit() and 1 <= int(part) <= 32 for part in raw.split(".") if part)

    raw = page.controls.mark("off", "Heads switched off", "", legal)
    return [head for head in sorted({int(part) - 1 for part in raw.split(".") if part}) if head < n_heads]
