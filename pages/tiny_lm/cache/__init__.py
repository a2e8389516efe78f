"""The KV cache: what it saves, what it takes, and that it changes nothing."""

import streamlit as st
from markupsafe import Markup

from attention_core.experiments.language.kv_cache_proof import Reads, positions_read
from attention_core.model.generate import decisions
from attention_core.model.parameters import Model
from pages.charts.step_spans import COLOURS, stretches
from pages.page.page import Page
from pages.page.questions.kinds import Mistake, Number
from pages.page.steps import Step
from pages.tiny_lm.cache.journey import draw_journey
from pages.tiny_lm.cache.kept_parts import draw_kept_parts
from pages.tiny_lm.cache.savings import draw_savings
from pages.tiny_lm.common import generated_text, several
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import MOST_NEW, chosen_sampling, only_answers, say_limits

STEP = Step(
    "KV cache",
    "Keys and values can be reused",
    "Running a trained model is called **inference**. To generate one token, the model reads all earlier tokens.",
    asks="What must be computed for one more token?",
    then="With a causal mask, new tokens never change the keys and values of earlier ones. So a model can keep them in "
    "a **KV cache** and compute only the newest position.",
    words="erase written",
)

USUAL_NEW_TOKENS = 12  # new tokens
FRAMES = (8, 16, 32, 64)  # rows of the charts, so that their size seldom changes
PLACES = (5, 3, 8, 2, 6)  # which new token is asked for


def draw(page: Page, subject: Subject) -> bool:
    """Show for each new token what is computed with the cache and without, and prove that both are the same."""
    sampling = chosen_sampling(page)
    model, n_prompt, unit = subject.model, len(subject.tokens), subject.unit
    with st.container(border=True):
        text = st.container()
        n_new = page.controls.slider("written", f"New {unit}s", 1, MOST_NEW, USUAL_NEW_TOKENS, 1)
        found = page.recipe.run_once("text_written", decisions, model, subject.tokens, n_new, *sampling)
        with text:
            if not only_answers(subject):
                page.write(generated_text(subject, found, n_new, ends=False))
            say_limits(page, subject)
    if not page.ask(anew_question(model, n_prompt, unit, page.variant("anew"))):
        return False
    labels = [subject.token(int(token)) for token in found.tokens]
    known = page.ask(kept_question(model, n_prompt, unit, page.variant("kept")))
    left, right = st.columns(2, gap="medium")
    with left:
        page.heading("Without the cache", small=True)
        anew = page.recipe.run("read_anew", positions_read, model, n_prompt, n_new, False)
        draw_reads(page, subject, labels, anew, "without the cache")
    if not known:
        return False
    with right:
        page.heading("With the cache", small=True)
        kept = page.recipe.run("read_kept", positions_read, model, n_prompt, n_new)
        draw_reads(page, subject, labels, kept, "with the cache")
    page.write(Markup("{}{}").format(legend(), outgrown(subject)), "note")
    if draw_journey(page, subject, found) and draw_kept_parts(page, subject):
        page.heading("FLOPs, memory and rounding")
        draw_savings(page, subject, sampling, n_new)
    return True


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
        sentence=f"{name.capitalize()}, {total:,} positions go through the model for "
        f"{several(len(labels), f'new {unit}')}: {read.computed[0]} for the first, {read.computed[-1]} for the last.",
    )
    page.show(chart)


def legend() -> Markup:
    """Return what the colours of the charts mean."""
    patch = Markup('<span style="white-space:nowrap"><span class="patch" style="background:{}"></span>{}</span> ')
    patches = Markup("").join(patch.format(pair.css, kind) for kind, pair in COLOURS.items())
    return Markup("Rows: new tokens. Columns: positions. The prompt ends at the dashed line. {}<br>").format(patches)


def outgrown(subject: Subject) -> str:
    """Return when the cache saves nothing."""
    longest, unit = subject.model.config.max_len, subject.unit
    if not subject.model.config.causal:
        return (
            f"This model has no causal mask, so a new {unit} can change what it computed for earlier positions. "
            "Nothing is kept here, and both charts are the same."
        )
    return (
        f"The context length of this model is {longest}. From new {unit} "
        f"{max(longest - len(subject.tokens) + 2, 1)} on, the oldest token drops out and all others shift by one "
        "position. Then everything is computed again, even with a cache."
    )


def anew_question(model: Model, n_prompt: int, unit: str, variant: int) -> Number:
    """Ask how many positions are computed for a new token without the cache."""
    config, place = model.config, PLACES[variant % len(PLACES)]
    right = int(positions_read(model, n_prompt, place, cache=False).computed[-1])
    length = n_prompt + place - 1
    why = f"The text then has {n_prompt} + {place - 1} = {length} {unit}s, and all of them go through the model."
    if length > config.max_len:
        why = f"The text then has {length} {unit}s, and the model reads the last {config.max_len} of them."
    mistakes = [
        Mistake(1, "You computed only the newest position. Without a cache, nothing is kept, so compute all of them."),
        Mistake(length + 1, f"You included the new {unit} itself. It is not there yet: count only what is before it."),
        Mistake(place, f"You did not count the prompt. The model reads its {n_prompt} {unit}s again each time."),
        Mistake(n_prompt, f"You counted only the prompt. Add the {place - 1} {unit}s generated before."),
        Mistake(length, f"You counted the whole text, but the context length is {config.max_len}."),
    ]
    return Number(
        "anew",
        f"The prompt has {several(n_prompt, unit)}. Without a cache, how many positions go through the model for the "
        f"{ordinal(place)} new {unit}?",
        right,
        0.49,
        why,
        tuple(mistake for mistake in mistakes if mistake.value != right),
        f"Count the {unit}s before the new one.",
        digits=0,
    )


def kept_question(model: Model, n_prompt: int, unit: str, variant: int) -> Number:
    """Ask how many positions are computed for a new token with the cache."""
    config, place = model.config, PLACES[(variant + 2) % len(PLACES)]
    right = int(positions_read(model, n_prompt, place).computed[-1])
    length = n_prompt + place - 1
    if not config.causal:
        why = "Without a causal mask, earlier positions can change, so nothing is kept and all are computed."
    elif length > config.max_len:
        why = f"The text exceeds the {config.max_len} positions of the context. All tokens shift, so all are computed."
    else:
        why = f"The keys and values of the {length - 1} positions before are kept, so only the newest is computed."
    mistakes = [
        Mistake(0, f"You computed nothing, but the newest {unit} has no query, key and value yet. Compute them."),
        Mistake(1, "You computed only the newest position, as if the kept ones were still valid."),
        Mistake(length, "You computed every position, as without a cache. Do not count those that are kept."),
        Mistake(place, f"You computed all generated {unit}s again. The earlier ones are in the cache too."),
    ]
    return Number(
        "kept",
        f"A KV cache keeps keys and values. How many positions go through the model for the {ordinal(place)} new "
        f"{unit}, after a prompt of {several(n_prompt, unit)}?",
        right,
        0.49,
        why,
        tuple(mistake for mistake in mistakes if mistake.value != right),
        "",
        digits=0,
    )


def ordinal(place: int) -> str:
    """Return an ordinal number."""
    return {2: "2nd", 3: "3rd"}.get(place, f"{place}th")
