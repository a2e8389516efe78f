"""Tables, as HTML."""

from collections.abc import Sequence

from markupsafe import Markup

from pages.shared.markup import html


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], bold: int | None = None, left: int = 1, long: int | None = None
) -> Markup:
    """Return a table: so many columns to the left, the others, being numbers, to the right.

    The texts of a `long` column may break anywhere, so that the others stay in sight.
    """

    def cell(tag: str, column: int, text: str) -> Markup:
        broken = "white-space:normal;overflow-wrap:anywhere;min-width:9rem" if column == long else ""
        style = broken if column < left else "text-align:right"
        return Markup("<{0}{1}>{2}</{0}>").format(tag, Markup(' style="{}"').format(style) if style else "", html(text))

    def line(tag: str, texts: Sequence[str], style: str = "") -> Markup:
        cells = Markup("").join(cell(tag, column, text) for column, text in enumerate(texts))
        return Markup("<tr{}>{}</tr>").format(style, cells)

    lines = [line("td", row, " style=font-weight:600" if i == bold else "") for i, row in enumerate(rows)]
    return Markup('<div class="wide" tabindex="0"><table>{}{}</table></div>').format(
        line("th", head), Markup("").join(lines)
    )


def pairs(lines: Sequence[tuple[str, str]]) -> Markup:
    """Return names and numbers as a small table."""
    row = Markup('<tr><td>{}</td><td style="text-align:right">{}</td></tr>')
    rows = Markup("").join(row.format(html(name), html(value)) for name, value in lines)
    return Markup("<table>{}</table>").format(rows)
