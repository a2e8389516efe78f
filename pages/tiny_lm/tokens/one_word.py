"""One word in several forms: for a model these are different tokens."""

from functools import cache

import numpy as np
from markupsafe import Markup

from attention_core.experiments.language.each_merge import ids_after, merged_text
from attention_core.text.byte_pairs import BytePairs
from attention_core.text.characters import truncate_word
from attention_core.text.stories import N_MERGES, story_pieces
from attention_core.text.story_words import STORY_THINGS
from pages.look.facts import several
from pages.look.html import commas, quoted, seen, table
from pages.page.page import Page
from pages.questions.kinds import Choice
from pages.tiny_lm.tokens.learned import shown

WORD = "kite"
DIFFERENT = (
    "After {merges}, {forms} forms of {word} are {count} different sequences of ids. The model reads nothing but the "
    "ids, so training must show it that they are related."
)
ASKED = (
    "After {merges} merges on small stories, {whole} is one token. In order, these merges make it: {steps}. How is "
    "{word} without a space encoded?"
)
SAME, OTHER = "1 token, with the same id", "1 token, with another id"


def draw_forms(page: Page, pieces: BytePairs, at: int) -> None:
    word = truncate_word(page.controls.text("word", "Word", WORD, width=220).strip()) or WORD
    word = word.encode(errors="replace").decode()
    rows, cut = [], set()
    for how, form in forms_of(word).items():
        found = page.recipe.run("form", merged_text, pieces, form)
        ids = page.recipe.run("form_ids", ids_after, found, at)
        cut.add(tuple(ids.tolist()))
        tokens = [Markup("<code>{}</code>").format(shown(piece)) for piece in pieces.vocabulary.decode(ids)]
        rows.append((how, Markup(" | ").join(tokens), ", ".join(map(commas, ids)), commas(len(ids))))
    page.write(table(("", "tokens", "ids", "how many"), rows, left=3, long=1))
    words = {"merges": several(at, "merge"), "word": quoted(seen(word))}
    page.write(DIFFERENT.format(forms=len(rows), count=len(cut), **words), "note")


def forms_of(word: str) -> dict[str, str]:
    return {
        "after a space": f" {word}",
        "without a space": word,
        "with a capital": f" {word.capitalize()}",
        "in capitals": f" {word.upper()}",
        "plural": f" {word}s",
    }


def merges_inside(text: str) -> list[tuple[str, str]]:
    """Return the pairs that are merged in a text of the stories, in order."""
    pieces = story_pieces()
    pairs = [*pieces.parts.values()]
    inside = [pairs[merge - 1] for merge in np.unique(merged_text(pieces, text).joined) if merge <= len(pairs)]
    return [(shown(pieces.vocabulary.tokens[left]), shown(pieces.vocabulary.tokens[right])) for left, right in inside]


def cut_alone(word: str) -> list[str]:
    """Return the tokens of a word without a space before it."""
    pieces = story_pieces()
    return [shown(piece) for piece in pieces.vocabulary.decode(pieces.encode(word))]


@cache
def words_to_ask() -> tuple[str, ...]:
    """Return words that are one token after a space and several without, by the same merges."""
    return tuple(
        word
        for word in STORY_THINGS
        if len(story_pieces().encode(f" {word}")) == 1
        and 1 < len(cut_alone(word)) < len(word)
        and {*cut_alone(word)} <= {*word, *("".join(pair) for pair in merges_inside(f" {word}"))}
    )


def space_question(variant: int) -> Choice:
    """Ask how a word that is one token with its space is cut without it."""
    word = words_to_ask()[variant % len(words_to_ask())]
    steps = ", ".join(" + ".join(pair) for pair in merges_inside(f" {word}"))
    whole, alone = quoted("␣" + word), cut_alone(word)
    letters, pieces = (f"{several(len(cut), 'token')}: {' | '.join(cut)}" for cut in (word, alone))
    wrong = {
        letters: "You stopped at single letters. Merges without a space still apply.",
        SAME: f"You ignored the space. It is a byte of {whole}, so that token does not fit.",
        OTHER: "You gave the word a token that no merge makes. The last merge of the list needs the space.",
    }
    text = ASKED.format(merges=commas(N_MERGES), whole=whole, steps=steps, word=quoted(word))
    why = "The space is a part of the token. Without it, only the merges of the remaining letters apply."
    return Choice.of("space", text, pieces, why, wrong, [variant])
