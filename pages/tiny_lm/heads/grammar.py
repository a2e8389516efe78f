"""How much the heads of a model of the small English look along the links of its grammar."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.english_heads import link_weights, uniform_link_weights
from attention_core.model.parameters import Model
from attention_core.text.small_english import WORDS
from pages.charts.heatmap import Axes, heatmap
from pages.look.html import number
from pages.page.page import Page
from pages.tiny_lm.checkpoints import moments_of
from pages.tiny_lm.heads.over_texts import EVEN, with_even
from pages.tiny_lm.model_in_view import Subject

LINK_AXES = Axes("head", "link", "share", words=True)
LONGEST_SENTENCE = 24  # of the grammar


def grammar_links(page: Page, subject: Subject, untrained: Model, names: list[str]) -> None:
    """For a model of the small English, show how much heads look along the links of its grammar."""
    config = subject.model.config
    if subject.vocabulary.tokens != WORDS or config.max_len < LONGEST_SENTENCE:
        return
    st.header("Along the links of the grammar", anchor=False)
    page.say(
        "Small English was drawn from rules, so it is known which words belong together: a pronoun and a cry to their "
        "animal, *is* or *are* to the noun. How much of its look does the later word give the earlier? Measured over "
        "97 fresh sentences.",
        "",
    )
    before = page.recipe.run_once("links_before", link_weights, untrained)
    after = page.recipe.run_once("links_after", link_weights, subject.model)
    even = page.recipe.run("links_even", uniform_link_weights)
    columns = st.columns(2, gap="large")
    sides = ((before, moments_of(subject)[0].step, "before"), (after, subject.step, "after"))
    for column, (found, step, side) in zip(columns, sides, strict=True):
        values, most = with_even(found, even)
        head, link = np.unravel_index(values[:-1].argmax(), values[:-1].shape)
        with column:
            page.write(Markup("<b>Step {}</b>").format(f"{step:,}"))
            page.show(
                heatmap(
                    values,
                    [*names, EVEN],
                    list(found._fields),
                    LINK_AXES,
                    name=f"links {side}",
                    sentence=f"Most: {names[int(head)]} on “{found._fields[int(link)]}”, {number(values[head, link])}.",
                    moved=most,
                    small=True,
                    legend=False,
                )
            )
    page.write("That a head looks along a link is measured; what for is not.", "note")
