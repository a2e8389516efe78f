"""A soft look-up in a plane: a query, three keys, and the mean of the values."""

import math

from markupsafe import escape

from attention_core.arrays import Array
from attention_core.experiments.qkv.one_head import attend, random_head
from attention_core.experiments.qkv.perturb import dot_products, mix_values, rotate_in_plane, softmax_at
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.charts.bars import fraction_bars
from pages.charts.vector_plane import Vector, hull, plane, reach
from pages.heads.matrices import OneHead
from pages.look.sentences import AS_MUCH, EACH, MOST, ONLY, brightest_cell
from pages.motion.sliders import Slider, draw_moving, over_numbers
from pages.page.page import Page
from pages.page.steps import Step

TEMPERATURES = {"0": 0.0, "0.1": 0.1, "0.3": 0.3, "1": 1.0, "√2": math.sqrt(2), "3": 3.0, "10": 10.0, "∞": math.inf}
TEMPERED = tuple(TEMPERATURES)
ANGLES = range(-180, 181, 5)
STEP = Step(
    "soft look-up",
    "Attention is a soft look-up",
    "A dictionary returns the value of the key that is equal to the query. Attention returns a weighted mean of "
    "values. The temperature divides the scores: at 0 only the largest counts, at ∞ all keys get the same weight.",
    experiment="angle asks temperature",
)


def draw(page: Page, scene: OneHead) -> None:
    """Draw queries, keys and values as arrows in a plane, and the output inside the outline of the values."""
    controls = page.controls
    words = page.recipe.given("plane_words", scene.words[:3])
    names = position_labels(words)
    with page.fields:
        asks = names.index(controls.select("asks", "Query", names, names[-1], width=130))
    angle = controls.bare_number("angle", "Key rotation (degrees)", -180, 180, 0, 5)
    temperature = controls.bare_choice("temperature", "Temperature", TEMPERED, "√2")
    run = page.recipe.run
    x = run("plane_x", word_vectors, words, 2, scene.seed)
    flat = run("plane", attend, x, run("plane_head", random_head, 2, 2, scene.seed))
    keys = run("plane_keys", rotate_in_plane, flat.k, float(angle))
    scores = run("plane_scores", dot_products, flat.q, keys)
    weights = run("plane_weights", softmax_at, scores, TEMPERATURES[temperature])
    output = run("plane_output", mix_values, weights, flat.v)
    query = labelled(flat.q[asks : asks + 1], names[asks : asks + 1], "query")
    values = labelled(flat.v, names, "value")
    page.prints(f"output of {names[asks]}, entry 1", output, asks, 0)
    limits = reach(flat.q, flat.k), reach(flat.v)
    told = ("The query and the keys.", "The values, their outline, and the output, inside the outline or on it.")
    sliders = (
        over_numbers("angle", "Key rotation (degrees)", ANGLES, angle),
        Slider("temperature", "Temperature", TEMPERED, range(len(TEMPERED)), TEMPERED.index(temperature)),
    )
    picture = {  # from which the browser computes the weights and the output
        "query": flat.q[asks].tolist(),
        "keys": flat.k.tolist(),
        "values": flat.v.tolist(),
        "outline": hull(flat.v),
        "labels": names,
        "says": {"one": MOST, "only": ONLY, "several": AS_MUCH, "all": EACH},
        "asks": asks,
        "limits": limits,
        "told": told,
        "titles": ("Query and keys", "Values and output", "Attention weights"),
    }
    draw_moving("planes", page, "planes", picture, sliders)
    page.say(
        "The first words of your sentence, with random matrices of width 2 (seed {seed}) so that we can plot them. The "
        "formula’s own temperature is √d_k, here √2.",
        "note",
        seed=escape(scene.seed),
    )
    point = [Vector(output[asks, 0], output[asks, 1], "output", "output")]
    finding = brightest_cell(weights, names, asks)
    page.drawing.shown += [  # where the sliders stand, for the files of the page
        plane(query + labelled(keys, names, "key"), limit=limits[0], name="query and keys", sentence=told[0]),
        plane(values, limit=limits[1], points=point, polygon=flat.v, name="values and output", sentence=told[1]),
        fraction_bars(names, weights[asks], name="weights", sentence=finding, title="weight"),
    ]


def labelled(rows: Array, names: list[str], role: str) -> list[Vector]:
    """Return vectors with the letter of their role and their word at the tip."""
    return [Vector(x, y, f"{role[0]} {name}", role) for (x, y), name in zip(rows, names, strict=True)]
