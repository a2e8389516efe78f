"""How much of a head's weight its name explains, and examples from where it explains most to where least."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array, Tokens
from attention_core.experiments.inside.head_jobs import JobExamples, decile_examples, example_weights, job_examples
from attention_core.experiments.inside.head_patterns import (
    NOTHING,
    Habits,
    Patterns,
    habits_above,
    pattern_targets,
    patterns,
    uniform_patterns,
)
from pages.charts.bars import fraction_bars
from pages.charts.chart import Chart
from pages.heads.side_by_side import head_buttons
from pages.look import cards
from pages.look.html import number, percent
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.server.model_cache import is_kept
from pages.tiny_lm.checkpoints import moments_of, patience, record_model
from pages.tiny_lm.common import head_name, head_names
from pages.tiny_lm.heads.over_texts import texts
from pages.tiny_lm.heads_view import LONG, SHORT, chosen_head, head_word
from pages.tiny_lm.model_in_view import Subject, visible

CLEAREST = "its clearest"
MOST_HAVE = 0.9  # beyond, the mean over the tokens with such a key is the answer, so it is no mistake
JOBS = {field: word for field, word in SHORT.items() if field != "spread"}
DARKEST = 55  # per cent of the colour of attention behind a token, so that it stays readable


def draw_examples(page: Page, subject: Subject) -> bool:
    """Ask how much of a head's weight its name explains, and show it with examples by decile."""
    rows, which = texts(page, subject, record_model(page, moments_of(subject)[-1]))
    with patience("Measuring every head over many texts", is_kept(patterns, subject.model, rows)):
        after = page.recipe.run_once("after", patterns, subject.model, rows)
        even = page.recipe.run_once("uniform", uniform_patterns, subject.model, rows)
    named = page.recipe.run("clearest", habits_above, after, even)
    layer, head = chosen_head(page, *named.above.shape) or usual_head(after, named)
    clear = int(named.pattern[layer, head])
    field = list(LONG)[clear] if clear != NOTHING else "previous"
    names = head_names(*named.above.shape)
    name = head_name(names[layer * named.above.shape[1] + head])
    found = page.recipe.run_once("named", job_examples, subject.model, rows, layer, head, field)
    if subject.step and clear != NOTHING and not page.ask(share_question(name, field, found)):
        return False
    cells = [head_word(*place) for place in np.ndindex(named.above.shape)]
    head_buttons(page, dict(zip(cells, names, strict=True)), head_word(layer, head))
    job = page.controls.choice("job", "Job", [CLEAREST, *JOBS.values()], CLEAREST)
    if job != CLEAREST:
        field = next(each for each, word in JOBS.items() if word == job)
    found = page.recipe.run_once("examples", job_examples, subject.model, rows, layer, head, field)
    page.prints(f"fraction of the weight of {name} on {LONG[field]}", "examples.explained")
    if clear == NOTHING and job == CLEAREST:
        page.write(f"These measures do not name {name}. So this is its weight on {LONG[field]}.")
    if not len(found.weights):
        page.write(f"In {which}, no token has such a key.")
        return True
    left, right = st.columns([1.18, 1], gap="large")
    with left:
        page.show(decile_bars(found), note=f"Each bar is a tenth of the tokens that have such a key, in {which}.")
    with right, st.container(border=True):
        page.write(job_card(name, field, found))

    def examples() -> None:
        deciles = [str(place + 1) for place in range(len(found.deciles))]
        decile = deciles.index(page.controls.choice("decile", "Decile, from the strongest", deciles, deciles[0]))
        places = page.recipe.run("places", decile_examples, found, decile)
        weights = page.recipe.run("weights", example_weights, subject.model, rows, layer, head, found, places)
        page.write(example_texts(subject, rows, found, field, places, weights))
        page.write(
            "Framed: the query. The stronger its colour, the larger a token’s weight. Underlined: keys of this job. "
            f"Grey: later tokens. {subject.origin}",
            "note",
        )

    page.look_closer("Examples, from where the name explains most to where least", examples)
    return True


def usual_head(after: Patterns, named: Habits) -> tuple[int, int]:
    """Return the head with most weight on induction if that is its name, else the head with the clearest name.

    Weight on the token itself needs no search, so a head with that name is taken only if there is no other.
    """
    best, names = int(after.induction.argmax()), list(LONG)
    if named.pattern.ravel()[best] != names.index("induction"):
        searches = (named.pattern != NOTHING) & (named.pattern != names.index("self"))
        best = int(np.where(searches, named.above, named.above - 1).argmax())
    layer, head = divmod(best, named.above.shape[1])
    return layer, head


def decile_bars(found: JobExamples) -> Chart:
    """Return the mean weight on the keys of a job in each tenth of the examples."""
    first, last = (number(float(found.deciles[place])) for place in (0, -1))
    return fraction_bars(
        [str(place + 1) for place in range(len(found.deciles))],
        found.deciles,
        name="weight on the job by decile",
        sentence=f"Mean weight on the job by decile: {first} in the first, {last} in the last.",
        title="mean weight",
        of="decile",
    )


def job_card(name: str, field: str, found: JobExamples) -> Markup:
    """Return how much of a head's weight a job explains."""
    lines = [
        ("tokens with such a key", "", percent(found.have)),
        ("mean weight of these tokens on such keys", "", number(float(found.weights.mean()))),
        ("all the head’s weight that is on such keys", "", percent(found.explained)),
        ("its weight on other keys", "", percent(1 - found.explained)),
        ("texts where such keys get more than half", "", percent(found.mostly)),
    ]
    title = Markup("{} on {}").format(name.capitalize(), LONG[field])
    said = Markup('<p class="soft" style="margin-top:10px">{}</p>').format(
        "A name is what a head attends to most clearly, not all that it attends to."
    )
    return cards.card(title, cards.listed(lines), said)


def example_texts(
    subject: Subject, rows: Tokens, found: JobExamples, field: str, places: Array, weights: Array
) -> Markup:
    """Return texts, token by token, each as dark as its weight for one query."""
    blocks = []
    for place, row in zip(places, weights, strict=True):
        text, query = rows[found.texts[place]], int(found.queries[place])
        targets = pattern_targets(text[None], subject.model.config.causal)[field][0, query]
        blocks.append(
            Markup('<p style="margin-top:14px"><b>{}</b> <span class="soft">weight on this job</span></p>{}').format(
                number(float(found.weights[place])), example_text(subject, text, query, row, targets)
            )
        )
    return Markup("").join(blocks)


def example_text(subject: Subject, text: Tokens, query: int, weights: Array, targets: Array) -> Markup:
    """Return one text: its query framed, its tokens as dark as their weights, the keys of a job underlined."""
    parts = []
    for place, token in enumerate(text):
        word = subject.vocabulary.tokens[int(token)]
        marks = ["picked"] * (place == query) + ["again"] * bool(targets[place])
        marks += ["next"] * (subject.model.config.causal and place > query)
        share = f"{DARKEST * float(weights[place]):.0f}%"
        shade = f"background:color-mix(in srgb,var(--attention) {share},transparent);padding:1px 2px"
        shade += ";margin:0 3px" if place == query else ""
        parts.append(
            Markup('<span class="{}" style="{}" title="{}: {}">{}</span>{}').format(
                " ".join(marks),
                shade,
                visible(word),
                number(float(weights[place])),
                word if word.strip() else visible(word),
                subject.space,
            )
        )
    return Markup('<div class="spoken small">{}</div>').format(Markup("").join(parts))


def share_question(name: str, field: str, found: JobExamples) -> Choice:
    """Ask which fraction of a head's weight its name explains, roughly."""
    where, right = float(found.weights.mean()), round(float(found.explained), 1)
    options = sorted({1.0, right, *([round(where, 1)] if found.have < MOST_HAVE else [])} | {max(0.1, right / 2)})
    why = (
        f"{percent(found.have)} of the tokens have such a key and give it {number(where)}, so it gets "
        f"{percent(found.explained)} of all weight. The rest is on keys that the name does not mention."
    )
    wrong = "You expected less. Look at how many of the tokens have such a key."
    mistakes = {
        1.0: "A name is not the head’s only job. Its weights sum to 1 for each token, whatever its name is.",
        round(where, 1): "That is the mean over the tokens with such a key. The other tokens count too.",
    }
    return Choice(
        "one_job",
        f"{name.capitalize()} is named after {LONG[field]}. What fraction of all its weight lies on such keys?",
        tuple(percent(option) for option in options),
        (options.index(right),),
        why,
        tuple(mistakes.get(option, wrong) for option in options),
    )
