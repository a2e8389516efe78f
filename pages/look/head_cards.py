"""What each head does in numbers, as small bars."""

from markupsafe import Markup

from attention_core.experiments.scaling.head_metrics import HeadMeasures
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
