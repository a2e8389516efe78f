"""How well a model predicts and what its heads attend to, in a few numbers that fit its training data."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.language.held_out import accuracy, link_scores, previous_scores, recall_scores
from attention_core.model.parameters import Model
from attention_core.text.corpora import Source
from pages.look.facts import largest
from pages.look.html import number
from pages.tiny_lm.common import long_name

JOBS = {  # links of Toy English, as what a head does for them
    "pronoun": "from “it” to its animal",
    "adjective": "from a noun to its adjective",
    "same": "from a thing to its mention before",
}


class Measured(NamedTuple):
    """A number that was measured of a model, and of which of its heads."""

    what: str
    value: float
    where: str = ""


def findings(model: Model, source: Source) -> Iterator[Measured]:
    """Yield what can be measured of a model, on sequences that it was not trained on."""
    counts = {"pronoun": "accuracy: verb after the pronoun", "recall": "accuracy: digit of a repeated letter"}
    yield Measured(counts.get(source.name, f"accuracy: next {source.unit}"), accuracy(model, source))
    for kind in JOBS if source.name == "english" else ["pronoun"] if source.name == "pronoun" else []:
        yield best(JOBS[kind], link_scores(model, source, kind))
    if source.name == "recall":
        yield best("from a letter to its digit", recall_scores(model, source))
    yield best(f"to the {source.unit} before", previous_scores(model, source))


def best(what: str, scores: Array) -> Measured:
    layer, head = largest(scores).cell
    return Measured(f"mean attention weight {what}", float(scores.max()), long_name(len(scores), layer, head))


def findings_table(rows: Iterable[Measured]) -> Markup:
    where = Markup('<td class="soft" style="white-space:nowrap">{}</td>')
    line = Markup('<tr><td>{}</td><td style="text-align:right"><b>{}</b></td>') + where + Markup("</tr>")
    lines = Markup("").join(line.format(row.what, number(row.value), row.where) for row in rows)
    return Markup("<table>{}</table>").format(lines)
