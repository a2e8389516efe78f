"""Every stage of the first lesson as a matrix with its axes, and the derivation of any of its numbers."""

from html import escape
from itertools import combinations
from typing import NamedTuple

from attention_core.arrays import Array
from attention_core.experiments.explain import explain_output, explain_weight, product_terms
from attention_core.experiments.perturb import asymmetry, attends_to_itself, standard_deviation
from pages.charts.chart import Chart, rung
from pages.charts.heatmap import ATTENTION_AXES, SCORE_AXES, Axes, heatmap
from pages.look import cards
from pages.look.colours import KEY, QUERY, VALUE
from pages.look.html import inline, number, typed
from pages.look.sentences import brightest_cell, largest_number
from pages.page.matrices import Scene

WORD_AXES = Axes("word", "dimension", "x")
PROJECTED = {
    "q": Axes("query", "dimension", "q", row_colour=QUERY),
    "k": Axes("key", "dimension", "k", row_colour=KEY),
    "v": Axes("value", "dimension", "v", row_colour=VALUE),
}
MATRIX_AXES = {name: Axes("x", name, "w", column_colour=axes.row_colour) for name, axes in PROJECTED.items()}
MIX_AXES = Axes("query", "dimension", "output", row_colour=QUERY)
DOT_AXES = Axes("first", "second", "product", QUERY, KEY, words=True)
TITLES = {
    "dot": "Dot product",
    "x": "Number of X",
    "q": "Number of Q",
    "k": "Number of K",
    "v": "Number of V",
    "scores": "Score",
    "scaled": "Scaled score",
    "softmax": "Weight",
    "mix": "Number of the output",
}
SCALED_AXES = SCORE_AXES._replace(value="scaled score")
COLUMN_LABELS = (
    "one",
    "adj?",
    "noun?",
    "clock 1",
    "clock 2",
    "clock 3",
    "clock 4",
    *(f"word {i}" for i in range(1, 5)),
)
COLUMN_NAMES = ("constant 1", "is it an adjective?", "is it a noun?", *["a clock: its position"] * 4, *["the word"] * 4)


class View(NamedTuple):
    """A matrix of one stage: its numbers, the names along its axes, and the end of its colour scale."""

    values: Array
    rows: list[str]
    columns: list[str]
    axes: Axes
    limit: float | None  # None: shares from 0 to 1


def views(scene: Scene, labels: list[str], kind: str) -> dict[str, View]:
    """Return the stages. Where numbers are random their scale is fixed: it moves with nothing but the width of q."""
    x, head, products, attention = scene.x, scene.head, scene.products, scene.attention
    raw = rung(4 * attention.q.shape[-1] ** 0.5) if kind == "random" else None

    def view(values: Array, columns: list[str], axes: Axes, usual: float | None) -> View:
        return View(values, labels, columns, axes, usual if kind == "random" else holding(values))

    return {
        "x": view(x, names_of(x, kind), WORD_AXES._replace(words=kind == "hand-set"), 4),
        "q": view(attention.q, dimensions(head.w_q), PROJECTED["q"], 4),
        "k": view(attention.k, dimensions(head.w_k), PROJECTED["k"], 4),
        "v": view(attention.v, dimensions(head.w_v), PROJECTED["v"], 4),
        "scores": view(products, labels, SCORE_AXES, raw),
        # on the scale of q · k
        "scaled": View(attention.scores, labels, labels, SCALED_AXES, raw or holding(products)),
        "softmax": View(attention.weights, labels, labels, ATTENTION_AXES, None),
        "mix": view(attention.output, dimensions(head.w_v), MIX_AXES, 4),
    }


def holding(values: Array) -> float:
    """Return an end of the scale that holds all values."""
    return rung(float(abs(values).max(initial=0)))


def names_of(x: Array, kind: str) -> list[str]:
    """Return the columns of X as labels: counted, or by what they say where they were set by hand."""
    if kind != "hand-set":
        return dimensions(x)
    return [*COLUMN_LABELS, *(f"more {column + 1}" for column in range(x.shape[-1] - len(COLUMN_LABELS)))]


def matrix_view(scene: Scene, name: str, kind: str) -> View:
    """Return one of the head's matrices: a row for each column of X."""
    matrix = getattr(scene.head, f"w_{name}")
    limit = 2.0 if kind == "random" else holding(matrix)
    return View(matrix, names_of(scene.x, kind), dimensions(matrix), MATRIX_AXES[name], limit)


def dimensions(matrix: Array) -> list[str]:
    """Return the columns of a matrix as labels: dimensions are counted from 1."""
    return [str(column + 1) for column in range(matrix.shape[-1])]


def agreement_view(agreement: Array, names: list[str]) -> View:
    """Return the dot product of every vector with every other."""
    return View(agreement, names, names, DOT_AXES, holding(agreement))


def main_heatmap(stage: str, scene: Scene | None, view: View, row: int, column: int) -> Chart:
    """Return the large picture of a stage, with the chosen cell outlined."""
    return heatmap(
        view.values,
        view.rows,
        view.columns,
        view.axes,
        name=TITLES[stage],
        sentence=sentence_of(stage, scene, view),
        limit=view.limit,
        chosen=(row, column),
        sums="rows" if view.limit is None else "",
        clickable=True,
    )


def sentence_of(stage: str, scene: Scene | None, view: View) -> str:
    """Return what the picture of a stage says, whichever cell is chosen: a chart with another `alt` is drawn anew."""
    if stage == "dot":
        pairs = combinations(range(len(view.rows)), 2)
        said = (f"{view.rows[i]} · {view.rows[j]} is {number(view.values[i, j])}" for i, j in pairs)
        return ", ".join(said).capitalize() + "."
    if scene is None or stage not in ("softmax", "scores", "scaled"):
        return largest_number(view.values, view.rows, view.columns, TITLES[stage])
    if stage == "softmax":
        own = int(attends_to_itself(view.values).sum())
        look = "looks at itself" if own == 1 else "look at themselves"
        looks = f"{own} of {len(view.rows)} words {look} as much as at any other."
        masked = (
            ""
            if scene.attention.mask is None
            else " A word sees itself and what came before; the rest of its row is 0."
        )
        return f"{brightest_cell(view.values, view.rows)} {looks}{masked}"
    if stage == "scores":
        gap = number(asymmetry(view.values))
        return f"A score and its mirror image, where the two words swap roles, differ by up to {gap}."
    before, after = number(standard_deviation(scene.products)), number(standard_deviation(view.values))
    return f"The spread (standard deviation) of the scores was {before}; of the scaled scores it is {after}."


def derivation(stage: str, scene: Scene, labels: list[str], row: int, column: int, kind: str) -> str:
    """Return the card that says where a number of a stage comes from."""
    if stage == "x":
        return embedding_card(scene, labels, row, column, kind)
    if stage in PROJECTED:
        return projection_card(scene, labels, row, column, stage)
    if stage == "mix":
        return mix_card(scene, labels, row, column)
    return score_card(scene, labels, row, column, stage)


def embedding_card(scene: Scene, labels: list[str], row: int, column: int, kind: str) -> str:
    """Return where a number of X comes from."""
    word = f"<b>{escape(labels[row])}</b>"
    title = f"Number {column + 1} of {word} is {number(scene.x[row, column])}"
    if kind == "random":
        text = (
            f"It was drawn for {typed(scene.words[row])}, this width and this seed. The same word has the same numbers "
            "wherever it stands; another seed gives it others. They mean nothing yet: training is what gives "
            "them a meaning."
        )
    elif kind == "trained":
        text = (
            "Training found it: the word’s own vector plus the vector of its position, brought to one size by a norm."
        )
    else:
        name = COLUMN_NAMES[column] if column < len(COLUMN_NAMES) else "more of the word"
        text = f"Set by hand. This column says: <b>{name}</b>."
    return cards.card(title, f"<p>{text}</p>")


def projection_card(scene: Scene, labels: list[str], row: int, column: int, name: str) -> str:
    """Return where a number of Q, K or V comes from: a row of X times a column of a matrix."""
    terms = product_terms(scene.x[row], getattr(scene.head, f"w_{name}")[:, column])
    role = {"q": "query", "k": "key", "v": "value"}[name]
    title = f'Number {column + 1} of the {role} of <b class="{role}">{escape(labels[row])}</b>'
    ledger = cards.ledger(terms, "x", f"W<sub>{name.upper()}</sub>", roles=("", role))
    note = f"row “{escape(labels[row])}” of X · column {column + 1} of W<sub>{name.upper()}</sub>"
    return cards.card(title, ledger, cards.chain(("sum", note, terms.total)))


def score_card(scene: Scene, labels: list[str], row: int, column: int, stage: str) -> str:
    """Return where a score or a weight comes from, as far as the stage has come."""
    steps = explain_weight(scene.attention, row, column)
    asks, answers = (f'<b class="{r}">{escape(labels[i])}</b>' for r, i in (("query", row), ("key", column)))
    result = {"scores": steps.total, "scaled": steps.score, "softmax": steps.weight}[stage]
    lines = cards.weight_lines(steps, scene.attention.q.shape[-1])
    lines = {"scores": lines[:1], "scaled": lines[:2], "softmax": lines}[stage]
    title = f"How {asks} → {answers} became {number(result)}"
    return cards.card(title, cards.ledger(steps, "q", "k", roles=("query", "key")), cards.chain(*lines))


def mix_card(scene: Scene, labels: list[str], row: int, column: int) -> str:
    """Return where a number of the output comes from: a row of weights times a column of V."""
    terms = explain_output(scene.attention, row, column)
    title = f'Number {column + 1} of what <b class="query">{escape(labels[row])}</b> takes in'
    ledger = cards.ledger(terms, "weight", "v", labels, roles=("", "value"))
    return cards.card(title, ledger, cards.chain(("sum", "of all values, by weight", terms.total)))


def dot_card(vectors: Array, names: list[str], row: int, column: int) -> str:
    """Return where the dot product of two vectors comes from."""
    terms = product_terms(vectors[row], vectors[column])
    title = f'<b class="query">{names[row]}</b> · <b class="key">{names[column]}</b> = {number(terms.total)}'
    ledger = cards.ledger(terms, names[row], names[column], roles=("query", "key"))
    return cards.card(title, ledger, cards.chain(("sum", "the dot product", terms.total)))


def shape(name: str, matrix: Array) -> str:
    """Return the name of a matrix with its shape."""
    return f"<b>{inline(name)}</b> {matrix.shape[0]} × {matrix.shape[1]}"
