"""Copying: an induction head recalls a digit, and its score is taken apart by what wrote query and key."""

from collections.abc import Callable

import numpy as np
from markupsafe import Markup

from attention_core.experiments.inside.induction import copy_scores, recall_prompt, recall_rows
from attention_core.model.activations import insides
from attention_core.text.corpora import HELD_OUT
from attention_core.text.recall_task import recall_targets
from pages.charts.heatmap import ATTENTION_AXES, CLICK, NO_LEGEND, SMALL, attention_heatmap, blank_map, outline
from pages.look.facts import largest
from pages.look.html import number, quoted
from pages.look.sentences import brightest_cell
from pages.motion.build_up import parts_shown
from pages.page.buttons import put_button
from pages.page.fields.chosen_cell import ChosenCell
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Cell
from pages.server.model_cache import is_kept
from pages.tiny_lm.common import head_word, patience
from pages.tiny_lm.copy.split import draw_split
from pages.tiny_lm.model_in_view import PROMPTS, Subject

ROWS, LENGTH, SEED = 64, 32, HELD_OUT  # the sequences over which heads are scored
STEP = Step(
    "copy",
    "After training, heads of two layers copy",
    "Each letter has a digit, another in each sequence. No parameter can store it: the model looks "
    "back (**in-context learning**).",
    asks="Where must a head look to copy?",
    then="An **induction head** finds what followed this letter: an earlier head wrote the letter there.",
    words="row",
    experiment="built",
)
PARTS = (
    "After training, head {answer} attends most to the digit after the same letter.",
    "After training, head {letter} attends from a digit to the letter before it. So the digit’s vector can hold it.",
)
LONGEST = 24  # tokens of a random sequence, at most
GOALS = {"letter": "the letter before", "answer": "the answer"}
COVERED = "The weights come with the answer."
NO_REPEAT = "Here nothing repeats that could be recalled. Type letter, digit, letter, digit, such as a3c7a."
NEAR = " Some heads prefer near tokens even untrained (ALiBi)."
ASKED = (
    "The sequence {text} ends on a letter that came before. Head {head} must fetch its digit. Which cell of its map "
    "needs a large weight?"
)


def draw(page: Page, scene: Subject) -> bool:
    """Ask which cell of a map the answer needs; show the heads that copy, and take a score of the later one apart."""
    tokens, labels = scene.tokens, scene.labels
    targets = recall_targets(tokens)
    regular = all(word.isdigit() == place % 2 for place, word in enumerate(scene.words))
    asks = int(np.flatnonzero(targets.answerable)[-1]) if regular and targets.answerable.any() else None
    with page.fields:
        offer_another(page, scene)
    rows, run = page.recipe.run("rows", recall_rows, ROWS, LENGTH, SEED), page.recipe.run_once
    models = {scene.step: scene.model, scene.steps[-1]: scene.source.model(len(scene.steps) - 1)}
    named = {step: page.recipe.model(f"model_{step}", one, scene.name, step) for step, one in models.items()}
    with patience("Scoring the heads", all(is_kept(copy_scores, model, rows) for model in named.values())):
        found = {step: run(f"scores_{step}", copy_scores, model, rows) for step, model in named.items()}
    now, finished = found[scene.step], found[scene.steps[-1]]  # at the checkpoint in view, and after training
    n_heads = scene.model.config.n_heads
    heads = {goal: divmod(largest(getattr(finished, goal)).first, n_heads) for goal in GOALS}
    inside = page.recipe.run_once("inside", insides, scene.model, tokens)
    usual, before = (len(tokens) - 1, largest(inside.weights[(*heads["answer"], -1)]).first), None
    names = {goal: head_word(*head) for goal, head in heads.items()}

    def draw_goal(goal: str, at: tuple[int, int] | None, choose: Callable[[int, int], None] | None = None) -> None:
        layer, weights, mean = heads[goal][0] + 1, inside.weights[heads[goal]], float(getattr(now, goal)[heads[goal]])
        page.head(f"Head {names[goal]}:", f"layer {layer}, mean weight {number(mean)} on {GOALS[goal]}")
        layers = outline(*(at or (None, None))), SMALL, NO_LEGEND, *([CLICK] if choose else [])
        said = f"Head {names[goal]}: {brightest_cell(weights, labels, at[0] if at else len(weights) - 1)}"
        page.show(attention_heatmap(weights, labels, *layers, name=goal, sentence=said), choose)

    def draw_covered() -> None:
        page.head(f"Head {names['answer']}:", f"layer {heads['answer'][0] + 1}")
        page.show(blank_map(labels, labels, ATTENTION_AXES, SMALL, NO_LEGEND, name="covered", sentence=COVERED))

    question = None
    if asks is None:
        page.write(NO_REPEAT, "note")
    else:
        answers = int(np.flatnonzero(targets.sources[asks])[-1])
        usual, before = (asks, answers), (answers, answers - 1)
        if targets.sources[asks].sum() == 1 and asks == len(tokens) - 1:  # else several cells would do
            question = copy_question(labels, asks, answers, names["answer"])
    columns = page.ask_beside(question, draw_covered, spans=2, under=True)
    if not columns:
        return False
    cell = ChosenCell(page.controls, labels, labels, usual)
    cell.usual = usual[0], min(usual[1], cell.row)  # of another text the row may have stayed alone
    shown = {goal: Markup("{}").format(name) for goal, name in names.items()}
    with columns[0]:
        draw_goal("answer", cell.chosen, cell.choose)
    with columns[1]:
        if parts_shown(page, PARTS, **shown) > 1:
            draw_goal("letter", before)
    if not page.is_built:
        return True
    page.drawing.weights = f"inside.weights[{heads['answer'][0]}, {heads['answer'][1]}]"
    draw_split(page, scene, inside, heads["answer"], cell)
    near = NEAR if any(scene.model.config.slopes or ()) else ""
    page.write(f"Means of {ROWS} held-out sequences.{near} {scene.origin}", "note")
    return True


def offer_another(page: Page, subject: Subject) -> None:
    """Draw the button that puts another random sequence into the field of the prompt."""
    legal, field = frozenset(map(str, range(1000))), PROMPTS[subject.name][0]
    seed = (int(page.controls.bare_text("row", "Random sequence", "0", legal.__contains__)) + 1) % 1000
    tokens = recall_prompt(seed, min(LONGEST, subject.model.config.max_len))
    values = {"row": str(seed), field: "".join(subject.vocabulary.decode(tokens))}
    fixed = bool(values.keys() & page.controls.locked)
    put_button(page, "New sequence", values, "row", ":material/casino:", disabled=fixed)


def copy_question(labels: list[str], asks: int, answers: int, head: str) -> Cell:
    """Ask which cell a head must light up so that the answer can be copied."""
    why = Markup("The query is {}, the last row. The answer is {}, the token <i>after</i> the same letter.")
    return Cell(
        "copy",
        ASKED.format(head=head, text="".join(label.rstrip("₀₁₂₃₄₅₆₇₈₉") for label in labels)),
        tuple(labels),
        (asks, answers),
        why.format(quoted(labels[asks]), quoted(labels[answers])),
        "You swapped row and column. The row is the query, the column the key.",
        "The query is the last token, and its key is the digit after the same letter, not the letter itself.",
    )
