"""Heads side by side: what each does in numbers, how one of its weights came about, and buttons to choose one."""

from collections.abc import Sequence

from markupsafe import Markup

from attention_core.equations.attention import AttentionCache
from attention_core.experiments.qkv.explain import explain_weight
from attention_core.experiments.scaling.head_metrics import HeadMeasures
from pages.look import cards
from pages.look.html import number

MEASURES = {
    "entropy": "entropy",
    "previous_word": "word before",
    "first_word": "first word",
    "self": "itself",
    "same_word": "same word",
}


def meters(measures: HeadMeasures, head: int, unit: str = "word") -> Markup:
    """Return the measures of one head as small bars; where it has the most of all heads, its number is bold."""
    lines = []
    for field, name in MEASURES.items():
        values = getattr(measures, field)
        value = number(values[head])
        most = values[head] == values.max() > 0 and len(values) > 1
        bar = Markup('<span><i style="display:block;width:{}%"></i></span>').format(f"{100 * values[head]:.1f}")
        text = Markup("<b>{}</b>").format(value) if most else value
        line = Markup('<span>{}</span>{}<span class="n">{}</span>')
        lines.append(line.format(name.replace("word", unit), bar, text))
    return Markup('<div class="meters">{}</div>').format(Markup("").join(lines))


def weight_card(
    attention: AttentionCache,
    rows: Sequence[str],
    columns: Sequence[str],
    row: int,
    column: int,
    last: str = "weight",
    names: Sequence[str] | None = None,
) -> Markup:
    """Return how a weight of one head came about, or its score or scaled score, which are on the way.

    `names` are those of the columns of q and k, if they have any.
    """
    steps = explain_weight(attention, row, column)
    lines = cards.weight_lines(steps, attention.q.shape[-1])
    lines = lines[: [what for what, _, _ in lines].index(last) + 1]
    title = Markup('How <b class="query">{}</b> → <b class="key">{}</b> became {}')
    title = title.format(rows[row], columns[column], number(lines[-1][2]))
    return cards.card(title, cards.ledger(steps, "q", "k", names, roles=("query", "key")), cards.chain(*lines))
