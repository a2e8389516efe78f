"""The KV cache: what it saves, what it takes, and that it changes nothing."""

from functools import partial

import streamlit as st
from markupsafe import Markup

from attention_core.experiments.language.kv_cache_proof import PARTS, Reads, positions_read, predict_after_erasing
from attention_core.experiments.language.next_token import decisions
from pages.charts.step_spans import COLOURS, GONE, stretches
from pages.look.facts import largest, several
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.cache.savings import draw_savings
from pages.tiny_lm.common import SORTED, bet_bars, generated_text
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import CANNOT_WRITE, MOST_NEW, chosen_sampling, only_answers

STEP = Step(
    "KV cache",
    "With a causal mask, keys and values can be reused",
    "Running a trained model is **inference**. It predicts at every position, and only the last is used. "
    "With a causal mask, a new token never changes earlier keys and values. An old query is never used "
    "again. So a **KV cache** keeps keys and values. "
    "After the prompt, only the newest position is computed, until the context is full.",
    words="erase written",
)

USUAL_NEW_TOKENS = 8
FRAMES = (8, 16, 32, 64)  # rows of the charts, so that their size seldom changes
LEGEND = Markup("Rows: new {}s ({}). Columns: positions. The prompt ends at the dashed line. {}")
READ = "The model reads {total} for {tokens}: {first} for the first, {last} for the last."
ERASED = "{why} The probability of {token} is {now}, with the complete cache {before}."
REASONS = {
    PARTS[0]: "This is the prediction with the complete cache.",
    PARTS[1]: "All scores with earlier keys are now 0, before any distance penalty.",
    PARTS[2]: "Earlier positions contribute nothing to the output, whatever their weights.",
    PARTS[3]: "No query of an earlier position is used again, so there is nothing to keep.",
}


def draw(page: Page, subject: Subject) -> None:
    """Show for each new token what is computed with the cache and without; closed: what it keeps and what it saves."""
    sampling = chosen_sampling(page)
    model, n_prompt = subject.model, len(subject.tokens)
    with page.fields:
        label = f"New {subject.noun}s"
        n_new = page.controls.slider("written", label, 1, MOST_NEW, USUAL_NEW_TOKENS, 1, width=300)
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
    patch = Markup('<span style="white-space:nowrap"><span class="patch" style="background:{}"></span>{}</span> ')
    kinds = [(pair.css, kind) for kind, pair in COLOURS.items() if kind != GONE or read.first.any()]
    marks = Markup("").join(patch.format(*kind) for kind in kinds)
    page.write(LEGEND.format(subject.noun, sampling.how, marks), "note")
    page.look_closer("What must be kept", partial(draw_kept_parts, page, subject))
    page.look_closer("FLOPs, memory and rounding", partial(draw_savings, page, subject, sampling, n_new))


def draw_reads(page: Page, subject: Subject, labels: list[str], read: Reads, name: str) -> None:
    """Draw for each new token which positions go through the model."""
    n_prompt, computed = len(subject.tokens), read.computed
    n_rows = next(frame for frame in FRAMES if frame >= len(labels))
    total, tokens = several(int(computed.sum()), "position"), several(len(labels), f"new {subject.noun}")
    chart = stretches(
        labels,
        read.first,
        read.fresh,
        read.stop,
        n_rows=n_rows,
        n_columns=n_prompt + n_rows - 1,
        boundary=n_prompt,
        name=name,
        sentence=READ.format(total=total, tokens=tokens, first=computed[0], last=computed[-1]),
    )
    page.show(chart)


def draw_kept_parts(page: Page, subject: Subject) -> None:
    """Let the student erase a part of the cache, and draw the prediction."""
    if not subject.model.config.causal or min(len(subject.tokens), subject.model.config.max_len) < 2:
        page.write("This needs a causal mask and two tokens.", "note")
        return
    part = page.controls.choice("erase", "Set to 0 at all earlier positions", PARTS, PARTS[1])
    whole = page.recipe.run_once("nothing_erased", predict_after_erasing, subject.model, subject.tokens, PARTS[0])
    left = page.recipe.run_once("erased", predict_after_erasing, subject.model, subject.tokens, part)
    bet_bars(page, subject, left, "prediction from the cache")
    best = largest(whole, SORTED).first
    shown = {"now": number(float(left[best])), "before": number(float(whole[best]))}
    told = "{why}" if part == PARTS[0] else ERASED
    page.write(told.format(why=REASONS[part], token=quoted(subject.token(best)), **shown), "note")
