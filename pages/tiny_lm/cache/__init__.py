"""The KV cache: what it saves, what it takes, and that it changes nothing."""

from functools import partial

import streamlit as st
from markupsafe import Markup

from attention_core.experiments.language.kv_cache_proof import Reads, positions_read
from attention_core.model.generate import decisions
from pages.charts.step_spans import COLOURS, stretches
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.cache.journey import draw_journey
from pages.tiny_lm.cache.kept_parts import draw_kept_parts
from pages.tiny_lm.cache.savings import draw_savings
from pages.tiny_lm.common import generated_text, several
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import CANNOT_WRITE, MOST_NEW, chosen_sampling, only_answers

STEP = Step(
    "KV cache",
    "With a causal mask, keys and values can be reused",
    "Running a trained model is **inference**. It predicts at every position, and only the last prediction is used. "
    "With a causal mask, a new token never changes earlier keys and values. So a **KV cache** keeps them. "
    "After the prompt, only the newest position is computed, until the context is full.",
    words="erase written",
)

USUAL_NEW_TOKENS = 8  # new tokens
FRAMES = (8, 16, 32, 64)  # rows of the charts, so that their size seldom changes


def draw(page: Page, subject: Subject) -> None:
    """Show for each new token what is computed with the cache and without; closed: what it keeps and what it saves."""
    sampling = chosen_sampling(page)
    model, n_prompt, unit = subject.model, len(subject.tokens), subject.noun
    with page.fields:
        n_new = page.controls.slider("written", f"New {unit}s", 1, MOST_NEW, USUAL_NEW_TOKENS, 1, width=300)
    found = page.recipe.run_once("text_written", decisions, model, subject.tokens, n_new, *sampling)
    if only_answers(subject):
        page.write(CANNOT_WRITE, "note")
    else:
        page.write(generated_text(subject, found, n_new, ends=False))
    labels = [subject.token(int(token)) for token in found.tokens]
    for side, name in zip(st.columns(2, gap="medium"), ("without the cache", "with the cache"), strict=True):
        with side:
            page.head(name.capitalize())
            word, cached = name.replace(" ", "_"), name.startswith("with ")
            read = page.recipe.run(f"read_{word}", positions_read, model, n_prompt, n_new, cached)
            page.prints("positions that go through the model for the last token", read.computed, n_new - 1)
            draw_reads(page, subject, labels, read, name)
    page.write(legend(), "note")
    page.look_closer("What one pass makes, and what must be kept of it", partial(kept, page, subject))
    page.look_closer("FLOPs, memory and rounding", partial(draw_savings, page, subject, sampling, n_new))


def kept(page: Page, subject: Subject) -> None:
    """Write the predictions of one pass; then let keys, values or queries be set to 0."""
    draw_journey(page, subject)
    draw_kept_parts(page, subject)


def draw_reads(page: Page, subject: Subject, labels: list[str], read: Reads, name: str) -> None:
    """Draw for each new token which positions go through the model."""
    n_prompt, unit = len(subject.tokens), subject.noun
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
        sentence=f"{name.capitalize()}, the model reads {several(total, 'position')} for "
        f"{several(len(labels), f'new {unit}')}: {read.computed[0]} for the first, {read.computed[-1]} for the last.",
    )
    page.show(chart)


def legend() -> Markup:
    """Return what the colours of the charts mean."""
    patch = Markup('<span style="white-space:nowrap"><span class="patch" style="background:{}"></span>{}</span> ')
    patches = Markup("").join(patch.format(pair.css, kind) for kind, pair in COLOURS.items())
    return Markup("Rows: new tokens. Columns: positions. The prompt ends at the dashed line. {}").format(patches)
