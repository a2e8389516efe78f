"""Copying: an induction head recalls a digit, and its score is taken apart by what wrote query and key."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Tokens
from attention_core.experiments.inside.induction import CopyScores, copy_scores, recall_prompt, recall_rows
from attention_core.model.activations import Insides, insides
from attention_core.text.corpora import HELD_OUT
from attention_core.text.recall_task import recall_targets
from pages.charts.heatmap import CLICK, NO_LEGEND, SMALL, attention_heatmap, outline
from pages.look.facts import largest
from pages.look.html import number, quoted
from pages.look.sentences import brightest_cell
from pages.page.buttons import put_button
from pages.page.canvas import ChosenCell
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Cell
from pages.server.model_cache import is_kept
from pages.tiny_lm.checkpoints import At, moments_of, patience
from pages.tiny_lm.common import head_names
from pages.tiny_lm.copy.split import draw_split
from pages.tiny_lm.model_in_view import Subject

ROWS, LENGTH, SEED = 64, 32, HELD_OUT  # the sequences over which heads are scored
STEP = Step(
    "copy",
    "Here, copying took heads in two layers",
    "In *a3c7b1e4a* each letter has a digit, and the pairs change with each sequence. No parameter can store them, so "
    "the model must look back (**in-context learning**).",
    asks="Where must a head look to copy?",
    then="Once trained, an **induction head** finds what followed an earlier *a*. Heads before it tell it where.",
    words="row",
)
NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four"}
LONGEST = 24  # tokens of a random sequence, at most


def draw(page: Page, scene: Subject) -> bool:
    """Ask which cell of a map the answer needs; show the heads that copy, and take a score of the later one apart."""
    tokens, labels = scene.tokens, scene.labels
    targets = recall_targets(tokens)
    regular = all(word.isdigit() == place % 2 for place, word in enumerate(scene.words))
    asks = int(np.flatnonzero(targets.answerable)[-1]) if regular and targets.answerable.any() else None
    with page.fields:
        offer_another(page, scene)
    rows, moments = page.recipe.run("rows", recall_rows, ROWS, LENGTH, SEED), moments_of(scene)
    in_view = next(at for at in moments if at.model is scene.model)
    now, finished = copy_scores_of(page, [in_view, moments[-1]], rows)
    n_heads = scene.model.config.n_heads
    heads = [divmod(largest(each).first, n_heads) for each in (finished.letter, finished.answer)]
    inside = page.recipe.run_once("inside", insides, scene.model, tokens)
    usual, before = (len(tokens) - 1, largest(inside.weights[(*heads[1], -1)]).first), None
    if not regular:
        page.write("This model has only read letter, digit, letter, digit. Type a sequence such as a3c7a.", "note")
    elif asks is None:
        page.write("In this sequence no letter repeats, so there is nothing to recall. Type one such as a3c7a.", "note")
    else:
        answers = int(np.flatnonzero(targets.sources[asks])[-1])
        usual, before = (asks, answers), (answers, answers - 1)

        def blank() -> None:
            draw_head(page, scene, inside, heads[0], "letter", float(now.letter[heads[0]]), before)

        question = copy_question(labels, asks, answers)
        once = targets.sources[asks].sum() == 1  # else several cells would do
        if once and asks == len(tokens) - 1 and not page.ask(question, blank=blank):
            return False
    cell = ChosenCell(page.controls, labels, labels, usual)
    cell.usual = usual[0], min(usual[1], cell.row)  # of another text the row may have stayed alone
    left, right = st.columns(2, gap="medium")
    with right:
        chosen = cell.row, page.controls.picked("k", labels, cell.usual[1])
        draw_head(page, scene, inside, heads[1], "answer", float(now.answer[heads[1]]), chosen, cell)
    with left:
        draw_head(page, scene, inside, heads[0], "letter", float(now.letter[heads[0]]), before)
    page.drawing.pictured = f"inside.weights[{heads[1][0]}, {heads[1][1]}]"
    draw_split(page, scene, inside, heads[1], cell)
    page.write(f"Mean weights are over {ROWS} held-out sequences. {scene.origin}", "note")
    if note := built_in(scene.model.config.slopes or (), scene.name != "own"):
        page.look_closer("What was built in", lambda: page.write(note, "note"))
    return True


def draw_head(
    page: Page,
    subject: Subject,
    inside: Insides,
    head: tuple[int, int],
    what: str,
    mean: float,
    at: tuple[int, int] | None,
    cell: ChosenCell | None = None,
) -> None:
    """Draw the map of a head, with its mean weight on the letter before a digit or on the answer; perhaps clickable."""
    name = head_names(*inside.weights.shape[:2])[head[0] * inside.weights.shape[1] + head[1]]
    goal = {"letter": "the letter before", "answer": "the answer"}[what]
    page.write(Markup("<b>Head {}</b>: mean weight {} on {}").format(name, number(mean), goal))
    layers = outline(*(at or (None, None))), SMALL, NO_LEGEND, *([CLICK] if cell else [])
    weights = inside.weights[head]
    row = at[0] if at else len(weights) - 1
    sentence = f"Head {name}: {brightest_cell(weights, subject.labels, row)}"
    page.show(
        attention_heatmap(weights, subject.labels, *layers, name=what, sentence=sentence), cell.choose if cell else None
    )


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


def copy_question(labels: list[str], asks: int, answers: int) -> Cell:
    """Ask which cell a head must light up so that the answer can be copied."""
    text = "".join(label.rstrip("₀₁₂₃₄₅₆₇₈₉") for label in labels)
    why = Markup("The query is {}, the last row. The answer is {}, the token <i>after</i> the same letter.")
    return Cell(
        "copy",
        f"The sequence {text} ends on a letter that came before. A head of a later layer has to fetch its digit. Which "
        "cell of that head’s map needs a large weight: which row, and which column?",
        tuple(labels),
        (asks, answers),
        why.format(quoted(labels[asks]), quoted(labels[answers])),
        "You swapped row and column. The row is the query, the column the key.",
        "The query is the last token, and its key is the digit after the same letter, not the letter itself.",
    )


def copy_scores_of(page: Page, moments: list[At], rows: Tokens) -> list[CopyScores]:
    """Return how well the heads copy at some checkpoints; one that comes again is scored once."""
    models = {at.step: page.recipe.model(f"model_{at.step}", at.model, at.name, at.step) for at in moments}
    with patience("Scoring the heads", all(is_kept(copy_scores, model, rows) for model in models.values())):
        run = page.recipe.run_once
        found = {step: run(f"scores_{step}", copy_scores, model, rows) for step, model in models.items()}
    return [found[at.step] for at in moments]
