"""One story that two models continue differently, and which rule fits what the larger one says."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.inside.claim_texts import KITES, kite_story
from attention_core.experiments.inside.real_claims import shipped_claims
from attention_core.experiments.inside.real_reading import real_predictions
from pages.charts.bars import fraction_bars
from pages.look.html import number, quoted, table
from pages.page.page import Page
from pages.questions.kinds import Choice
from pages.server.pretrained import ModelInWorker
from pages.tiny_lm.model_in_view import visible
from pages.tiny_lm.real.measured import array, read_by_stories, stories_pieces
from pages.tiny_lm.real.model import MAX_TOKENS, computed, pieces_of, record_toy

SHOWN = 5  # of the vocabulary, the likeliest
Likeliest = list[tuple[str, float]]  # next tokens with their probabilities, likeliest first
RULES = {  # what a model may say, and what it would say of each story
    "The colour of the kite": ("red", "blue", "red", "green"),
    "The colour of the ball": ("blue", "red", "blue", "yellow"),
    "The colour that is named last": ("blue", "red", "red", "yellow"),
    "Always blue": ("blue",) * len(KITES),
}


def draw_kite(page: Page, name: str, real: ModelInWorker | None) -> bool:
    """Ask which rule fits what the pretrained model says of the kite; then let students try other colours."""
    found = [said_by_real(page, real, colours) for colours in KITES]
    toys = [said_by_stories(page, colours) for colours in KITES]

    def show(place: int) -> None:
        colours = list(KITES)[place]
        page.write(Markup('<div class="spoken small">… {} … “My kite is <b>?</b></div>').format(KITES[colours]))
        for column, who, likeliest in zip(
            st.columns(2, gap="large"), (name, "Small Stories"), (found[place], toys[place]), strict=True
        ):
            with column:
                next_bars(page, who, likeliest)

    if not page.ask(rule_question(name, found, toys), blank=lambda: show(0)):
        return False
    colours = page.controls.choice("kite", "Story", list(KITES), next(iter(KITES)))
    place = list(KITES).index(colours)
    page.prints(
        f"probability that Small Stories gives its top token, {colours}", f"toy_kite_{place}.probabilities", -1, 0
    )
    show(place)
    rows = [
        [said, *(f"{quoted(likeliest[0][0])} {number(likeliest[0][1])}" for likeliest in both)]
        for said, *both in zip(KITES, found, toys, strict=True)
    ]
    page.write(table(["story", name, "Small Stories"], rows, left=3, folds=True))
    return True


def said_by_real(page: Page, real: ModelInWorker | None, colours: str) -> Likeliest:
    """Return what the pretrained model predicts after a story, or what was measured where there is none."""
    if real is None:
        return [(visible(piece), share) for piece, share in shipped_claims()["kite"][colours][:SHOWN]]
    ids = array(real.tokeniser.encode(kite_story(colours), special=False)[-min(MAX_TOKENS, real.config.max_len) :])
    found = computed(page, f"kite_{list(KITES).index(colours)}", real_predictions, real, ids)
    shares = found.probabilities[-1, :SHOWN].tolist()
    return list(zip(pieces_of(real, found.tokens[-1, :SHOWN]), shares, strict=True))


def said_by_stories(page: Page, colours: str) -> Likeliest:
    """Return what Small Stories predicts after a story."""
    place, stories = list(KITES).index(colours), record_toy(page, "stories", "stories")
    ids = page.recipe.given(f"story_{place}", read_by_stories(kite_story(colours)))
    found = page.recipe.run_once(f"toy_kite_{place}", real_predictions, stories, ids)
    pieces = [visible(stories_pieces().tokens[token]) for token in found.tokens[-1, :SHOWN].tolist()]
    return list(zip(pieces, found.probabilities[-1, :SHOWN].tolist(), strict=True))


def next_bars(page: Page, who: str, likeliest: Likeliest) -> None:
    words, shares = zip(*likeliest, strict=True)
    page.write(Markup("<b>{}</b>").format(who))
    chart = fraction_bars(
        list(words),
        np.array(shares),
        name=f"prediction of {who}",
        sentence=f"{who} predicts {quoted(words[0])}: {number(shares[0])}.",
        highlight=0,
        of="token",
    )
    page.show(chart)


def rule_question(name: str, found: list[Likeliest], toys: list[Likeliest]) -> Choice | None:
    """Ask which rule fits what a model says of all stories; nothing if none fits, or if it says what the other does."""
    said, other = (tuple(likeliest[0][0].lstrip("␣") for likeliest in each) for each in (found, toys))
    right = tuple(place for place, rule in enumerate(RULES.values()) if rule == said)
    if not right or said == other:
        return None
    mistakes = []
    for rule in RULES.values():
        where = next((place for place in range(len(KITES)) if rule[place] != said[place]), 0)
        story = list(KITES.values())[where]
        mistakes.append(f"Then it would say “{rule[where]}” after “{story}” It says “{said[where]}”.")
    return Choice(
        "kite",
        f"The kite is red. Small Stories says so, and the pretrained {name} says {quoted(found[0][0][0])}. Then the "
        f"colours are exchanged, the sentence is reversed, or other colours are named. Which rule fits {name} in all "
        "four stories?",
        tuple(RULES),
        right,
        f"{name} says {quoted(found[0][0][0])} in all four." if len(set(said)) == 1 else "It fits all four.",
        tuple(mistakes),
    )
