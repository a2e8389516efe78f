"""What the two heads that recall a digit attend to, in the sequence of the prompt."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from attention_core.experiments.inside.induction import CopyScores, recall_prompt
from attention_core.model.activations import Insides, insides
from attention_core.text.recall_task import recall_targets
from pages.charts.heatmap import NO_LEGEND, SMALL, attention_heatmap, outline
from pages.look import cards
from pages.look.html import number, quoted
from pages.look.sentences import brightest_cell
from pages.page.fields.buttons import put_button
from pages.page.page import Page
from pages.page.questions.kinds import Cell
from pages.tiny_lm.checkpoints import moments_of
from pages.tiny_lm.common import bet_bars, head_names
from pages.tiny_lm.copy.over_many_rows import ROWS, copy_scores_of, held_out_rows, moment_in_view
from pages.tiny_lm.heads_view import look_bars
from pages.tiny_lm.model_in_view import Subject

NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four"}
LONGEST = 24  # tokens of a random sequence, at most


def draw(page: Page, subject: Subject) -> bool:
    """Ask which cell of a map the answer needs, and show the maps of the heads that copy."""
    tokens, labels = subject.tokens, subject.labels
    targets = recall_targets(tokens)
    regular = all(word.isdigit() == place % 2 for place, word in enumerate(subject.words))
    asks = int(np.flatnonzero(targets.answerable)[-1]) if regular and targets.answerable.any() else None
    cells: dict[str, tuple[int, int]] = {}  # where the weight must lie: from the digit, and from the letter
    if not regular:
        page.write("This model has only read letter, digit, letter, digit. Type a sequence such as a3c7a.", "note")
    elif asks is None:
        page.write("In this sequence no letter repeats, so there is nothing to recall. Type one such as a3c7a.", "note")
    else:
        answers = int(np.flatnonzero(targets.sources[asks])[-1])
        if asks == len(tokens) - 1 and not page.ask(copy_question(labels, asks, answers)):
            return False
        cells = {"letter": (answers, answers - 1), "answer": (asks, answers)}
        page.write(cards.chips(labels, asks, answers))
    rows, moments = held_out_rows(page), moments_of(subject)
    three = [moments[0], moment_in_view(moments, subject), moments[-1]]
    before, now, finished = copy_scores_of(page, three, rows)
    inside = page.recipe.run_once("inside", insides, subject.model, tokens)
    two_heads(page, subject, (before, now, finished), cells, inside.weights)
    one_token(page, subject, inside)
    page.drawing.pictured = "inside.weights[-1, 0]"
    return True


def offer_another(page: Page, subject: Subject) -> None:
    """Draw the button that puts another random sequence into the field of the prompt."""
    legal = frozenset(map(str, range(1000)))
    seed = int(page.controls.mark("row", "Random sequence", "0", legal.__contains__))
    longest = min(LONGEST, subject.model.config.max_len)
    text = "".join(subject.vocabulary.decode(recall_prompt((seed + 1) % 1000, longest)))
    field = "prompt" if subject.name == "own" else "letters"
    fixed = bool({"row", field} & page.controls.locked)
    values = {"row": str((seed + 1) % 1000), field: text}
    put_button(page, "New sequence", values, "row", ":material/casino:", disabled=fixed)


def two_heads(
    page: Page,
    subject: Subject,
    scores: tuple[CopyScores, CopyScores, CopyScores],
    cells: dict[str, tuple[int, int]],
    weights: Array,
) -> None:
    """Draw the heads with most weight on the letter before and on the answer, at the checkpoint in view.

    They are those of the last of three checkpoints: before training, in view, at the end.
    """
    before, now, finished = scores
    names, labels = head_names(*now.answer.shape), subject.labels
    later, earlier = int(finished.answer.argmax()), int(finished.letter.argmax())
    page.say(heads_in_words(names, earlier, later, now.answer.shape[1]), "")
    if note := built_in(subject.model.config.slopes or (), subject.name != "own"):
        page.write(note, "note")
    for column, head, field, what in zip(
        st.columns(2, gap="medium"),
        (earlier, later),
        ("letter", "answer"),
        ("the letter before", "the answer"),
        strict=True,
    ):
        value, untrained = (float(getattr(score, field).ravel()[head]) for score in (now, before))
        was = f" ({number(untrained)} before training)" if now is not before else ""
        shown = weights.reshape(-1, *weights.shape[2:])[head]
        with column:
            title = Markup("<b>Head {}</b>: mean weight {} on {}{}")
            page.write(title.format(names[head], number(value), what, was))
            layers = outline(*cells.get(field, (None, None))), SMALL, NO_LEGEND
            sentence = f"Head {names[head]}: {brightest_cell(shown, labels, len(labels) - 1)}"
            page.show(attention_heatmap(shown, labels, *layers, name=field, sentence=sentence))
    page.write(
        f"Mean weights are over {ROWS} held-out sequences, the maps are of your sequence. Outlined: the cell that the "
        "answer needs. A map says what a head attends to, not that this causes a prediction. " + subject.origin,
        "note",
    )


def heads_in_words(names: list[str], earlier: int, later: int, n_heads: int) -> str:
    """Return what the head with most weight on the letter and the one with most weight on the answer do."""
    if earlier // n_heads < later // n_heads:
        return (
            f"Over {ROWS} sequences, head **{names[earlier]}** of the trained model attends most from a digit "
            "to the letter before it. So each digit’s vector can then also encode its letter. Head "
            f"**{names[later]}**, in a later layer, attends most from a letter to the digit that the same letter had: "
            "an **induction head**. On its map that cell is one to the right of the earlier letter."
        )
    return (
        f"Over {ROWS} sequences, head **{names[earlier]}** of the trained model attends most from a digit to "
        f"the letter before it, and head **{names[later]}** from a letter to what followed it earlier. For "
        "this kind of copying, the first must be in an earlier layer than the second."
    )


def built_in(slopes: Sequence[float], ships: bool) -> str:
    """Return which heads prefer near tokens before any training; of the model that ships, also why."""
    some = sum(slope > 0 for slope in slopes)
    if not some:
        return ""
    heads, few = (NUMBERS.get(count, str(count)) for count in (len(slopes), some))
    why = " Without it, many runs of this training do not learn the task." if ships else ""
    return (
        f"{few.capitalize()} of the {heads} heads in each layer {'was' if some == 1 else 'were'} given a preference "
        f"for near tokens, a fixed penalty on distance (ALiBi).{why}"
    )


def one_token(page: Page, subject: Subject, inside: Insides) -> None:
    """Show for one token of the sequence what each head attends to, and the model’s prediction."""
    labels = subject.labels
    row = labels.index(page.controls.select("from", "Query token", labels, labels[-1], width=180))
    predictions = page.recipe.run("predictions", softmax, inside.logits)[row]
    best = int(predictions.argmax())
    page.prints(f"probability of {subject.token(best)} after {labels[row]}", "predictions", row, best)
    left, right = st.columns(2, gap="large")
    with left:
        page.heading("Largest weight of each head", small=True)
        said = "Each head’s largest attention weight from the chosen token, and the key that has it."
        look_bars(page, labels, inside.weights[:, :, row], said)
    with right:
        page.heading("Prediction", small=True)
        bet_bars(page, subject, predictions, "prediction")


def copy_question(labels: list[str], asks: int, answers: int) -> Cell:
    """Ask which cell a head must light up so that the answer can be copied."""
    text = "".join(label.rstrip("₀₁₂₃₄₅₆₇₈₉") for label in labels)
    why = Markup("The query is {}, the last row. The answer is {}, the token <i>after</i> the same letter.")
    return Cell(
        "copy",
        f"The sequence {text} ends on a letter that came before. A head has to fetch its digit. Which cell of its "
        "attention map needs a large weight: which row, and which column?",
        tuple(labels),
        (asks, answers),
        why.format(quoted(labels[asks]), quoted(labels[answers])),
        "You swapped row and column. The row is the query, the column the key.",
        "The query is the last token, and its key is the digit after the same letter, not the letter itself.",
    )
