"""Where the two heads look that recall a digit, in the row of the prompt."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from attention_core.experiments.induction import CopyScores, recall_prompt
from attention_core.model.activations import Insides, insides
from attention_core.text.recall_task import recall_targets
from pages.charts.heatmap import ATTENTION_AXES, heatmap
from pages.look import cards
from pages.look.html import number, quoted
from pages.look.sentences import brightest_cell
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.page.questions import Cell
from pages.tiny_lm.checkpoints import moments_of
from pages.tiny_lm.common import bet_bars, head_names
from pages.tiny_lm.copy.over_many_rows import ROWS, copy_scores_of, held_out_rows, moment_in_view
from pages.tiny_lm.heads_view import look_bars
from pages.tiny_lm.model_in_view import Subject

DRAWN = 24  # tokens of a row that is drawn, at most


def draw(page: Page, subject: Subject) -> bool:
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
            return False
        cells = {"letter": (answers, answers - 1), "answer": (asks, answers)}
        page.write(cards.chips(labels, asks, answers))
    rows, moments = held_out_rows(page), moments_of(subject)
    three = [moments[0], moment_in_view(moments, subject), moments[-1]]
    before, now, finished = copy_scores_of(page, three, rows)
    inside = page.recipe.run("inside", insides, subject.model, tokens)
    two_heads(page, subject, (before, now, finished), cells, inside.weights)
    one_row(page, subject, inside)
    page.pictured = "inside.weights[-1, 0]"
    return True


def offer_another(page: Page, subject: Subject) -> None:
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
    scores: tuple[CopyScores, CopyScores, CopyScores],
    cells: dict[str, tuple[int, int]],
    weights: Array,
) -> None:
    """Draw the heads that look most at the letter before and at the answer, at the moment in view.

    They are those of the last of three moments: before training, in view, at the end.
    """
    before, now, finished = scores
    names, labels = head_names(*now.answer.shape), subject.labels
    later, earlier = int(finished.answer.argmax()), int(finished.letter.argmax())
    page.say(
        f"Measured over {ROWS} rows, two heads of the trained model share the work. Head **{names[earlier]}** looks "
        f"from a digit to the letter before it: so the digit knows whose it is. Head **{names[later]}**, one layer up, "
        "looks from a letter to the digit that the same letter had: an *induction head*. On its map that is the cell "
        "one to the right of where the letter stood."
        if earlier // now.answer.shape[1] < later // now.answer.shape[1]
        else f"Measured over {ROWS} rows of the trained model, head **{names[earlier]}** looks most from a digit to "
        f"the letter before it, head **{names[later]}** most from a letter to what followed it earlier. For copying, "
        "the first would have to stand in a layer below the second.",
        "",
    )
    for column, head, field, what in zip(
        st.columns(2, gap="medium"),
        (earlier, later),
        ("letter", "answer"),
        ("the letter before", "the answer"),
        strict=True,
    ):
        value, untrained = (float(getattr(score, field).ravel()[head]) for score in (now, before))
        was = f" (untrained {number(untrained)})" if now is not before else ""
        shown = weights.reshape(-1, *weights.shape[2:])[head]
        with column:
            title = Markup("<b>Head {}</b>: {} on {}{}")
            page.write(title.format(names[head], number(value), what, was))
            page.show(
                heatmap(
                    shown,
                    labels,
                    labels,
                    ATTENTION_AXES,
                    name=field,
                    sentence=f"Head {names[head]}: {brightest_cell(shown, labels, len(labels) - 1)}",
                    chosen=cells.get(field, (None, None)),
                    small=True,
                    legend=False,
                )
            )
    page.write(
        f"The numbers are mean weights over {ROWS} rows that it never learned from. The maps are of the row above; "
        "outlined is the cell that the answer asks for. They say where a head looks, not that this is the reason of a "
        f"bet. {subject.origin}",
        "note",
    )


def one_row(page: Page, subject: Subject, inside: Insides) -> None:
    """Show for one token of the row where each head looks, and what the model bets on next."""
    labels = subject.labels
    row = labels.index(page.controls.select("from", "From which token", labels, labels[-1], width=180))
    bets = page.recipe.run("bets", softmax, inside.logits)[row]
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Where each head looks", anchor=False)
        said = "Each head’s largest weight from the chosen token, and on what it lies."
        look_bars(page, labels, inside.weights[:, :, row], said)
    with right:
        st.subheader("What it bets on next", anchor=False)
        bet_bars(page, subject, bets)


def copy_question(labels: list[str], asks: int, answers: int) -> Cell:
    """Ask which cell a head must light up so that the answer can be copied."""
    row = "".join(label.rstrip("₀₁₂₃₄₅₆₇₈₉") for label in labels)
    why = Markup("The last row asks, {}, and what it needs is {}, the token <i>after</i> the same letter.")
    return Cell(
        "copy",
        f"The row {row} ends on a letter that stood there before. A head shall fetch its digit. In which cell of its "
        "map must the weight lie: which row looks, and at which column?",
        tuple(labels),
        (asks, answers),
        why.format(quoted(labels[asks]), quoted(labels[answers])),
        "Row and column are swapped: the row is the one that looks.",
        "The same letter earlier is no answer by itself, only the sign that the next token is one.",
    )
