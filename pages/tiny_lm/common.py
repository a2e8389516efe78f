"""Small maps, texts and lists to choose from that several steps of the lesson draw."""

from html import escape

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from attention_core.arrays import Array, Tokens
from attention_core.model.generate import Decisions
from pages.charts.bars import share_bars
from pages.charts.head_map import head_map
from pages.look.html import number, quoted
from pages.look.sentences import brightest_cell
from pages.look.thumbnails import thumbnail
from pages.page.page import Page
from pages.tiny_lm.model_in_view import Subject, visible

LAST = 12  # tokens in a small map
MOST_CHARTS = 4
SIDE = 96  # pixels of a map that is a picture alone
SHOWN = 8  # of the vocabulary, the likeliest
LONGEST_WORD = 14  # characters that stay on one line


def several(count: int, what: str) -> str:
    """Return how many there are of something."""
    return f"{count:,} {what}{'s' * (count != 1)}"


def head_names(n_layers: int, n_heads: int) -> list[str]:
    """Return the heads as layer.head, or as head alone where there is one layer."""
    if n_layers == 1:
        return [f"head {head + 1}" for head in range(n_heads)]
    return [f"{layer + 1}.{head + 1}" for layer in range(n_layers) for head in range(n_heads)]


def small_maps(page: Page, labels: list[str], weights: Array, name: str, across: int = 2) -> None:
    """Draw where each head (L, H) looks among the last tokens, without axes; of many heads as pictures alone."""
    n_layers, n_heads = weights.shape[:2]
    if n_layers * n_heads > MOST_CHARTS:
        tiny_maps(page, labels, weights)
        return
    first = max(0, len(labels) - LAST)
    grid = st.grid(across, min_column_width=78, gap="xsmall")
    for title, shown in zip(head_names(n_layers, n_heads), weights.reshape(-1, *weights.shape[2:]), strict=True):
        part = shown[first:, first:]
        sentence = f"{name}, {title}: {brightest_cell(part, labels[first:])}"
        with grid.cell(), st.container(gap="xsmall"):
            page.write(f"<b>{title.capitalize()}</b>")
            page.show(head_map(part, labels[first:], name=f"{name} {title}", sentence=sentence), quiet=True)


def tiny_maps(page: Page, labels: list[str], weights: Array) -> None:
    """Write where each head (L, H) looks among the last tokens as pictures alone, many at once."""
    first = max(0, len(labels) - LAST)
    parts = [
        f'<div title="{escape(brightest_cell(part, labels[first:]))}">{thumbnail(part, None, SIDE)}'
        f'<span class="soft">{name}</span></div>'
        for name, part in zip(
            head_names(*weights.shape[:2]),
            weights.reshape(-1, *weights.shape[2:])[:, first:, first:],
            strict=True,
        )
    ]
    page.write(f'<div style="display:flex;flex-wrap:wrap;gap:12px 14px;font-size:.875rem">{"".join(parts)}</div>')


def text_of(subject: Subject, tokens: Tokens) -> str:
    """Return tokens as text for HTML, its line ends shown."""
    space = " " if subject.unit == "word" else ""
    return escape(space.join(subject.vocabulary.decode(tokens)).replace("\n", "⏎"))


def continued(subject: Subject, tokens: Tokens) -> str:
    """Return the prompt and what was written after it."""
    space = " " if subject.unit == "word" else ""
    return f'<div class="spoken"><b>{text_of(subject, subject.tokens)}</b>{space}{text_of(subject, tokens)}</div>'


def largest_look(labels: list[str], weights: Array) -> tuple[str, str, float]:
    """Return the head (L, H) with the largest weight from the last token, where that lies, and the weight."""
    looks = weights[:, :, -1]
    layer, head, key = np.unravel_index(looks.argmax(), looks.shape)
    name = head_names(*weights.shape[:2])[int(layer) * weights.shape[1] + int(head)]
    return name, labels[int(key)], float(looks.max())


def chosen_place(page: Page, subject: Subject) -> int:
    """Draw the list of positions, and return the one that is chosen."""
    labels = subject.labels
    return labels.index(page.controls.select("at", "Position", labels, labels[-1], width=170))


def chosen_layer(page: Page, n_layers: int) -> int:
    """Draw the list of layers, and return the one that is chosen."""
    names = [f"layer {layer + 1}" for layer in range(n_layers)]
    return names.index(page.controls.select("block", "Layer", names, names[0], width=120))


def loss_ceiling(subject: Subject) -> float:
    """Return the end of the axes for losses: what knows nothing loses two thirds of it."""
    return float(np.ceil(1.5 * np.log(len(subject.vocabulary))))


def written(
    subject: Subject,
    found: Decisions,
    n_new: int,
    picked: int | None = None,
    again: NDArray[np.bool_] | None = None,
    ends: bool = True,
) -> str:
    """Return the prompt and what was written after it, with a bar under each new token: its share in the bet.

    One token may be `picked`, which frames it; those that come `again` are underlined. It `ends` with a gap to fill.
    """
    space = " " if subject.unit == "word" else ""
    parts = [f"<b>{escape(space.join(subject.words))}</b>{space}"]
    open_word, close_word = ("", "") if space else ("<em>", "</em>")
    parts.append(open_word)
    together = 0  # characters of a word, which stays on one line
    for place in range(n_new):
        token = int(found.tokens[place])
        share = float(found.bets[place, token])
        text = subject.vocabulary.tokens[token]
        height = f'<i style="height:{max(1.0, 11 * share):.1f}px"></i>'
        label = f"{visible(text)}: {number(share)}"
        marks = [*(["picked"] if place == picked else []), *(["again"] if again is not None and again[place] else [])]
        mark = f' class="{" ".join(marks)}"' if marks else ""
        shown = text if text.strip() else visible(text) if place == picked else " "
        parts.append(f'<span{mark} title="{escape(label)}">{escape(shown)}{height}</span>{space}')
        if text == "\n":
            parts.append("<br>")
        together = together + 1 if text.strip() and together < LONGEST_WORD else 0
        if not together:  # a line may break here
            parts.append(close_word + open_word)
    gap = f'<span class="next{" picked" if picked == n_new else ""}">?</span>' if ends else ""
    return f'<div class="spoken">{"".join(parts)}{gap}{close_word}</div>'


def bet_bars(page: Page, subject: Subject, bets: Array, name: str = "bet", most: int = SHOWN, whose: str = "") -> None:
    """Draw the likeliest tokens as bars, and say `whose` numbers they are where nothing else near by does."""
    order = np.argsort(-bets, kind="stable")[:most]
    best, rest = int(order[0]), 1 - float(bets[order].sum())
    left = f" The other {len(bets) - most} share {number(max(rest, 0.0))}." if len(bets) > most else ""
    chart = share_bars(
        [subject.token(int(token)) for token in order],
        bets[order],
        name=name,
        sentence=f"The model bets most on {quoted(subject.token(best))}: {bets[best]:.2f}.{left}",
        highlight=0,
        title="share",
        of=subject.unit,
    )
    page.show(chart, note=escape(whose))


def too_short(page: Page, subject: Subject) -> bool:
    """Say of a prompt of one token that it is no training text; tell whether it is."""
    if short := len(subject.tokens) < 2:
        page.say(f"One {subject.unit} alone has nothing after it to bet on. Write a second one into the prompt.")
    return short
