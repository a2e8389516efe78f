"""The pictures of the lesson on masks, its cards, and the thumbnails of its stages."""

from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np

from attention_core.arrays import Array
from attention_core.derivation import explain_weight
from attention_core.layers import moved_by_mask, random_layers
from attention_core.leaks import effects, weight_on_blocked
from attention_core.masks import layers_needed, reachable
from attention_core.mistakes import zeroed_after_softmax
from attention_core.what_if import seen
from attention_core.words import word_vectors
from pages.causal_mask.scene import Masked
from pages.shared import cards
from pages.shared.charts.chart import Chart, rung
from pages.shared.charts.heatmap import ATTENTION_AXES, SCORE_AXES, Axes, attention_heatmap, heatmap
from pages.shared.colours import KEY, QUERY
from pages.shared.markup import number, quoted
from pages.shared.sentences import brightest_cell

MASK_AXES = Axes("query", "key", "mask", QUERY, KEY, words=True)
EFFECT_AXES = Axes("output", "word", "distance", words=True)
REACH_AXES = Axes("output", "word", "layers", words=True)
LAYER_AXES = Axes("layer", "word", "distance", words=True)
OUTPUT_AXES = Axes("query", "dimension", "output", row_colour=QUERY)
SCORE_LIMIT = 4.0
D_MODEL, D_HEAD = 8, 4  # of the layers that stand on one another
FORMS = ("True / False", "0 / −∞", "score + mask", "weights")


def hidden_count(scene: Masked) -> str:
    """Return how many cells the mask hides, and which words it leaves with nothing."""
    count = f"{int(scene.blocked.sum())} of {scene.blocked.size} cells are hidden."
    empty = empty_rows(scene)
    if not empty:
        return count
    names = ", ".join(f"{quoted(scene.labels[i])}" for i in empty[:4]) + (" and others" if len(empty) > 4 else "")
    return f"{count} Nothing to look at: {names}, so all weights of the row are 0."


def empty_rows(scene: Masked) -> list[int]:
    """Return the rows in which every key is blocked."""
    return [int(i) for i in np.flatnonzero(scene.blocked.all(axis=1))]


def plain_map(scene: Masked, row: int) -> Chart:
    """Return the weights without a mask."""
    sentence = brightest_cell(scene.plain.weights, scene.labels)
    return attention_heatmap(
        scene.plain.weights, scene.labels, name="without a mask", sentence=sentence, chosen=(row, None)
    )


def masked_map(scene: Masked, row: int, column: int, clickable: bool = True) -> Chart:
    """Return the weights under the mask; what it hides is grey."""
    sentence = f"{brightest_cell(scene.masked.weights, scene.labels)} {hidden_count(scene)}"
    return attention_heatmap(
        scene.masked.weights,
        scene.labels,
        name="under the mask",
        sentence=sentence,
        chosen=(row, column),
        hidden=scene.blocked,
        clickable=clickable,
    )


def form_map(scene: Masked, form: str, row: int, column: int) -> Chart:
    """Return the mask in one of its forms, or what it does to the scores."""
    if form == FORMS[3]:
        return masked_map(scene, row, column)
    labels = scene.labels
    options: dict[str, Any] = {"chosen": (row, column), "hidden": scene.blocked, "clickable": True}
    if form == FORMS[2]:
        values = seen(scene.masked)
        limit = SCORE_LIMIT if scene.weights == "random" else rung(float(abs(scene.plain.scores).max(initial=0)))
        texts = words_for(scene.blocked, values)
        sentence = f"The scores with the mask added. {hidden_count(scene)}"
        return heatmap(
            values, labels, labels, SCORE_AXES, name=form, sentence=sentence, limit=limit, texts=texts, **options
        )
    if form == FORMS[0]:
        values, texts = scene.blocked.astype(float), np.where(scene.blocked, "True", "False")
        sentence = f"The mask as True and False: True is blocked. {hidden_count(scene)}"
    else:
        values, texts = scene.mask, np.where(scene.blocked, "−∞", "0")
        sentence = f"The mask as it is added: 0 where a key may be seen, −∞ where not. {hidden_count(scene)}"
    return heatmap(
        values,
        labels,
        labels,
        MASK_AXES,
        name=form,
        sentence=sentence,
        texts=texts.astype(object),
        legend=False,
        **options,
    )


def words_for(blocked: Array, values: Array) -> Array:
    """Return what stands in the cells of scores: the number, or −∞ where blocked."""
    texts = [number(value) for value in values.ravel()]
    return np.array(texts, dtype=object).reshape(blocked.shape)


def mask_card(scene: Masked, row: int, column: int) -> str:
    """Return how one score went through the mask."""
    steps = explain_weight(scene.masked, row, column)
    asks, answers = (
        f'<b class="{role}">{escape(scene.labels[i])}</b>' for role, i in (("query", row), ("key", column))
    )
    note = "blocked" if steps.blocked else "allowed"
    total = steps.score + steps.added
    power = number(total - steps.shift)
    added = " + ".join(number(value, 1) for value in steps.row_exponentials[:8])
    more = " + …" if len(steps.row_exponentials) > 8 else ""
    lines = [
        ("score", "q · k ÷ √d<sub>k</sub>", steps.score),
        ("+ mask", note, steps.added),
        ("score + mask", "", total),
        (f"e<sup>{power}</sup>", "", steps.exponential),
        ("÷ row sum", added + more, steps.row_sum),
        ("weight", "nothing to share" if steps.row_sum == 0 else "", steps.weight),
    ]
    title = f"How {asks} → {answers} became {number(steps.weight)}"
    return cards.card(title, cards.chain(*lines))


def shares_card(scene: Masked, row: int) -> str:
    """Return what the mask did to the shares of one word."""
    name = f'<b class="query">{escape(scene.labels[row])}</b>'
    gone = float(weight_on_blocked(scene.plain.weights, scene.blocked)[row])
    lines = []
    for label, before, after, blocked in zip(
        scene.labels, scene.plain.weights[row], scene.masked.weights[row], scene.blocked[row], strict=True
    ):
        after_text = '<span class="soft">hidden</span>' if blocked else number(after)
        lines.append(f"<tr><td>{escape(label)}</td><td>{number(before)}</td><td>{after_text}</td></tr>")
    head = "<tr><th>key</th><th>without</th><th>with the mask</th></tr>"
    if row in empty_rows(scene):
        told = "Nothing is left to look at: every weight is 0, and so is the output. That is a rule, not an accident."
    elif gone == 0:
        told = "None of its look went to hidden words, so nothing changes."
    else:
        told = (
            f"{number(gone)} of its look went to words that are hidden now. What stays is divided by the "
            f"{number(1 - gone)} that is left, so the shares sum to 1 again."
        )
    return cards.card(
        f"The shares of {name}",
        f'<div class="wide"><table>{head}{"".join(lines)}</table></div>',
        f'<p style="margin-top:10px">{told}</p>',
    )


def ways_table(scene: Masked, ways: dict[str, Array], row: int, column: int) -> str:
    """Return one cell in four ways, step by step."""
    asks, answers = (
        f'<b class="{role}">{escape(scene.labels[i])}</b>' for role, i in (("query", row), ("key", column))
    )
    blocked = bool(scene.blocked[row, column])
    score = number(float(scene.plain.scores[row, column]))
    plain = number(float(scene.plain.weights[row, column]))
    first, _, _, last = (number(float(weights[row, column])) for weights in ways.values())
    rows = {
        "softmax sees": ["−∞" if blocked else score, score, score, number(0) if blocked else score],
        "softmax gives": [first, plain, plain, last],
        "afterwards": [
            "",
            f"× {0 if blocked else 1}",
            f"× {0 if blocked else 1}, ÷ {number(float(ways['0 after softmax'][row].sum()))}",
            "",
        ],
        "<b>weight</b>": [f"<b>{number(float(weights[row, column]))}</b>" for weights in ways.values()],
        "the row sums to": [number(float(weights[row].sum())) for weights in ways.values()],
        "of that, on hidden keys": [
            number(float(weight_on_blocked(weights, scene.blocked)[row])) for weights in ways.values()
        ],
    }
    head = "".join(f"<th>{title}</th>" for title in ("", *ways))
    body = "".join(
        f"<tr><td>{name}</td>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>" for name, cells in rows.items()
    )
    title = f"{asks} → {answers}, {'hidden' if blocked else 'allowed'}, in four ways"
    return cards.card(title, f'<div class="wide" tabindex="0"><table><tr>{head}</tr>{body}</table></div>')


def way_map(scene: Masked, weights: Array, name: str, row: int, column: int, clickable: bool) -> Chart:
    """Return the weights of one way to mask, and how much of them lies where nothing should."""
    sums = weights.sum(axis=1)
    on_hidden = float(weight_on_blocked(weights, scene.blocked).max(initial=0))
    sentence = f"Rows sum to {span(sums)}. On hidden keys: " + (
        f"up to {number(on_hidden)} of a row." if on_hidden else "nothing."
    )
    leaks = scene.blocked & (weights > 0)
    return attention_heatmap(
        weights,
        scene.labels,
        name=name,
        sentence=sentence,
        chosen=(row, column),
        small=True,
        clickable=clickable,
        hidden=scene.blocked & ~leaks,
        moved=leaks,
    )


def span(values: Array) -> str:
    """Return the smallest and the largest of some numbers, or one number where they look the same."""
    low, high = number(float(values.min())), number(float(values.max()))
    return low if low == high else f"between {low} and {high}"


def effect_map(scene: Masked, effect: Array, limit: float, name: str, column: int, clickable: bool) -> Chart:
    """Return how far each output moves when each word is exchanged; grey where it does not move at all."""
    still = effect == 0
    n_moved = int((~still[:, column]).sum())
    sentence = f"Exchange {quoted(scene.labels[column])}, and {n_moved} of {len(effect)} outputs move."
    return heatmap(
        effect,
        scene.labels,
        scene.labels,
        EFFECT_AXES,
        name=name,
        sentence=sentence,
        limit=limit,
        amounts=True,
        hidden=still,
        chosen=(None, column),
        clickable=clickable,
    )


def lights(labels: list[str], moved: Array, title: str) -> str:
    """Return the words with a light each: lit where the output has moved."""
    spans = "".join(
        f'<span class="{"lit" if on else "dark"}">{"●" if on else "○"} {escape(label)}</span>'
        for label, on in zip(labels, moved, strict=True)
    )
    told = f"{int(moved.sum())} of {len(labels)} outputs move"
    return f'<div class="lights"><b>{title}</b> <span class="soft">{told}</span><div class="chips">{spans}</div></div>'


def paint_map(scene: Masked, row: int, column: int) -> Chart:
    """Return the mask as a map that is painted by clicks."""
    texts = np.where(scene.blocked, "−∞", "0").astype(object)
    return heatmap(
        scene.mask,
        scene.labels,
        scene.labels,
        MASK_AXES,
        name="painted mask",
        sentence=f"The mask: 0 is allowed, −∞ is blocked. {hidden_count(scene)}",
        hidden=scene.blocked,
        texts=texts,
        legend=False,
        chosen=(row, column),
        clickable=True,
        turn=int(scene.blocked.sum()),
    )


def reach_map(scene: Masked, needed: Array, row: int) -> Chart:
    """Return after how many layers each word first reaches each output."""
    texts = np.where(needed == 0, "", needed.astype(str)).astype(object)
    n_reached = int((needed[row] > 0).sum())
    sentence = (
        f"After 3 layers {n_reached} of {len(needed)} words can reach the output of {quoted(scene.labels[row])}; "
        f"{int((needed[row] == 1).sum())} of them after the first."
    )
    return heatmap(
        needed.astype(float),
        scene.labels,
        scene.labels,
        REACH_AXES,
        name="layers needed",
        sentence=sentence,
        limit=4.0,
        amounts=True,
        hidden=needed == 0,
        texts=texts,
        legend=False,
        chosen=(row, None),
    )


def rows_map(scene: Masked, places: list[int], rows: Array, row: int) -> Chart:
    """Return the weights with only those rows that were computed."""
    weights = np.zeros_like(scene.masked.weights)
    weights[places] = rows
    waiting = np.ones(weights.shape, dtype=bool)
    waiting[places] = False
    hidden = scene.blocked | waiting
    texts = words_for(hidden, weights)
    texts[hidden] = ""
    texts[waiting] = "?"
    return heatmap(
        weights,
        scene.labels,
        scene.labels,
        ATTENTION_AXES,
        name="rows computed",
        sentence=f"{len(places)} of {len(weights)} rows are computed, each by itself.",
        hidden=hidden,
        texts=texts,
        chosen=(row, None),
        clickable=True,
    )


def layers_map(scene: Masked, moved: Array, limit: float, layer: int, column: int) -> Chart:
    """Return how far each word lies from where it would be without the mask, layer by layer."""
    rows = [f"after layer {i + 1}" for i in range(len(moved))]
    still = moved < 1e-9
    last = " and ".join(str(i + 1) for i in np.flatnonzero(still[:, -1]))
    sentence = (
        f"The last word is where it would be without the mask after layer {last}."
        if last
        else ("The last word lies elsewhere after every layer.")
    )
    return heatmap(
        moved,
        rows,
        scene.labels,
        LAYER_AXES,
        name="moved by the mask",
        sentence=sentence,
        limit=limit,
        amounts=True,
        hidden=still,
        chosen=(layer, column),
        clickable=True,
    )


def two_outputs_card(scene: Masked, without: Array, under: Array, layer: int, column: int) -> str:
    """Return a word's numbers after a layer, without the mask and with it."""
    lines = "".join(
        f"<tr><td>{i + 1}</td><td>{number(a)}</td><td>{number(b)}</td><td>{number(b - a)}</td></tr>"
        for i, (a, b) in enumerate(zip(without[layer, column], under[layer, column], strict=True))
    )
    head = "<tr><th>number</th><th>without</th><th>with the mask</th><th>difference</th></tr>"
    title = f"<b>{escape(scene.labels[column])}</b> after layer {layer + 1}"
    return cards.card(title, f'<div class="wide"><table>{head}{lines}</table></div>')


def output_map(values: Array, labels: list[str], name: str, limit: float, moved: Array) -> Chart:
    """Return outputs, a row for each word; those that have moved are outlined."""
    columns = [str(i + 1) for i in range(values.shape[1])]
    n_moved = int(moved.sum())
    told = {0: "Every word has its row as before"}.get(n_moved, f"{n_moved} of {len(labels)} words have other numbers")
    return heatmap(
        values,
        labels,
        columns,
        OUTPUT_AXES,
        name=name,
        sentence=f"{told}." if "shuffled" in name else "The outputs of the sentence as it stands.",
        limit=limit,
        small=True,
        moved=np.repeat(moved[:, None], values.shape[1], axis=1),
    )


def tiny(value: float) -> str:
    """Return a number that may be as small as a rounding error, as HTML."""
    if value == 0 or value >= 0.01:
        return number(value, 0 if value == 0 else 2)
    digits, power = f"{value:.1e}".split("e")
    return f"{digits} · 10<sup>{number(int(power), 0)}</sup>"


def thumbnails(scene: Masked, n_stages: int) -> list[str]:
    """Return a small picture of each of the first stages; the others would give away what they ask."""
    weights, blocked, mask = scene.masked.weights, scene.blocked, scene.mask

    def others_grey(values: Array, grey: Array) -> Array:
        return np.where(grey, -np.inf, values)

    def leaks() -> Array:
        effect = effects(scene.x, scene.x[::-1], scene.head, mask)
        return others_grey(effect, effect == 0)

    def reach() -> Array:
        needed = layers_needed(reachable(blocked, 3)).astype(float)
        return others_grey(needed, needed == 0)

    def layers() -> Array:
        moved = moved_by_mask(
            word_vectors(scene.words, D_MODEL, scene.seed), random_layers(3, D_MODEL, D_HEAD, scene.seed), mask
        )
        return others_grey(moved, moved < 1e-9)

    odd = np.arange(len(blocked))[:, None] % 2 == 1
    pictures: list[tuple[Callable[[], Array], float | None]] = [
        (lambda: others_grey(weights, blocked), None),
        (lambda: seen(scene.masked), SCORE_LIMIT),
        (lambda: zeroed_after_softmax(scene.plain.scores, blocked), None),
        (leaks, SCORE_LIMIT),
        (reach, SCORE_LIMIT),
        (lambda: others_grey(weights, blocked | odd), None),
        (layers, SCORE_LIMIT),
        (lambda: scene.masked.output, SCORE_LIMIT),
    ]
    return [cards.thumbnail(make(), limit) for make, limit in pictures[:n_stages]]
