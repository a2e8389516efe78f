"""A word is exchanged: which outputs hear of it."""

from html import escape

import streamlit as st

from attention_core.arrays import Array
from attention_core.leaks import effects
from pages.causal_mask.questions import leak_question
from pages.causal_mask.scene import Masked, other_word
from pages.causal_mask.views import chosen_word
from pages.shared.charts.bars import signed_bars
from pages.shared.charts.chart import Chart, rung
from pages.shared.charts.heatmap import Axes, heatmap
from pages.shared.frame import Page
from pages.shared.markup import quoted, typed

EFFECT_AXES = Axes("output", "word", "distance", words=True)


def leak(page: Page, scene: Masked) -> bool:
    """Exchange a word and light every output that moves."""
    controls, run = page.controls, page.recipe.run
    with st.container(horizontal=True, vertical_alignment="bottom"):
        column = chosen_word(page, scene, "changed", "Which word changes", len(scene.words) - 1)
        text = controls.text("new", "It becomes", "dog", width=200)
    new = (text.split() or ["dog"])[0][:40]
    other, note = other_word(page.recipe, scene, new)
    if other is None:
        page.write(escape(note or ""), "note")
        return False
    effect = run("effect", effects, scene.x, other, scene.head, scene.mask)
    plain = run("effect_without", effects, scene.x, other, scene.head)
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
            note=f"Each column is one experiment: that word becomes {typed(new)}. Grey did not move by a single digit.",
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


def lights(labels: list[str], moved: Array, title: str) -> str:
    """Return the words with a light each: lit where the output has moved."""
    spans = "".join(
        f'<span class="{"lit" if on else "dark"}">{"●" if on else "○"} {escape(label)}</span>'
        for label, on in zip(labels, moved, strict=True)
    )
    told = f"{int(moved.sum())} of {len(labels)} outputs move"
    return f'<div class="lights"><b>{title}</b> <span class="soft">{told}</span><div class="chips">{spans}</div></div>'


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
