"""One story that two models continue differently, and which rule fits what the larger one says."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.inside.claim_texts import KITES, kite_story
from attention_core.experiments.inside.real_claims import shipped_claims
from attention_core.experiments.inside.real_reading import real_predictions
from pages.look.html import number, quoted, table
from pages.page.page import Page
from pages.questions.kinds import Choice
from pages.server.pretrained import ModelInWorker
from pages.tiny_lm.common import likeliest_bars
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
ASKED = "Which rule fits what the pretrained {name} says after all four stories?"
WRONG = "Then it would say “{rule}” after “{story}” It says “{said}”."


def draw_kite(page: Page, name: str, real: ModelInWorker | None, sizes: list[int]) -> bool:
    """Ask which rule fits what the pretrained model says of the kite; then let students try other colours."""
    found = [said_by_real(page, real, colours) for colours in KITES]
    toys = [said_by_stories(page, colours) for colours in KITES]

    def show(place: int) -> None:
        page.write(
            Markup('<div class="spoken small">… {} … “My kite is <b>?</b></div>').format([*KITES.values()][place])
        )
        models = (name, found[place], sizes[0]), ("Small Stories", toys[place], sizes[1])
        for column, (who, likeliest, count) in zip(st.columns(2, gap="large"), models, strict=True):
            with column:
                page.head(who, f"{count:,} parameters")
                words, shares = zip(*likeliest, strict=True)
                likeliest_bars(page, words, np.array(shares), f"prediction of {who}", "The likeliest tokens.")

    rows = [
        [said, *(f"{quoted(likeliest[0][0])} {number(likeliest[0][1])}" for likeliest in both)]
        for said, *both in zip(KITES.values(), found, toys, strict=True)
    ]
    page.write(table(["story", name, "Small Stories"], rows, left=3, long=0, folds=True))
    columns = page.ask_beside(rule_question(name, found, toys), lambda: show(0), spans=2)
    if not columns:
        return False
    with columns[1]:
        colours = page.controls.choice("kite", "Story", list(KITES), next(iter(KITES)))
    place = list(KITES).index(colours)
    what = f"probability that Small Stories gives its top token, {colours}"
    page.prints(what, f"toy_kite_{place}.probabilities", -1, 0)
    with columns[0]:
        show(place)
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


def rule_question(name: str, found: list[Likeliest], toys: list[Likeliest]) -> Choice | None:
    """Ask which rule fits what a model says of all stories; nothing if none fits, or if it says what the other does."""
    said, other = (tuple(likeliest[0][0].lstrip("␣") for likeliest in each) for each in (found, toys))
    right = [rule for rule, colours in RULES.items() if colours == said]
    if not right or said == other:
        return None
    wrong = {}
    for rule, colours in RULES.items():
        place = next((place for place in range(len(KITES)) if colours[place] != said[place]), 0)
        story = [*KITES.values()][place]
        wrong[rule] = WRONG.format(rule=colours[place], story=story, said=said[place])
    first = quoted(found[0][0][0])
    why = f"{name} says {first} in all four." if len(set(said)) == 1 else "It fits all four."
    return Choice.of("kite", ASKED.format(name=name), right, why, wrong)
