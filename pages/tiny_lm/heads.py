"""What every head does over many texts, untrained and trained, and which of it stands out."""

from collections.abc import Sequence
from html import escape

import numpy as np
import streamlit as st

from attention_core.arrays import Array, Tokens
from attention_core.experiments.english_heads import link_weights, uniform_link_weights
from attention_core.experiments.head_patterns import (
    NOTHING,
    Patterns,
    generate_rows,
    habits_above,
    patterns,
    uniform_patterns,
)
from attention_core.model.activations import insides
from attention_core.model.parameters import Model
from attention_core.text.small_english import WORDS
from pages.charts.heatmap import ATTENTION_AXES, Axes, heatmap
from pages.look.html import number, table
from pages.look.sentences import brightest_cell
from pages.page.page import Page
from pages.server.model_cache import is_kept
from pages.tiny_lm.history_questions import even_question, grown_question
from pages.tiny_lm.moments import HeldOut, held_out, moments_of, patience, said_model, said_rows
from pages.tiny_lm.subject import Subject
from pages.tiny_lm.views import head_names

SHORT = {  # the patterns as columns of a map and as buttons name them
    "previous": "before",
    "same": "same",
    "first": "first",
    "self": "itself",
    "induction": "induction",
    "spread": "entropy",
}
LONG = {
    "previous": "the token before",
    "same": "the same token elsewhere",
    "first": "the first token",
    "self": "the token itself",
    "induction": "what followed the same token earlier",
    "spread": "all alike",
}
PATTERN_AXES = Axes("head", "pattern", "share", words=True)
LINK_AXES = Axes("head", "link", "share", words=True)
MOST_READ = 2048  # tokens over which heads are measured
FEWEST = 8  # rows
EVEN = "even look"
ENLARGED = 24  # last tokens of an enlarged map
LONGEST_SENTENCE = 24  # of the grammar


def named_heads(page: Page, subject: Subject) -> str | None:
    """Show what every head does over many texts before and after training, name what stands out, and enlarge one."""
    moments = moments_of(subject)
    untrained = said_model(page, moments[0])
    rows, said = texts(page, subject, said_model(page, moments[-1]))
    with patience("Measuring every head over many texts", is_kept(patterns, subject.model, rows)):
        before = page.recipe.run_once("before", patterns, untrained, rows)
        after = page.recipe.run_once("after", patterns, subject.model, rows)
        even = page.recipe.run_once("even", uniform_patterns, subject.model, rows)
    names = head_names(*after.previous.shape)
    first_step = moments[0].step
    if not page.ask(grown_question(LONG, before, last_patterns(page, moments[-1].model, rows), page.variant("grown"))):
        return None
    columns = st.columns(2, gap="large")
    for column, found, title, name in (
        (columns[0], before, f"Step {first_step:,}", "before"),
        (columns[1], after, f"Step {subject.step:,}", "after"),
    ):
        with column:
            st.subheader(title + (": untrained" if name == "before" and first_step == 0 else ""), anchor=False)
            pattern_map(page, found, even, names, name)
    page.write(
        "A row is a head, a column a pattern; outlined is the head that has most of it. The last row would be a head "
        f"that looks evenly at all that it may see; entropy is a share of its. "
        f"Measured over {said}. {escape(subject.origin)}",
        "note",
    )
    if biased(subject):
        page.write(
            "Some heads of this model have a penalty on distance (ALiBi), so they look near before they have learned "
            "anything: what was built in is no habit.",
            "note",
        )
    st.header("What stands out", anchor=False)
    length = rows.shape[1]
    if length > 1 and not page.ask(even_question(length, subject.model.config.causal, float(even.first[0, 0]))):
        return None
    name_table(page, subject, before, after, even, names)
    enlarged(page, subject, after, even, names)
    grammar_links(page, subject, untrained, names)
    return "inside.weights[0, 0]"


def last_patterns(page: Page, model: Model, rows: Tokens) -> Patterns:
    """Return the patterns of the finished model, whatever moment is in view: the question is about it."""
    return page.recipe.run_once("finished", patterns, model, rows)


def texts(page: Page, subject: Subject, finished: Model) -> tuple[Tokens, str]:
    """Return the rows over which heads are measured, and what they are."""
    length = subject.model.config.max_len
    if subject.name == "own":
        n_rows = FEWEST
        rows = page.recipe.run_once("rows", generate_rows, finished, n_rows, min(length, ENLARGED))
        return rows, f"{n_rows} texts that the trained model wrote itself"
    n_rows = max(FEWEST, min(64, MOST_READ // length))
    held = said_rows(page, HeldOut(readable(subject.name, n_rows), None))
    return held.rows, f"{n_rows} rows of {length} tokens that it never learned from"


def readable(name: str, n_rows: int) -> Tokens:
    """Return some of the rows that a model that ships never learned from, without the last token, which is no input."""
    return held_out(name).rows[:n_rows, :-1]


def biased(subject: Subject) -> bool:
    """Tell whether some heads are drawn to what is near by the plan."""
    slopes = subject.model.config.slopes
    return slopes is not None and any(slopes)


def pattern_map(page: Page, found: Patterns, even: Patterns, names: list[str], side: str) -> None:
    """Draw the patterns of all heads, the most of each outlined, and those of an even look."""
    values, most = with_even(found, even)
    head, pattern = np.unravel_index(values[:-1, :-1].argmax(), values[:-1, :-1].shape)
    sentence = (
        f"Apart from entropy, most: {names[int(head)]} on {list(LONG.values())[int(pattern)]}, "
        f"{number(values[head, pattern])}."
    )
    page.show(
        heatmap(
            values,
            [*names, EVEN],
            list(SHORT.values()),
            PATTERN_AXES,
            name=f"patterns {side}",
            sentence=sentence,
            moved=most,
            small=True,
            legend=False,
        )
    )


def with_even(found: Sequence[Array], even: Sequence[Array]) -> tuple[Array, Array]:
    """Return a row for each head and one for an even look, a column for each measure, and where heads have most."""
    heads = np.stack([field.ravel() for field in found], axis=1)
    last = np.stack([field.ravel() for field in even], axis=1)
    return np.vstack([heads, last]), np.vstack([heads == heads.max(axis=0), np.zeros_like(last, bool)])


def name_table(
    page: Page, subject: Subject, before: Patterns, after: Patterns, even: Patterns, names: list[str]
) -> None:
    """Write what stands out of each head, with its number and that of an even look."""
    habits = page.recipe.run("stands_out", habits_above, after, even)
    page.say(
        "Name a head by the pattern that it has most of **beyond an even look**. If none is beyond by 0.15, it does "
        "nothing that these measures know, which is not to say that it does nothing.",
        "",
    )
    lines = []
    for place, (pattern, above) in enumerate(zip(habits.pattern.ravel(), habits.above.ravel(), strict=True)):
        if pattern == NOTHING:
            lines.append([names[place], "nothing that these measures know", "", "", "", number(above)])
            continue
        field = list(LONG)[int(pattern)]
        now, was = (float(getattr(found, field).ravel()[place]) for found in (after, before))
        base = float(getattr(even, field)[0, 0])
        lines.append([names[place], LONG[field], number(now), number(was), number(base), number(above)])
    head = ["head", "looks above all at", "share", "untrained", "an even look", "beyond it"]
    page.write(table(head, lines, left=2))


def enlarged(page: Page, subject: Subject, after: Patterns, even: Patterns, names: list[str]) -> None:
    """Draw the head that has most of a pattern, on the prompt."""
    st.subheader("The head that has most of a pattern", anchor=False)
    chosen = page.controls.choice("pattern", "Pattern", list(SHORT.values()), "before")
    field = next(field for field, word in SHORT.items() if word == chosen)
    values = getattr(after, field)
    place = int(values.argmax())
    inside = page.recipe.run("inside", insides, subject.model, subject.tokens)
    first = max(0, len(subject.labels) - ENLARGED)
    labels = subject.labels[first:]
    shown = inside.weights.reshape(len(names), *inside.weights.shape[2:])[place, first:, first:]
    here = page.recipe.run("here", patterns, subject.model, subject.tokens[None])
    page.show(
        heatmap(
            shown,
            labels,
            labels,
            ATTENTION_AXES,
            name="one head",
            sentence=f"{names[place].capitalize()} on the prompt: {brightest_cell(shown, labels, len(labels) - 1)}",
            small=True,
            legend=False,
        ),
        note=over_many(field, float(values.max()), float(getattr(even, field)[0, 0]))
        + f"; on this prompt {number(float(getattr(here, field).ravel()[place]))}."
        + (f" The map shows the last {ENLARGED} tokens." if first else ""),
    )


def over_many(field: str, value: float, even: float) -> str:
    """Return what one measure of a head says over many texts."""
    if field == "spread":
        return f"Over many texts its entropy is {number(value)} of that of an even look"
    return f"Over many texts it gives {number(value)} to {LONG[field]}, an even look {number(even)}"


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
            page.write(f"<b>Step {step:,}</b>")
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
