"""Text on its way to the page: what a student typed stays text, and our own prose may use a few marks.

HTML is `Markup`, made by `Markup("<b>{}</b>").format(word)`, which escapes the word. Any other string is text.
"""

import math
import re
from collections.abc import Callable, Collection, Sequence
from unicodedata import category

from markupsafe import Markup, escape

from attention_core.text.characters import BYTE_ORDER_MARK, DIRECTIONS, WORD_JOINER
from pages.look.glossary import explained

MARKS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\[\[([^\[\]]+)\]\]"), explained),  # a term, with its meaning
    (re.compile(r":(query|key|value)\[([^\[\]]+)\]"), r'<span class="\1">\2</span>'),
    (re.compile(r"\*\*(.+?)\*\*"), r"<b>\1</b>"),
    (re.compile(r"\*(.+?)\*"), r"<i>\1</i>"),
    (re.compile(r"`(.+?)`"), r"<code>\1</code>"),
    (  # W_Q, d_k; in code they stand as they are typed
        re.compile(r"<code>(?:(?!<code>).)*?</code>|\b([A-Za-z])_([A-Za-z]+)(?=ᵀ|\b)"),
        lambda found: f"{found[1]}<sub>{found[2]}</sub>" if found[1] else found[0],
    ),
)
SYMBOL = re.compile(r"(?<![\u2068\w])([dW])_(k|v|model|Q|K|V|O)(?!\w)")  # not in quotation marks: a student may type it
SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:^=&@/])")
DRAWN = re.compile(r"(?<=-)(?=[->])|(?<=<)(?=[-=])|(?<=[>~])(?==)|(?<=:)(?=streamlit:)")  # -> as an arrow, and such
SMALL = re.compile(r"<(sup|sub)>([^<]*)</\1>")
SMALLER = {
    "sup": (str.maketrans("0123456789-−.", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻·"), "^"),
    "sub": (str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"), "_"),
}
BYTES = ("B", "kB", "MB", "GB")
STEERING = frozenset(DIRECTIONS + WORD_JOINER + BYTE_ORDER_MARK)
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
UP = 1 + 1e-12  # halves go up, also those that rounding has left a little below


def inline(text: str) -> Markup:
    """Return one line of our own prose as HTML."""
    marked = str(escape(text))
    for pattern, replacement in MARKS:
        marked = pattern.sub(replacement, marked)
    return Markup(marked)  # noqa: S704  escaped above; the marks alone were made tags


def caption(text: str) -> Markup:
    """Return a sentence, which may hold a student's words, as HTML: no mark in it counts, symbols do; markup stays."""
    said = SYMBOL.sub(r"\1<sub>\2</sub>", str(escape(text)))
    return text if isinstance(text, Markup) else Markup(said)  # noqa: S704  escaped; the symbols alone made tags


def indexed(text: str) -> str:
    """Return a text for a place that reads no HTML, in which d_k and d_v have an index."""
    return text.replace("d_k", "dₖ").replace("d_v", "dᵥ")


def as_plain_text(text: str) -> str:
    """Return what may be markup as a text that keeps its powers and indices: e¹·⁵¹, dₖ, W_Q."""
    apart = Markup(SMALL.sub(beside, caption(text)).replace("</p>", " ").replace("<br>", " "))  # noqa: S704  as above
    return indexed(apart.striptags())


def beside(found: re.Match[str]) -> str:
    """Return a power or an index as it stands in a line of text."""
    tag, text = found.groups()
    table, mark = SMALLER[tag]
    if all(ord(char) in table for char in text):
        return text.translate(table)
    return mark + (text if text.isalnum() else f"({text})")


def prose(text: str, **words: str) -> Markup:
    """Return our own sentences as HTML: a blank line parts paragraphs, **bold**, *italic*, `code`, :query[role].

    {name} stands for a student's word, which is quoted, or for markup. Both are put in last: no mark in them counts.
    """
    paragraphs = [Markup("<p>{}</p>").format(part.strip()) for part in inline(text).split("\n\n")]
    marked = Markup("").join(paragraphs)
    inside = {name: word if isinstance(word, Markup) else quoted(word) for name, word in words.items()}
    return marked.format(**inside) if words else marked


def quoted(word: str) -> str:
    """Return a student's word in quotation marks; isolated, so that a right-to-left word stays between them."""
    return f"“\u2068{word}\u2069”"


def in_role(word: str, role: str) -> Markup:
    """Return a word in the colour of its role: query, key or value."""
    return Markup('<b class="{}">{}</b>').format(role, word)


def plain(text: str) -> str:
    """Return a student's word for a place that reads Markdown, such as the label of a widget.

    What Streamlit draws after it has read the Markdown cannot be escaped, but it can be kept apart.
    """
    return SPECIAL.sub(r"\\\1", DRAWN.sub(WORD_JOINER, " ".join(seen(text).split())))


def seen(text: str) -> str:
    """Return a text with its invisible and steering characters made visible."""
    if text.isascii() and text.isprintable() and not text.isspace():
        return text
    signs = "".join(sign(char) if steers(char) else char for char in text)
    blank = all(category(char) in ("Cf", "Zs") for char in signs)
    return "".join(map(code_point, signs)) if blank else "◌" + signs if category(signs[0])[0] == "M" else signs


def steers(char: str) -> bool:
    """Return True for control characters, lone surrogates and bidirectional marks."""
    return category(char) in ("Cc", "Cs", "Zl", "Zp") or char in STEERING


def sign(char: str) -> str:
    """Return a visible stand-in for an invisible character."""
    return chr(0x2400 + ord(char)) if char < " " else code_point(char)


def code_point(char: str) -> str:
    """Return a character's code point, as Unicode writes it."""
    return f"U+{ord(char):04X}"


def number(value: float, digits: int = 2) -> str:
    """Return a number with a true minus. There is no −0; overflows are ∞, −∞ and NaN; halves go up, as in pictures."""
    exact = float(value)
    small = math.isfinite(exact) and abs(exact) < 10.0 ** (11 - digits)  # of larger ones it would change what is shown
    raised = exact * UP if small else exact
    text = f"{raised:,.{digits}f}"
    if not text.strip("-0."):
        text = text.lstrip("-")
    return {"inf": "∞", "-inf": "−∞", "nan": "NaN"}.get(text, text.replace("-", "−"))


def power_of_ten(value: float) -> str:
    """Return a number with two digits and a power of ten, as text that is also right where no HTML is read."""
    digits, power = f"{value:.1e}".split("e")
    return f"{digits.replace('-', '−')} · 10{str(int(power)).translate(RAISED)}"


def short(value: float, digits: int = 2) -> str:
    """Return a number of any size with few digits."""
    if value >= 100:
        return number(value, 0)
    if 5e-5 <= value < 1e-4:  # where Python would write 8.0e-05
        return number(value, 6)
    return number(value, digits) if value >= 0.095 or value < 5e-5 else f"{value * UP:#.2g}"


def significant(value: float) -> str:
    """Return a number with four significant digits, enough to check a chain of them, or as a power of ten."""
    if not math.isfinite(value) or value == 0:
        return number(value)
    if 0.001 <= abs(value) < 10_000:
        return number(value, 3 - math.floor(math.log10(abs(value))))
    return power_of_ten(value)


def tiny(value: float) -> str:
    """Return an amount; what is below 0.01 or has more than seven digits as a power of ten."""
    return power_of_ten(value) if 0 < value < 0.01 or value >= 1e7 else number(value, 2 if value else 0)


def residual(gap: float, power: int = -12) -> str:
    """Return how far two ways to the same numbers are apart; the digits of rounding differ between processors."""
    return f"below 10{str(power).translate(RAISED)}" if gap < 10.0**power else tiny(gap)


def commas(value: float) -> str:
    """Return a whole number with commas between thousands."""
    return number(value, 0)


def percent(fraction: float, digits: int = 0) -> str:
    return f"{number(100 * fraction, digits)} %"


def memory(n_bytes: float) -> str:
    """Return an amount of memory with its unit: 16 B, 1.2 kB, 3.4 GB."""
    place = 0
    while n_bytes >= 1000 and place < len(BYTES) - 1:
        n_bytes, place = n_bytes / 1000, place + 1
    return f"{number(n_bytes, 1 if place else 0)} {BYTES[place]}"


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    bold: int | None = None,
    left: int | Collection[int] = 1,
    long: int | None = None,
    folds: bool = False,
) -> Markup:
    """Return a table: the columns `left` (or the first so many) are aligned left, the others, which are numbers, right.

    The texts of a `long` column may break anywhere, so that the others stay in sight. On a narrow screen those of all
    columns may, if it `folds`.
    """
    texts = range(left) if isinstance(left, int) else left

    def opening(tag: str, column: int) -> Markup:
        broken = "white-space:normal;overflow-wrap:anywhere;min-width:clamp(6rem,25vw,9rem)" if column == long else ""
        style = broken if column in texts else "text-align:right"
        return Markup('<{} style="{}">').format(tag, style) if style else Markup("<{}>").format(tag)

    openings = {tag: [opening(tag, column) for column in range(len(head))] for tag in ("th", "td")}

    def line(tag: str, row: Sequence[str], style: str = "") -> Markup:
        end = Markup("</{}>").format(tag)
        cells = (start + text + end for start, text in zip(openings[tag], row, strict=True))
        return Markup("<tr{}>{}</tr>").format(style, Markup("").join(cells))

    lines = [line("td", row, " style=font-weight:600" if i == bold else "") for i, row in enumerate(rows)]
    return Markup('<div class="wide{}" tabindex="0"><table>{}{}</table></div>').format(
        " folds" if folds else "", line("th", head), Markup("").join(lines)
    )


def pairs(lines: Sequence[tuple[str, str]]) -> Markup:
    """Return names and numbers as a table of two columns."""
    row = Markup('<tr><td>{}</td><td style="text-align:right">{}</td></tr>')
    return Markup("<table>{}</table>").format(Markup("").join(row.format(name, value) for name, value in lines))
