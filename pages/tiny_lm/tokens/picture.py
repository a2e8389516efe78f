"""The text in pieces under the hand, and what of it goes into the files of the page."""

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Tokens
from attention_core.experiments.language.each_merge import MergedText
from attention_core.text.byte_pairs import ALPHABET
from pages.charts.chart import Chart
from pages.charts.lines import line_chart
from pages.look.html import whole
from pages.motion.pieces import Line, moving_pieces
from pages.motion.sliders import over_numbers
from pages.page.page import Page
from pages.tiny_lm.model_in_view import visible
from pages.tiny_lm.tokens.learned import Corpus, shown

POINTS = 81  # of a line in the files of the page


def draw_pieces(page: Page, text: str, corpus: Corpus, found: MergedText, ids: Tokens, at: int) -> None:
    """Draw the text in pieces, the merges, and the length by the size of the vocabulary."""
    learned, lines = corpus.learned, lengths(corpus, found)
    characters = [(visible(char), [f"<0x{byte:02X}>" for byte in char.encode()]) for char in text]
    slider = over_numbers("merges", "Merges", range(len(corpus.rows) + 1), at)
    moving_pieces(page, characters, found, corpus.rows, lines, slider)
    pieces = [Markup("<code>{}</code>").format(shown(piece)) for piece in learned.pieces.vocabulary.decode(ids)]
    sentence = Markup("<p>After {} merges the text has {} tokens: {}</p>")
    page.shown.append(sentence.format(whole(at), whole(len(ids)), Markup(" ").join(pieces)))
    page.shown.append(lengths_chart(lines, at))


def lengths(corpus: Corpus, found: MergedText) -> list[Line]:
    """Return the tokens per 100 bytes of the student's text, and of the one that the merges were learned on."""
    lines = [Line("your text", 100 * found.lengths / max(1, len(found.ids)))]
    if corpus.short:
        lines.append(Line(corpus.short, 100 * corpus.learned.lengths / corpus.learned.lengths[0]))
    return lines


def lengths_chart(lines: list[Line], at: int) -> Chart:
    """Return the lengths as a chart, for the files of the page."""
    n_merges = len(lines[0].values) - 1
    merges = np.unique(np.append(np.linspace(0, n_merges, POINTS).round().astype(int), at))
    size = len(ALPHABET) + at
    return line_chart(
        len(ALPHABET) + merges,
        {line.name: line.values[merges] for line in lines},
        x_title="size of the vocabulary",
        y_title="tokens per 100 bytes",
        y_domain=(0, 105),
        name="tokens by size of the vocabulary",
        sentence=f"With a vocabulary of {whole(size)} tokens, 100 bytes are "
        + " and ".join(f"{line.values[at]:.0f} tokens ({line.name})" for line in lines)
        + ".",
        here=size,
        number=".0f",
    )
