"""A later word is changed: which vectors of stacked layers depend on it, if all are masked, and if some are not."""

from functools import partial

import numpy as np

from attention_core.arrays import Array
from attention_core.experiments.masks.attention_stack import moved_by_word, random_layers
from attention_core.rows import row_norms
from attention_core.text.word_vectors import word_vectors
from pages.causal_mask.common import D_HEAD, D_MODEL, words_for
from pages.causal_mask.in_text import WHY, same_table
from pages.causal_mask.scene import Masked
from pages.charts.chart import rung
from pages.charts.heatmap import CLICK, NO_LEGEND, Axes, heatmap, hide, outline, scale, write
from pages.look.facts import differs
from pages.look.html import number, prose
from pages.look.typed import words_of
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice

STEP = Step(
    "layers",
    "The mask is needed in every layer",
    "Three layers stand on one another. Change a word, and see which vectors change with it after each layer.",
    asks="Is one masked layer enough?",
    then="With the mask in every layer, nothing before the changed word moves. So a model that generates can keep the "
    "keys and values of all earlier words (the **KV cache**, lesson 6).",
    experiment="changed new masked_in",
)

N_LAYERS = 3
EVERY = "The mask in every layer"
REMOVED = "Trained with the mask, writing without it"
MOVES = "Random layers, seed {}. A cell says how far a vector moves. Empty: not at all. The two words are {} apart."
USUAL_OTHER_WORD = "dog"
MASKED_IN: dict[str, tuple[int, ...]] = {"layer 1 only": (0,), "layers 2 and 3": (1, 2), "no layer": ()}
LAYER_AXES = Axes("layer", "word", "distance", words=True)


def draw(page: Page, scene: Masked) -> bool:
    """Change a word under three layers that are all masked, and under three of which some are not."""
    controls, run, last = page.controls, page.recipe.run, len(scene.words) - 1
    with page.fields:
        column = controls.pick("changed", "Changed word", scene.labels, last)
        text = controls.text("new", "New word", USUAL_OTHER_WORD, width=150)
    new, *left_out = words_of(text, USUAL_OTHER_WORD)[0]
    if left_out:
        page.write("Only the first word is used.", "note")
    x = run("layers_x", word_vectors, scene.words, D_MODEL, scene.seed)
    other = run("other_x", word_vectors, page.recipe.given("other_words", [new] * len(x)), D_MODEL, scene.seed)
    stack = run("layers", random_layers, N_LAYERS, D_MODEL, D_HEAD, scene.seed)
    mask = scene.mask
    every = run("moved", moved_by_word, x, other, column, stack, mask)
    most = moved_by_word(x, other, column, stack, None)
    told = MOVES.format(scene.seed, number(float(row_norms(other - x)[column])))
    draw_map = partial(draw_moved, page, scene, column, rung(float(most.max(initial=0))), told)
    alone = moved_by_word(x, other, column, stack, mask, MASKED_IN["layer 1 only"])
    question = layers_question(scene, column, new, alone)

    def draw_open() -> None:
        draw_map("The mask in layer 1 only", alone, after=1)

    columns = page.ask_beside(question, draw_open, lambda: controls.put(masked_in="layer 1 only"), 2)
    if not columns:
        return False
    with page.fields:
        where = controls.choice("masked_in", "Mask of the first map", tuple(MASKED_IN), next(iter(MASKED_IN)))
    some = run("moved_in_part", moved_by_word, x, other, column, stack, mask, MASKED_IN[where])
    page.prints(f"change of {scene.labels[0]}, layer {N_LAYERS}", some, N_LAYERS - 1, 0)
    with columns[0]:
        draw_map(f"The mask in {where}", some)
    with columns[1]:
        draw_map(EVERY, every)
    page.head(REMOVED)
    page.write(same_table(page, scene))
    page.say(WHY, "note")
    return True


def draw_moved(
    page: Page, scene: Masked, column: int, limit: float, told: str, title: str, moved: Array, after: int = N_LAYERS
) -> None:
    """Draw how far each word’s vector moves after each layer; grey where it does not, and ? where that is asked."""
    page.head(title)
    rows = [f"after layer {layer + 1}" for layer in range(len(moved))]
    hidden = ~differs(0.0, moved) | (np.arange(len(moved))[:, None] >= after)
    texts = words_for(hidden, moved)
    texts[hidden] = ""
    texts[after:] = "?"
    layers = scale(limit, amounts=True), outline(column=column), hide(hidden), CLICK, NO_LEGEND, write(texts)
    chart = heatmap(moved, rows, scene.labels, LAYER_AXES, *layers, name=title, sentence=told)
    page.show(chart, lambda i, j: page.controls.put(changed=scene.labels[j]), quiet=title == EVERY)


def layers_question(scene: Masked, column: int, new: str, moved: Array) -> Choice | None:
    """Ask where a later word reaches an earlier one if only the first layer is masked."""
    layers = np.flatnonzero(differs(0.0, moved[:, 0]))  # counted from 0
    if column == 0 or not len(layers):
        return None
    text = prose(
        "{old} becomes {new}. The mask stands in layer 1 only. In which layers does the vector of {first}, an earlier "
        "word, change?",
        old=scene.labels[column],
        new=new,
        first=scene.labels[0],
    )
    why = "In layer 2, no mask stands between it and the changed vector, so it attends to the future directly."
    wrong = {
        "In no layer": "Layer 1 is masked, so nothing has leaked there. But each layer attends anew, to all vectors it "
        "may see.",
        "From layer 2 on": "The change arrives later here.",
        "Only after layer 3": "One unmasked layer is enough: every word attends to every other one there.",
    }
    return Choice.of("leak", text, list(wrong)[layers[0]], why, wrong)
