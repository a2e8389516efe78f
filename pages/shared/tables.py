"""Tables of finished texts, as HTML."""

from collections.abc import Sequence


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], bold: int | None = None, left: int = 1, long: int | None = None
) -> str:
    """Return a table of finished texts: so many columns to the left, the others, being numbers, to the right.

    The texts of a `long` column may break anywhere, so that the others stay in sight.
    """

    def place(column: int) -> str:
        broken = "white-space:normal;overflow-wrap:anywhere;min-width:9rem" if column == long else ""
        style = broken if column < left else "text-align:right"
        return f' style="{style}"' if style else ""

    top = "".join(f"<th{place(column)}>{name}</th>" for column, name in enumerate(head))
    lines = []
    for i, row in enumerate(rows):
        cells = "".join(f"<td{place(column)}>{cell}</td>" for column, cell in enumerate(row))
        lines.append(f"<tr{' style=font-weight:600' if i == bold else ''}>{cells}</tr>")
    return f'<div class="wide" tabindex="0"><table><tr>{top}</tr>{"".join(lines)}</table></div>'


def pairs(lines: Sequence[tuple[str, str]]) -> str:
    """Return names and numbers as a small table."""
    rows = [f'<tr><td>{name}</td><td style="text-align:right">{value}</td></tr>' for name, value in lines]
    return f"<table>{''.join(rows)}</table>"
