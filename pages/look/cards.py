"""Cards and strips that show where a number comes from, as HTML made of the core's numbers."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attention_core.equations.attention import AttentionCache
from attention_core.experiments.qkv.explain import DotProduct, WeightSteps, explain_weight
from attention_core.experiments.scaling.head_metrics import HeadMeasures
from pages.look.facts import as_shown, differs, largest, ordered
from pages.look.html import number, tiny

MEASURES = {
    "entropy": "entropy",
    "previous_word": "token before",
    "first_word": "first token",
    "self": "itself",
    "same_word": "same token",
}
Vector = NDArray[np.floating[Any]]
ROUNDED = Markup('<span class="rounded">Numbers are shown rounded.</span>')
MAX_PRODUCTS = 12  # products in a ledger; of more, the largest eight that are not 0, and the sum of the others


def ledger(
    terms: DotProduct | WeightSteps,
    left: str,
    right: str,
    labels: Sequence[str] | None = None,
    roles: tuple[str, str] = ("", ""),
) -> Markup:
    """Return the products of two vectors as a table with signed bars that share one zero line."""
    longest = max(float(np.abs(terms.products).max(initial=0)), 1e-300)
    first, second = roles
    lines = [
        Markup(
            '<span></span><span class="n {}"><b>{}</b></span><span></span>'
            '<span class="n {}"><b>{}</b></span><span></span><span class="head">product</span><span></span>'
        ).format(first, left, second, right)
    ]
    sizes = np.abs(terms.products)
    counts = [i for i in ordered(sizes) if differs(0.0, sizes[i])] or [0]  # of a slice, no entry outside
    shown = list(range(len(sizes))) if len(sizes) <= MAX_PRODUCTS else sorted(counts[:8])
    for i in shown:
        a, b, product = terms.left[i], terms.right[i], terms.products[i]
        side = "right:50%" if product < 0 else "left:50%"
        width = f"{abs(product) / longest * 50:.1f}%"
        bar = Markup('<i class="{}" style="{};width:{}"></i>').format("minus" if product < 0 else "", side, width)
        lines.append(
            Markup(
                '<span class="of">{}</span><span class="n {}">{}</span><span class="sign">×</span>'
                '<span class="n {}">{}</span><span class="sign">=</span>'
                '<span class="bar">{}</span><span class="n">{}</span>'
            ).format(labels[i] if labels else i + 1, first, number(a), second, number(b), bar, number(product))
        )
    if len(shown) < len(sizes):
        rest = terms.total - float(terms.products[shown].sum())
        line = Markup('<span class="rest">{} others</span><span class="n">{}</span>')
        lines.append(line.format(len(sizes) - len(shown), number(rest)))
    return Markup('<div class="ledger">{}</div>').format(Markup("").join(lines))


def listed(lines: Iterable[tuple[str, str, str]], last: str = "") -> Markup:
    """Return a list of numbers that are texts already: what each is, a note, and the number."""
    line = Markup('<span><span class="gloss">{}</span> <span class="soft">{}</span></span><span class="n">{}</span>')
    texts = Markup("").join(line.format(*texts) for texts in lines)
    return Markup('<div class="chain">{}{}</div>').format(texts, last)


def chain(*lines: tuple[str, str, float]) -> Markup:
    """Return what happens after the sum: what it is, a note, and the number; the last is the result."""
    *before, (what, note, value) = lines
    result = Markup(
        '<span style="align-self:center"><b class="gloss">{}</b> <span class="soft">{}</span></span>'
        '<span class="n result">{}</span>'
    ).format(what, note, number(value))
    exact = [line[2] for line in lines]
    if differs(exact, as_shown(exact)).any():
        result += ROUNDED
    return listed([(what, note, tiny(value) if value > 0 else number(value)) for what, note, value in before], result)


def card(title: str, *parts: str) -> Markup:
    inside = Markup("").join(parts)
    return Markup('<div class="course"><div class="title">{}</div>{}</div>').format(title, inside)


def weight_lines(terms: WeightSteps, width: int) -> list[tuple[str, str, float]]:
    """Return the way from the sum of the products to the weight."""
    lines: list[tuple[str, str, float]] = [
        ("score", "the sum, q · k", terms.total),
        ("scaled score", f"÷ √{width}", terms.score),
    ]
    if terms.blocked:
        return [*lines, ("mask", "this key is masked", -np.inf), ("weight", "", terms.weight)]
    score = terms.score + terms.added
    if terms.added:
        lines.append((f"− {number(-terms.added)}", "distance penalty", score))
    if terms.shift:
        lines.append((f"− {number(terms.shift)}", "largest score of the row", score - terms.shift))
    digits = 4 + sum(terms.exponential >= size for size in (100, 1e3, 1e4))  # of fewer it is another number
    power = number(score - terms.shift, digits)
    raised = Markup("e<sup>{}</sup>").format(power), "", terms.exponential
    return [*lines, raised, ("÷ row sum", sum_of(terms), terms.row_sum), ("weight", "", terms.weight)]


def sum_of(terms: WeightSteps) -> str:
    """Return eight exponentials of a row as a sum, that of the key among them; small ones stay 0.00 beside larger."""
    say, every = number if 0 < as_shown(terms.row_sum) < 1e7 else tiny, terms.row_exponentials
    end = max(8, [*every.tolist(), terms.exponential].index(terms.exponential) + 1)
    return "… + " * (end > 8) + Markup(" + ").join(map(say, every[end - 8 : end])) + " + …" * (len(every) > end)


def weight_card(
    attention: AttentionCache,
    rows: Sequence[str],
    columns: Sequence[str],
    row: int,
    column: int,
    last: str = "weight",
    names: Sequence[str] | None = None,
) -> Markup:
    """Return how a weight of one head came about, or its score or scaled score, which are on the way."""
    steps = explain_weight(attention, row, column)
    lines = weight_lines(steps, attention.q.shape[-1])
    lines = lines[: [what for what, _, _ in lines].index(last) + 1]
    title = Markup('How <b class="query">{}</b> → <b class="key">{}</b> became {}')
    title = title.format(rows[row], columns[column], number(lines[-1][2]))
    return card(title, ledger(steps, "q", "k", names, roles=("query", "key")), chain(*lines))


def chips(labels: Sequence[str], asks: int | None = None, answers: int | None = None, as_what: str = "asks") -> Markup:
    """Return the words of a sentence, the one that asks and the one that answers marked, the first `as_what`."""
    words = []
    for i, label in enumerate(labels):
        role = "both" if i == asks == answers else as_what if i == asks else "answers" if i == answers else ""
        words.append(Markup('<span class="{}">{}</span>').format(role, label))
    return Markup('<div class="course chips">{}</div>').format(Markup("").join(words))


def meters(measures: HeadMeasures, head: int) -> Markup:
    """Return the measures of one head as small bars; where it has the most of all heads, its number is bold."""
    lines = []
    for field, name in MEASURES.items():
        values = getattr(measures, field)
        value, most = number(values[head]), largest(values).places
        bar = Markup('<span><i style="display:block;width:{}%"></i></span>').format(f"{100 * values[head]:.1f}")
        text = Markup("<b>{}</b>").format(value) if head in most and len(most) < len(values) else value
        line = Markup('<span>{}</span>{}<span class="n">{}</span>')
        lines.append(line.format(name, bar, text))
    return Markup('<div class="meters">{}</div>').format(Markup("").join(lines))
