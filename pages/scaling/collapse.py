"""The row of one word before training: how its weights collapse while d_k is dragged, and which divisor prevents it."""

from functools import partial

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from attention_core.experiments.scaling.random_scores import WIDTHS, divisor, scale_scores
from attention_core.experiments.scaling.untrained_row import row_over_widths
from pages.charts.heatmap import SMALL, Axes, heatmap, steps_from
from pages.look import thumbnails
from pages.look.colours import KEY
from pages.look.facts import largest, smallest, tell_change
from pages.look.html import indexed, number, prose
from pages.motion.bars import Panel, moving_bars
from pages.motion.sliders import Options, Slider
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.scaling.scene import DIVISORS, NARROW, SENTENCE, Trials, division

STEP = Step(
    "one row",
    "What does a wider key do to a row?",
    "This is a row of attention weights before training: how much one word attends to each. Query and keys have d_k "
    "entries each, in real models often 64 or 128.",
    then="Drag d_k to 512. Then try each divisor.",
    experiment="collapse_d_k collapse_divide",
)

EVERY = 8  # frames to the double of d_k
FRAMES = tuple(round(2 ** (step / EVERY)) for step in range(EVERY * (len(WIDTHS) - 1) + 1))  # what a drag passes
RESTS = tuple(range(0, len(FRAMES), EVERY))  # WIDTHS
FROM, TO = int(NARROW), WIDTHS[-1]  # of the question
COLLAPSED = 0.8  # a weight from which one word has nearly all
NEARLY = 1.5  # times a uniform weight, or this part of it: as far from it are weights that are nearly equal
FEWEST = 5  # words of a row about which is asked: of fewer, such weights would not be nearly equal
LARGEST, FAIR = "largest weight of “{}”", "The largest weight is then {}."
EVEN, BETWEEN, PEAKED = "All weights are nearly equal.", "", "One word has nearly all weight."
ALONE = "The only weight of a row is 1 at every d_k. Add a word to see more."
NOT_FAIR = "At d_k = {} the largest weight is then {}. {}"
WHY = "At d_k = {}, {}, the largest weight is {}, on {}. Uniform weights would be {} each."
DISTANCE = "The distance from the smallest score to the largest "
GOES, STAYS = DISTANCE + "goes from {before} to {after}.", DISTANCE + "stays at {after}."
EQUAL = "Equal weights need equal scores. At d_k = {}, {}, the largest score is {} above the smallest."
ROW_AXES = Axes("divisor", "key", "weight", column_colour=KEY, words=True)


def draw(page: Page, scene: Trials) -> bool:
    """Show the row, which moves with d_k once the student has said what will become of it."""
    controls, run = page.controls, page.recipe.run
    d_k = int(controls.bare_choice("collapse_d_k", "Key width d_k", tuple(map(str, WIDTHS)), NARROW))
    divide = controls.bare_choice("collapse_divide", "Divisor", tuple(DIVISORS), "none")
    dragged = row_over_widths(scene.words, scene.asks, FRAMES, scene.seed)  # (F, T)
    question = page.question("row", partial(row_question, scene, dragged))
    page.then = page.then if len(scene.words) > 1 else ALONE
    columns = page.ask_beside(question, partial(draw_bars, page, scene, dragged, FROM, "none", disabled=True))
    if not columns:
        return False  # it starts from a row that is not divided; the link may say what it ends with
    products = run("products", row_over_widths, scene.words, scene.asks, (d_k,), scene.seed)  # (1, T)
    weights = run("weights", softmax, run("scores", scale_scores, products, divisor(DIVISORS[divide], d_k)))
    page.prints(LARGEST.format(scene.labels[scene.asks]), weights, 0, largest(weights[0]).first)
    with columns[0]:
        draw_bars(page, scene, dragged, d_k, divide)
    with columns[1]:
        settled = page.ask(middle_question(dragged))
        draw_all_divisors(page, scene, dragged, d_k)
    return settled


def draw_bars(page: Page, scene: Trials, dragged: Array, d_k: int, divide: str, disabled: bool = False) -> None:
    told = "At d_k = {{at}}, {}, the largest weight is {{most}}: {{names}}."
    panels = [Panel("", frames(name, dragged), told.format(division(name))) for name in DIVISORS.values()]
    stops, names = [str(width) for width in FRAMES], tuple(DIVISORS)
    slider = Slider("collapse_d_k", "Key width d_k", stops, RESTS, RESTS[WIDTHS.index(d_k)], disabled)
    choice = Options("collapse_divide", "Divisor", names, names.index(divide), disabled)
    page.head(f"Attention weights of {scene.word}.", "This lesson has its own sentence." * (scene.words == SENTENCE))
    moving_bars(page, "row", scene.labels, panels, slider, choice)


def draw_all_divisors(page: Page, scene: Trials, dragged: Array, d_k: int) -> None:
    scores = np.array([scores_at(named, d_k, dragged) for named in DIVISORS.values()])
    steps = steps_from(np.broadcast_to(scores[0], scores.shape), scores, divided="÷ divisor")
    page.head(f"The row of {scene.word} at dₖ = {d_k}, under each divisor")
    told = "The weights of this row under each divisor."
    note = f"Words, positions, W_Q and W_K are random, as before training. The seed, {scene.seed}, fixes them."
    names = [*map(indexed, DIVISORS)]
    chart = heatmap(softmax(scores), names, scene.labels, ROW_AXES, SMALL, steps, name="divisors", sentence=told)
    page.show(chart, note=note)


def scores_at(named: str, d_k: int, dragged: Array) -> Array:
    return scale_scores(dragged[FRAMES.index(d_k)], divisor(named, d_k))


def frames(named: str, dragged: Array) -> Array:
    """Return the weights (F, T) at every d_k that a drag passes, of the products (F, T) there."""
    return softmax(dragged / np.array([[divisor(named, d_k)] for d_k in FRAMES]))


def middle_question(dragged: Array) -> Choice | None:
    """Ask which divisor leaves the row neither collapsed nor uniform at the largest width, where one clearly does."""
    rows = [softmax(scores_at(named, TO, dragged)) for named in DIVISORS.values()]
    looks, peaks = [look_of(row) for row in rows], [largest(row).shown for row in rows]
    if looks.count(BETWEEN) != 1 or dragged.shape[1] < FEWEST:
        return None
    text = prose(f"With which divisor is the row at d_k = {TO} neither collapsed onto one word nor nearly uniform?")
    wrong = {name: NOT_FAIR.format(TO, peak, look) for name, peak, look in zip(DIVISORS, peaks, looks, strict=True)}
    fair = looks.index(BETWEEN)
    return Choice.of("middle", text, tuple(DIVISORS)[fair], FAIR.format(peaks[fair]), wrong)


def look_of(row: Array) -> str:
    """Return whether all weights of a row are nearly equal, or one word has nearly all, or neither."""
    most, least = largest(row).value, smallest(row).value
    even = most * row.size <= NEARLY and least * row.size * NEARLY >= 1
    return PEAKED if most >= COLLAPSED else EVEN if even else BETWEEN


def row_question(scene: Trials, dragged: Array, variant: int) -> Choice | None:
    """Ask what becomes of the row at the largest width, under one of the divisors, if it has many keys."""
    n_keys = len(scene.words)
    if n_keys < FEWEST:
        return None
    named = tuple(DIVISORS.values())[(0, 2, 1)[variant % 3]]
    before, after = scores_at("nothing", FROM, dragged), scores_at(named, TO, dragged)
    between, then = softmax(scores_at("√d_k", FROM, dragged)), softmax(after)
    how = "without dividing" if named == "nothing" else f"with the scores divided by {named}"
    text = prose(f"You will drag d_k from {FROM} to {TO}, {how}. **What will this row look like then?**")
    peak = np.zeros(n_keys)
    peak[largest(between).first] = 1
    shapes = (np.full(n_keys, 1 / n_keys), between, peak)
    most, right = largest(then), (EVEN, BETWEEN, PEAKED).index(look_of(then))
    why = WHY.format(TO, division(named), most.shown, most.names(scene.labels), number(1 / n_keys))
    apart, lead = number(float(np.ptp(after))), number(float(np.diff(np.sort(after))[-1]))
    wrong = {
        "All words nearly equal": EQUAL.format(TO, division(named), apart),
        "Something in between": tell_change(np.ptp(before), np.ptp(after), falls=GOES, stays=STAYS, rises=GOES),
        "One word gets nearly all weight": f"One score must then be far above the others. Here it is {lead} above.",
    }
    pictures = tuple(
        thumbnails.thumbnail(thumbnails.bars(list(shape / max(shape.max(), 0.4)), 12)[::-1].T, None, 72)
        for shape in shapes
    )
    return Choice.of("row", text, list(wrong)[right], why, wrong, pictures=pictures)
