"""What several steps of the lesson on heads share: their buttons, sentences on rows, and the numbers of a question."""

from collections.abc import Sequence

import streamlit as st

from attention_core.equations.attention import AttentionCache
from attention_core.experiments.multi_head.retrained import SEEDS
from attention_core.experiments.multi_head.several_heads import select_head
from attention_core.shipped.plans import ENGLISH
from pages.heads.side_by_side import head_buttons, heads_off, word_for_heads
from pages.look.facts import largest, listed
from pages.look.sentences import first_query
from pages.multi_head.scene import MOST_HEADS, HeadScene
from pages.page.buttons import put_button
from pages.page.page import Page

N_SENTENCES = 97  # over which the links were measured
LINKS = {  # by the fields of `LinkWeights`: from which word to which
    "pronoun": "it, they → noun",
    "cry": "meowed → animal",
    "number": "is, are → noun",
    "state": "tired, wide → noun",
    "fact": "hot → chai",
    "adjective": "noun → adjective",
    "same": "thing → same thing",
    "colour": "colour → colour before",
}
SHIPPED = SEEDS.index(ENGLISH.plan.seed)
FINEST = 16  # of 1: trained matrices write little, and a colour scale to 1 would show nothing of it


def names_of_heads(scene: HeadScene) -> dict[str, str]:
    return {str(head + 1): f"head {head + 1}" for head in range(scene.n_heads)}


def usual_head(scene: HeadScene) -> int:
    """Return the head with the largest weight of the word that asks at first."""
    return largest(scene.attention.weights[:, first_query(scene.labels)].max(axis=-1)).first


def head_in_view(scene: HeadScene) -> int:
    """Return the chosen head; where all are looked at, the first, and of trained heads the one with the most to say."""
    if scene.head is None:
        return usual_head(scene) if scene.kind == "trained" else 0
    return scene.head


def choose_head(page: Page, scene: HeadScene) -> int:
    """Draw the heads in a row, and return the one in view."""
    head = head_in_view(scene)
    head_buttons(page, names_of_heads(scene), str(head + 1))
    return head


def draw_switches(page: Page, scene: HeadScene, name: str) -> list[int]:
    """Draw a button for each head that turns it off or on, and return those that are off in this step."""
    off, fixed = heads_off(page, name, scene.n_heads, MOST_HEADS), name in page.controls.locked
    with st.container(horizontal=True, gap="xsmall"):
        for head in range(scene.n_heads):
            label = f"~~Head {head + 1}~~ is off" if head in off else f"Head {head + 1} is on"
            put_button(page, label, {name: word_for_heads({head} ^ set(off))}, f"{name}_{head + 1}", disabled=fixed)
    return off


def heads_named(heads: Sequence[int]) -> str:
    """Return some heads as they are read aloud."""
    return f"head{'s' * (len(heads) > 1)} {listed([str(head + 1) for head in heads])}"


def attention_of_head(page: Page, attention: AttentionCache, head: int) -> AttentionCache:
    return page.recipe.run("one_head", select_head, attention, head)


def shape(*sizes: int) -> str:
    return " × ".join(map(str, sizes))
