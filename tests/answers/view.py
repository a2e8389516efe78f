"""What a student has while a question is open: its text and options, and the numbers and words in view, as shown."""

import html
import re
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property

import numpy as np
import pandas as pd

from pages.questions.kinds import Cell, Choice, Number
from tests.app import steps

MARKS = ((r'<span role="tooltip">.*?</span>', ""), (r"<sup>(.*?)</sup>", r"^\1"), (r"</(p|li|div|h\d|tr)>", "\n"))
MARKS += ((r"</t[dh]>", "\t"), (r"<(?!0x)[^>]*>", ""), ("[\u2066-\u2069]", ""))


def plain(text):
    """Return a text as it is read: without tags and explanations of terms, with ^ before what is raised."""
    for pattern, instead in MARKS:
        text = re.sub(pattern, instead, text)
    return html.unescape(text).strip()


def numbers(text):
    """Return the numbers of a text in their order, ∞ among them; those that are part of a name (Q2, p₁₇) are none."""
    found = re.findall(r"(?<![\w.])([−-]?)\s?((?:\d[\d,]*(?:\.\d+)?(?:e[−-]?\d+)?)|∞)(?!\w)", text)
    return [float((sign and "-") + size.replace(",", "").replace("−", "-").replace("∞", "inf")) for sign, size in found]


def quoted(text):
    return re.findall("“([^”]*)”", text)


def rounded(values, digits):
    """Return numbers with the digits that are shown; halves go away from 0, as in the browser."""
    unit = Decimal(1).scaleb(-digits)
    shown = [
        float(Decimal(value).quantize(unit, ROUND_HALF_UP)) if abs(value) < 1e15 else value
        for value in np.asarray(values, float).ravel().tolist()
    ]
    return np.reshape(shown, np.shape(values)) + 0.0


class Picture:
    """A chart as it is shown: its texts, and its numbers with the digits that stand in it or in its tooltips."""

    def __init__(self, shown):
        self.alt, self.spec = plain(shown.alt), shown.spec
        self.data = shown.data.copy()
        written, pointed = formats(shown.spec, "text"), formats(shown.spec, "tooltip")
        for column in self.data.select_dtypes("floating"):
            if found := re.fullmatch(r"\.(\d)f", written.get(column, pointed.get(column, ""))):
                self.data[column] = rounded(self.data[column], int(found[1]))

    @cached_property
    def table(self):
        """The numbers of a map: a row and a column for each name; NaN where none is shown, or a question mark."""
        row, column, value = self.data.columns[:3]
        cells = self.data["text"].map(lambda x: [*numbers(x), np.nan][0]) if "text" in self.data else self.data[value]
        cells = cells.mask(self.data["hidden"]) if "hidden" in self.data and "text" not in self.data else cells
        shape = self.data["i"].max() + 1, self.data["j"].max() + 1
        rows, columns = self.data[row].tolist()[:: shape[1]], self.data[column].tolist()[: shape[1]]
        return pd.DataFrame(cells.to_numpy(float).reshape(shape), rows, columns)


def matrix_of(picture):
    """Return the shades of a small picture of a matrix as numbers, from the lightest to the darkest."""
    columns = re.search(r"repeat\((\d+),1fr\)", picture)
    shades = [float(shade) for shade in re.findall(r'<i class="[ws](\d+)">', picture)]
    return np.reshape(shades, (-1, int(columns[1]))) if columns else None


def formats(spec, channel, inside=""):
    """Return the formats of the fields that a channel (text, tooltip) of a specification shows."""
    if isinstance(spec, list):
        return {field: found for part in spec for field, found in formats(part, channel, inside).items()}
    if not isinstance(spec, dict):
        return {}
    own = {spec["field"]: spec["format"]} if inside == channel and {"field", "format"} <= spec.keys() else {}
    return own | {field: found for key, part in spec.items() for field, found in formats(part, channel, key).items()}


class View:
    """A question with what stands around it, without what only the page knows: its scene, the key, its results."""

    def __init__(self, question, seen=None, again=None, link=None, task=None):
        self.name, self.kind = question.name.removeprefix("recall_"), type(question).__name__
        self.text = plain(question.text)
        self.options = tuple(map(plain, question.options)) if isinstance(question, Choice) else ()
        self.pictures = [matrix_of(picture) for picture in getattr(question, "pictures", ())]
        self.labels = tuple(question.labels) if isinstance(question, Cell) else ()
        self.digits = question.digits if isinstance(question, Number) else None
        self.link = link or {}  # the settings, as far as they differ from the usual ones
        self.task = task  # a task’s program or lines, in the order in which they are offered
        self.seen, self.again = seen, again

    def options_by(self, *beginnings):
        """Return the options in the order of these beginnings: they are read, in whatever order they stand."""
        assert len(beginnings) == len(self.options)
        return [next(option for option in self.options if option.startswith(begins)) for begins in beginnings]

    @cached_property
    def charts(self):
        return [Picture(shown) for shown in self.seen.charts]

    @cached_property
    def texts(self):
        """What the page says, block by block."""
        return [plain(block) for block in self.seen.html]

    @cached_property
    def words(self):
        """The words of the sentence; of a word that comes twice with their positions."""
        return list(getattr(self.seen.scene, "labels", ()))

    def tried(self, **words):
        """Return the view of a student who has answered, and then chose these settings."""
        found = self.again(**words)
        if not isinstance(found, steps.Seen):
            return found
        view = View.__new__(View)
        view.seen, view.link = found, {**self.link, **words}
        return view

    def filled(self, option):
        """Return a task’s program with an option in its gap."""
        return self.task.replace("____", option)

    def chart(self, *columns):
        """Return the only chart that has these columns of data, or whose first column holds such a name."""
        (found,) = [one for one in self.charts if {*columns} <= {*one.data.columns}]
        return found


def views(lesson, name, link, variants):
    """Yield each question of a step for a link, with a view of it while it is open: those before it are answered."""

    def answered(**words):
        return steps.step(lesson, name, variants=variants, **{**link, **words})

    for asked in answered().page.asked:
        seen = steps.step(lesson, name, unanswered=(asked.name,), variants=variants, **link)
        yield seen.question(asked.name), View(seen.question(asked.name), seen, answered, link)
