"""What a student can keep: a chart as picture and table, the arrays of a view, and the page as one file."""

import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from csv import QUOTE_NONNUMERIC
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup, escape

from pages.charts.chart import Chart, drawable
from pages.look.colours import INK, PAPER, RULE, SOFT
from pages.look.style import STYLE

PICTURE_WIDTH = 640
# Some spreadsheets compute what begins with one of the wide signs. Many part a line at ; or at a tab, within quotes too
# if a comma came before. What nobody sees may stand before the sign: what is neither of ASCII nor of a word is skipped,
# and so are the four letters of Hangul that are blank.
FORMULA = re.compile(r"(?s)(^|[;\t\r\n])(?=([^\w!-~\t\r\n＝＋－＠]|[\u115f\u1160\u3164\uffa0])*[=+\-@＝＋－＠\t\r].)")
DOCUMENT = Path(__file__).with_name("document.html").read_text("utf-8")


def csv(chart: Chart) -> bytes:
    """Return the data of a chart as a file for a spreadsheet, with the mark by which Excel knows UTF-8."""
    return table(chart).to_csv(index=False, quoting=QUOTE_NONNUMERIC).encode("utf-8-sig")


def table(chart: Chart) -> pd.DataFrame:
    """Return the data of a chart as a spreadsheet may read it."""
    return chart.table.map(text_alone)


def csv_of(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table as a spreadsheet may read it."""
    return pd.DataFrame(rows, columns=list(head)).map(text_alone).to_csv(index=False, quoting=QUOTE_NONNUMERIC)


def text_alone(value: Any) -> Any:
    """Return a cell of a table, with an apostrophe where a spreadsheet would run what follows as a formula."""
    return FORMULA.sub(r"\1'", value) if isinstance(value, str) else value


def svg(chart: Chart) -> str:
    import vl_convert  # slow to load, and rarely asked for

    return vl_convert.vegalite_to_svg(printable(chart))


def png(chart: Chart) -> bytes:
    import vl_convert

    return vl_convert.vegalite_to_png(printable(chart), scale=2)


def printable(chart: Chart) -> dict[str, Any]:
    """Return a specification of fixed width; outside a page there is no container to measure."""
    text = json.dumps(drawable(chart, width=PICTURE_WIDTH), default=float)
    return json.loads(text.replace("containerSize()[0]", str(PICTURE_WIDTH)))


def npz(arrays: dict[str, np.ndarray[Any, Any]]) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return file.getvalue()


def captioned(blocks: Iterable[Markup | Chart]) -> Iterator[tuple[Chart | None, Markup]]:
    """Return each text by itself, and each chart with its caption: the text below it that says what it shows."""
    chart: Chart | None = None
    for block in [*blocks, Markup()]:
        text = block if isinstance(block, Markup) else None
        is_caption = chart is not None and text is not None and escape(chart.sentence) in text
        if chart is not None and not is_caption:
            yield chart, escape(chart.sentence)
        if text is not None:
            yield chart if is_caption else None, text
        chart = block if isinstance(block, Chart) else None


def document(title: str, blocks: Iterable[Markup | Chart], footer: Markup) -> str:
    """Return a page as one HTML file that opens offline, with interactive charts."""
    import vl_convert

    charts: list[dict[str, Any]] = []
    body = []
    for chart, text in captioned(blocks):
        if chart is None:
            body.append(text)
            continue
        figure = Markup('<figure><div class="chart" id="chart-{}"></div><figcaption>{}</figcaption></figure>')
        body.append(figure.format(len(charts), text))
        charts.append(drawable(chart))
    library = vl_convert.javascript_bundle() if charts else ""  # type: ignore[call-arg]  # its snippet is optional
    return DOCUMENT.format(
        title=str(escape(title)),
        paper=PAPER.light,
        ink=INK.light,
        soft=SOFT.light,
        rule=RULE.light,
        style=STYLE,
        library=library.replace("</script", "<\\/script"),
        body=str(Markup("").join(body)),
        footer=str(footer),
        charts=json.dumps(charts, default=float).replace("<", "\\u003c"),  # no word can end or hide the script
    )
