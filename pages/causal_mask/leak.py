"""A word is exchanged: which outputs hear of it."""

import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.dependence import input_effects
from pages.causal_mask.common import SCORE_LIMIT, chosen_word, others_grey
from pages.causal_mask.scene import Masked, other_word
from pages.charts.bars import signed_bars
from pages.charts.chart import Chart, rung
from pages.charts.heatmap import Axes, heatmap
from pages.look import thumbnails
from pages.look.html import prose, quoted, typed
from pages.page.page import Page
from pages.page.questions import Mistake, Number
from pages.page.steps import Step
from pages.page.typed import words_of

STEP = Step(
    "leaks",
    "No output hears of a hidden word",
    "A mask hides more than a cell of a picture: it cuts the way from a word to an output. Change one word, and "
    "every output that hears of it lights up.",
)

EFFECT_AXES = Axes("output", "word", "distance", words=True)


def draw(page: Page, scene: Masked) -> bool:
    """Exchange a word and light every output that moves."""
    controls, run = page.controls, page.recipe.run
    with st.container(horizontal=True, vertical_alignment="bottom"):
        column = chosen_word(page, scene, "changed", "Which word changes", len(scene.words) - 1)
        text = controls.text("new", "It becomes", "dog", width=200)
    new = words_of(text, "dog")[0][0]
    other, note = other_word(page.recipe, scene, new)
    if other is None:
        page.write(note or "", "note")
        return False
    effect = run("effect", input_effects, scene.x, other, scene.head, scene.mask)
    plain = run("effect_without", input_effects, scene.x, other, scene.head)
    if not page.ask(leak_question(scene, effect, plain, column, new)):
        page.write(lights(scene.labels, plain[:, column] != 0, "Without a mask"))
        return False
    page.write(
        lights(scene.labels, plain[:, column] != 0, "Without a mask")
        + lights(scene.labels, effect[:, column] != 0, f"With the mask ({scene.name})")
    )
    limit = rung(float(max(plain.max(initial=0), effect.max(initial=0))))
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        page.show(
            effect_map(scene, effect, limit, "every word in turn", column, clickable=True),
            lambda i, j: controls.put(changed=scene.labels[j]),
            note=Markup(
                "Each column is one experiment: that word becomes {}. Grey did not move by a single digit."
            ).format(typed(new)),
        )
    with right:
        name = "how far each output moves"
        n_moved = int((effect[:, column] != 0).sum())
        told = f"{quoted(scene.labels[column])} becomes {quoted(new)}: {n_moved} of {len(effect)} outputs move."
        page.show(
            signed_bars(
                scene.labels,
                effect[:, column],
                limit=limit,
                name=name,
                sentence=told,
                title=name,
                of="output",
                positive=True,
            ),
            note=scene.origin,
        )
    return True


def thumbnail(scene: Masked) -> Markup:
    """Return the small picture of the step."""
    effect = input_effects(scene.x, scene.x[::-1], scene.head, scene.mask)
    return thumbnails.thumbnail(others_grey(effect, effect == 0), SCORE_LIMIT)


def lights(labels: list[str], moved: Array, title: str) -> Markup:
    """Return the words with a light each: lit where the output has moved."""
    looks = {True: ("lit", "●"), False: ("dark", "○")}
    spans = Markup("").join(
        Markup('<span class="{}">{} {}</span>').format(*looks[bool(on)], label)
        for label, on in zip(labels, moved, strict=True)
    )
    return Markup(
        '<div class="lights"><b>{}</b> <span class="soft">{} of {} outputs move</span><div class="chips">{}</div></div>'
    ).format(title, int(moved.sum()), len(labels), spans)


def effect_map(scene: Masked, effect: Array, limit: float, name: str, column: int, clickable: bool) -> Chart:
    """Return how far each output moves when each word is exchanged; grey where it does not move at all."""
    still = effect == 0
    n_moved = int((~still[:, column]).sum())
    sentence = f"Exchange {quoted(scene.labels[column])}, and {n_moved} of {len(effect)} outputs move."
    return heatmap(
        effect,
        scene.labels,
        scene.labels,
        EFFECT_AXES,
        name=name,
        sentence=sentence,
        limit=limit,
        amounts=True,
        hidden=still,
        chosen=(None, column),
        clickable=clickable,
    )


def leak_question(scene: Masked, effect: Array, plain: Array, column: int, new: str) -> Number:
    """Ask how many outputs move when one word is exchanged."""
    length, right = len(scene.words), int((effect[:, column] != 0).sum())
    text = prose(
        f"The word {{old}}, number {column + 1} of {length}, becomes {{new}}. Under the mask ({scene.name}), "
        f"how many of the {length} output rows change, if only by a little?",
        old=scene.labels[column],
        new=new,
    )
    looking = int((~scene.blocked[:, column]).sum())
    if right == 0:
        why = "Not one: nobody may look at this word, or it is the word that stood there before."
    elif right < looking:
        why = f"{looking} rows may look at it, but in some its weight is so small that no digit changes."
    else:
        why = (
            "Every row that may look at it moves: its column shows them. Its own moves too, for it asks otherwise now."
        )
    mistakes = {
        column + 1: "Those are the words up to it; the outputs that change are those that look at it.",
        looking: "So many may look at it, but not all of them give it a share that counts, or it asks for itself.",
        int((plain[:, column] != 0).sum()): "That is so without a mask.",
        1: "Its own output moves, but so does that of other words that look at it.",
        0: "At least one output hears of it: look down its column.",
    }
    wrong = [value for value in mistakes if value != right and (value != 1 or right > 1)]
    kept = tuple(Mistake(value, mistakes[value]) for value in wrong)
    return Number("leak", text, right, 0.25, why, kept, "Look down the column of the word: who may see it?", digits=0)
