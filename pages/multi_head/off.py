"""A head is switched off, and the model predicts another word."""

from functools import partial

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.multi_head.english_heads import Readout, next_word_probabilities, trained_readout
from attention_core.experiments.multi_head.head_parts import output_without
from attention_core.text.small_english import WORDS
from pages.charts.bars import fraction_bars
from pages.charts.heatmap import ROW_SUMS, SMALL, Axes, heatmap, steps_of_row
from pages.look.colours import KEY
from pages.look.facts import Which, change, largest, ordered, smallest
from pages.look.html import number, prose, quoted
from pages.multi_head.common import draw_switches
from pages.multi_head.scene import HeadScene
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.reproduce.recipe import Short

STEP = Step(
    "switch off",
    "Without one head, another word may come next",
    "A **layer** of a model has several **heads**, each with its own attention weights (**multi-head attention**). "
    "Here are the four heads of a small trained model, and what it predicts after a word of your sentence.",
    asks="Which head does this prediction need?",
    then="Switch heads off (an **ablation**): how does the prediction change?",
    experiment="without at",
)
ROW_AXES = Axes("head", "key", "weight", column_colour=KEY, words=True)
USUAL, MOST = "it", 6  # the word that the course follows; words shown


def draw(page: Page, scene: HeadScene) -> bool:
    """Show what each head attends to from one word, and once it was asked which head matters, the next word."""
    labels = scene.labels
    with page.fields:
        row = page.controls.pick("at", "Next word after", labels, usual_row(scene))
    names = [f"head {head + 1}" for head in range(scene.n_heads)]
    told = f"The attention weights of {quoted(labels[row])} in each head; Σ is their sum."
    layers = SMALL, ROW_SUMS, steps_of_row(scene.attention, row)
    chart = heatmap(scene.attention.weights[:, row], names, labels, ROW_AXES, *layers, name="heads", sentence=told)
    show = partial(page.show, chart, note=scene.origin)
    columns = page.ask_beside(page.question("needed", partial(needed_question, scene, row)), show, spans=2)
    if not columns:
        return False
    page.prints(f"head 1, {labels[row]} to {labels[0]}", scene.attention.weights, 0, row, 0)
    with columns[0]:
        show()
        off = draw_switches(page, scene, "without")
    with columns[1]:
        draw_prediction(page, scene, row, off)
    return True


def draw_prediction(page: Page, scene: HeadScene, row: int, off: list[int]) -> None:
    """Show the next-word probabilities after a word, without the heads that are off."""
    run, trained = page.recipe.run, trained_readout(scene.words)
    short = Short("trained_readout(words)", trained_readout)
    readout = page.recipe.made("readout", trained, Readout, lambda: trained, short)
    usual = run("prediction", next_word_probabilities, scene.output, readout)[row]
    output = run("output_after", output_without, scene.attention, scene.heads.w_o, off)
    now = run("prediction_after", next_word_probabilities, output, readout)[row]
    order = ordered(np.maximum(usual, now))
    shown = [*dict.fromkeys([*order[: MOST - 1], largest(usual).first, *order])][:MOST]  # also what was predicted
    told, words, of = "Tick: the probability with all heads.", [WORDS[i] for i in shown], "next word"
    page.show(fraction_bars(words, now[shown], name=of, sentence=told, expected=usual[shown], of=of))


def usual_row(scene: HeadScene) -> int:
    """Return the word at which most is seen: of another sentence, where the prediction needs one head most."""
    if USUAL in scene.labels:
        return scene.labels.index(USUAL)
    found = [without_each(scene, row) for row in range(len(scene.labels))]
    return largest([usual.value - left.min() for usual, left in found]).first


def without_each(scene: HeadScene, row: int) -> tuple[Which, Array]:
    """Return which word is predicted after a row with all heads, and its probability without each of them."""
    readout = trained_readout(scene.words)
    usual = largest(next_word_probabilities(scene.output, readout)[row])
    found = [
        next_word_probabilities(output_without(scene.attention, scene.heads.w_o, [head]), readout)[row, usual.first]
        for head in range(scene.n_heads)
    ]
    return usual, np.array(found)


def needed_question(scene: HeadScene, row: int, variant: int) -> Choice | None:
    """Ask which head the prediction needs most: after this word, or in later variants after others."""
    row = (row + 3 * variant) % len(scene.labels)
    usual, left = without_each(scene, row)
    least, word = smallest(left), WORDS[usual.first]
    if not usual.is_one or not least.is_one or change(usual.value, least.value) != "falls":
        return None
    text = prose(
        "After {word}, the model predicts {next}. Without which head does the probability of {next} fall most?",
        word=scene.labels[row],
        next=word,
    )
    said = Markup("The probability is {} without it, and {} with all heads. Another head is needed more.")
    wrong = {f"head {head + 1}": said.format(number(probability), usual.shown) for head, probability in enumerate(left)}
    why = Markup("Without it the probability of {} is {}.").format(quoted(word), least.shown)
    return Choice.of("needed", text, f"head {least.first + 1}", why, wrong)
