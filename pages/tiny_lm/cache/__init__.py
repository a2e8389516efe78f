"""The KV cache: what it saves, what it takes, that it changes nothing, and when it cannot help."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.kv_cache_proof import Reads, positions_read
from attention_core.model.generate import decisions
from attention_core.model.parameters import Model
from pages.charts.step_spans import COLOURS, stretches
from pages.look import thumbnails
from pages.page.page import Page
from pages.page.questions import Mistake, Number
from pages.page.steps import Step
from pages.tiny_lm.cache.savings import draw_savings, query_question
from pages.tiny_lm.cache.without_mask import draw_without_mask
from pages.tiny_lm.common import generated_text
from pages.tiny_lm.glimpse import glimpse
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import MOST_NEW, chosen_sampling

STEP = Step(
    "cache",
    "Nothing needs to be read twice",
    "To draw a token, the model reads all that stands before it. Under the causal mask, what it computed for "
    "earlier positions never changes. So it keeps their keys and values, K and V: that is the *KV cache*.",
)

USUAL = 12  # new tokens
FRAMES = (8, 16, 32, 64)  # rows of the pictures, which so seldom jump
PLACES = (5, 3, 8, 2, 6)  # which new token is asked for


def draw(page: Page, subject: Subject) -> None:
    """Show for each new token what is computed with the cache and without, and prove that both are the same."""
    sampling = chosen_sampling(page)
    model, n_prompt, unit = subject.model, len(subject.tokens), subject.unit
    with st.container(border=True):
        text = st.container()
        n_new = page.controls.slider("written", f"New {unit}s", 1, MOST_NEW, USUAL, 1)
        found = page.recipe.run("text_written", decisions, model, subject.tokens, n_new, *sampling)
        with text:
            page.write(generated_text(subject, found, n_new, ends=False))
    if not page.ask(anew_question(model, n_prompt, unit, page.variant("anew"))):
        return
    labels = [subject.token(int(token)) for token in found.tokens]
    known = page.ask(kept_question(model, n_prompt, unit, page.variant("kept")))
    left, right = st.columns(2, gap="medium")
    with left:
        st.subheader("Without the cache", anchor=False)
        anew = page.recipe.run("read_anew", positions_read, model, n_prompt, n_new, False)
        draw_reads(page, subject, labels, anew, "without the cache")
    if not known:
        return
    with right:
        st.subheader("With the cache", anchor=False)
        kept = page.recipe.run("read_kept", positions_read, model, n_prompt, n_new)
        draw_reads(page, subject, labels, kept, "with the cache")
    page.write(Markup("{}{}").format(legend(), outgrown(subject)), "note")
    st.header("What it saves, takes and changes", anchor=False)
    if not page.ask(query_question(page.variant("query"))):
        return
    draw_savings(page, subject, sampling, n_new)
    st.header("Only because nobody looks ahead", anchor=False)
    draw_without_mask(page, subject, int(found.tokens[0]))


def thumbnail(subject: Subject) -> Markup:
    """Return the small picture of the step."""
    length = len(glimpse(subject).tokens)
    cached = np.where(np.eye(length, dtype=bool), 0.9, 0.25) * np.tri(length)
    return thumbnails.thumbnail(cached, None)


def draw_reads(page: Page, subject: Subject, labels: list[str], read: Reads, name: str) -> None:
    """Draw for each new token which positions go through the model."""
    n_prompt, unit = len(subject.tokens), subject.unit
    n_rows = next(frame for frame in FRAMES if frame >= len(labels))
    total = int(read.computed.sum())
    chart = stretches(
        labels,
        read.first,
        read.fresh,
        read.stop,
        n_rows=n_rows,
        n_columns=n_prompt + n_rows - 1,
        boundary=n_prompt,
        name=name,
        sentence=f"{name.capitalize()} {total:,} positions go through the model for {len(labels)} new {unit}s: "
        f"{read.computed[0]} for the first, {read.computed[-1]} for the last.",
    )
    page.show(chart)


def legend() -> Markup:
    """Return what the colours of the pictures mean."""
    patch = Markup('<span style="white-space:nowrap"><span class="patch" style="background:{}"></span>{}</span> ')
    patches = Markup("").join(patch.format(pair.css, kind) for kind, pair in COLOURS.items())
    return Markup(
        "A row for each new token, a column for each position; the prompt ends at the dashed line. {}<br>"
    ).format(patches)


def outgrown(subject: Subject) -> str:
    """Return when the cache stops being of use."""
    longest, unit = subject.model.config.max_len, subject.unit
    if not subject.model.config.causal:
        return (
            "This model looks ahead as well, so what it computed for a position is no longer true once another "
            f"{unit} follows: nothing is kept, and both pictures are the same."
        )
    return (
        f"This model reads {longest} positions. From new {unit} {max(longest - len(subject.tokens) + 2, 1)} on the "
        "first one drops out and all others move up a place: all is computed anew, with the cache as without."
    )


def anew_question(model: Model, n_prompt: int, unit: str, variant: int) -> Number:
    """Ask how many positions are computed for a new token without the cache."""
    config, place = model.config, PLACES[variant % len(PLACES)]
    right = int(positions_read(model, n_prompt, place, cache=False).computed[-1])
    length = n_prompt + place - 1
    why = f"By then the text has {n_prompt} + {place - 1} = {length} {unit}s, and all of them are read again."
    if length > config.max_len:
        why = f"By then the text has {length} {unit}s, of which this model reads the last {config.max_len}: all anew."
    mistakes = [
        Mistake(1, "Without a cache nothing is remembered: every position goes through the model again."),
        Mistake(length + 1, f"The new {unit} itself is not there yet: it is drawn from what stands before it."),
        Mistake(place, f"The prompt counts as well: the model reads it anew each time, all {n_prompt}."),
        Mistake(n_prompt, f"The prompt has grown by then: {place - 1} {unit}s were written before."),
        Mistake(length, f"This model reads no more than {config.max_len} positions."),
    ]
    return Number(
        "anew",
        f"The prompt has {n_prompt} {unit}{'s' if n_prompt > 1 else ''}. Without a cache, how many positions go "
        f"through the model for the {ordinal(place)} new {unit}?",
        right,
        0.5,
        why,
        tuple(mistake for mistake in mistakes if mistake.value != right),
        f"Count the {unit}s that stand there when it is drawn.",
        digits=0,
    )


def kept_question(model: Model, n_prompt: int, unit: str, variant: int) -> Number:
    """Ask how many positions are computed for a new token with the cache."""
    config, place = model.config, PLACES[(variant + 2) % len(PLACES)]
    right = int(positions_read(model, n_prompt, place).computed[-1])
    length = n_prompt + place - 1
    if not config.causal:
        why = "This model looks ahead: what it computed for earlier positions is no longer true, so nothing is kept."
    elif length > config.max_len:
        why = f"The text has outgrown the {config.max_len} positions of this model: all have moved, so all is computed."
    else:
        why = f"The keys and values of the {length - 1} before it are kept; only the newest goes through the model."
    mistakes = [
        Mistake(0, f"The newest {unit} has never been read: its own query, key and value must be computed."),
        Mistake(1, why),
        Mistake(length, "That is without the cache."),
        Mistake(place, f"The {unit}s that were written before have left their keys and values in the cache as well."),
    ]
    return Number(
        "kept",
        "With the cache, keys and values of all positions are kept. How many positions go through the model then, for "
        f"the {ordinal(place)} new {unit}?",
        right,
        0.5,
        why,
        tuple(mistake for mistake in mistakes if mistake.value != right),
        "",
        digits=0,
    )


def ordinal(place: int) -> str:
    """Return a place as it is spoken of."""
    return {2: "2nd", 3: "3rd"}.get(place, f"{place}th")
