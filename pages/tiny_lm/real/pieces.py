"""The student's text in the tokens of the pretrained model, byte by byte where they are no whole characters."""

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Tokens
from attention_core.pretrained import PretrainedModel
from attention_core.text.word_vectors import position_labels
from pages.look.html import number, table
from pages.page.page import Page
from pages.tiny_lm.common import several
from pages.tiny_lm.model_in_view import visible
from pages.tiny_lm.real.measured import read_by_stories, stories_pieces
from pages.tiny_lm.real.model import chosen_position, model_name, pieces_of


def draw_tokens(page: Page, real: PretrainedModel, ids: Tokens) -> None:
    """Show the text in tokens, each with its id, beside those of Small Stories; and the bytes of one of them."""
    pieces = pieces_of(real, ids)
    labels = position_labels(pieces)
    text = real.decode(ids)
    n_bytes = sum(map(len, map(real.tokeniser.bytes_of, ids.tolist())))
    page.heading(f"Tokens of {model_name()}", small=True)
    page.write(chips(pieces, ids))
    page.write(counted(len(ids), n_bytes, real.config.vocab_size), "note")
    own = page.recipe.given("pieces", read_by_stories(text, len(text.encode())))
    page.heading("Tokens of Small Stories", small=True)
    vocabulary = stories_pieces()
    page.write(chips([visible(piece) for piece in vocabulary.decode(own)], own))
    page.write(counted(len(own), n_bytes, len(vocabulary)), "note")
    page.heading("One token", small=True)
    place = chosen_position(page, labels)
    page.prints(f"id of the token {labels[place]}", ids, place)
    content = real.tokeniser.bytes_of(int(ids[place]))
    rows = [
        ("id", number(int(ids[place]), 0)),
        ("text", Markup("<code>{}</code>").format(pieces[place])),
        ("bytes", Markup("<code>{}</code>").format(content.hex(" ").upper())),
    ]
    page.write(table((f"position {place + 1} of {len(ids)}", ""), rows, left=2))
    page.say(
        "Both vocabularies merge frequent pairs of **bytes**. A rare character has several tokens, each with some of "
        "its bytes, such as `<0xE2><0x80>`. A larger vocabulary has longer tokens.",
        "note",
    )


def chips(pieces: list[str], ids: Tokens) -> Markup:
    """Return tokens in their order, each with its id."""
    chip = Markup('<span>{} <small class="soft">{}</small></span>')
    each = Markup("").join(chip.format(piece, f"{token:,}") for piece, token in zip(pieces, ids.tolist(), strict=True))
    return Markup('<div class="course chips">{}</div>').format(each)


def counted(n_tokens: int, n_bytes: int, vocab_size: int) -> str:
    """Return how many tokens the text has."""
    each = np.divide(n_bytes, n_tokens)
    return (
        f"{several(n_tokens, 'token')} for {several(n_bytes, 'byte')}: {number(float(each), 1)} bytes per token. "
        f"The vocabulary has {vocab_size:,} tokens."
    )
