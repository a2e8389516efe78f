"""A greedy text beside a sampled one, and how much either surprises the model."""

from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.language.next_token import (
    SeedSurprisals,
    Surprisal,
    measure_surprisal,
    surprisals_of_seeds,
)
from attention_core.model.generate import decisions
from pages.charts.bars import signed_bars
from pages.charts.chart import Chart, rung
from pages.charts.lines import line_chart
from pages.look.html import number
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step
from pages.server.model_cache import is_kept
from pages.tiny_lm.checkpoints import patience
from pages.tiny_lm.common import generated_text, several
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import Sampling, chosen_sampling, only_answers, say_limits

STEP = Step(
    "greedy",
    "Greedy decoding always writes the same text",
    "**Greedy decoding** takes the likeliest token each time. Nothing is random. Compare its text with sampled ones.",
    words="n_drawn",
)

LENGTHS = ("20", "40", "60")
N_SEEDS = 8  # one sampled text may be an exception


def draw(page: Page, subject: Subject) -> bool:
    """Show a greedy text beside a sampled one, and how much either surprises the model."""
    sampling = chosen_sampling(page)
    if only_answers(subject):
        say_limits(page, subject)
        return True
    length = int(page.controls.choice("n_drawn", f"New {subject.unit}s", LENGTHS, LENGTHS[0]))
    heat = sampling.temperature or 1.0
    way = Sampling(heat, *sampling[1:]) if sampling.temperature else Sampling(1.0, None, None, sampling.seed)
    greedy = page.recipe.run_once("greedy", decisions, subject.model, subject.tokens, length, 0.0)
    sampled = page.recipe.run_once("sampled", decisions, subject.model, subject.tokens, length, *way)
    surprisals = [
        page.recipe.run(f"{name}_surprisal", measure_surprisal, text)
        for name, text in (("greedy", greedy), ("sampled", sampled))
    ]
    with patience(
        f"{N_SEEDS} texts are sampled",
        is_kept(surprisals_of_seeds, subject.model, subject.tokens, length, N_SEEDS, *way[:3]),
    ):
        seeds = page.recipe.run_once(
            "seeds", surprisals_of_seeds, subject.model, subject.tokens, length, N_SEEDS, *way[:3]
        )
    asked = partial(surprise_question, surprisals[0].surprise, seeds, way.how)
    if not page.ask(page.question("surprise", asked)):
        return False
    page.prints("mean surprisal of the greedy text", "greedy_surprisal.surprise")
    titles = ("Greedy: always the likeliest", f"Sampled: {way.how}, seed {sampling.seed}")
    for side, title, text, found in zip(
        st.columns(2, gap="medium"), titles, (greedy, sampled), surprisals, strict=True
    ):
        with side:
            page.heading(title, small=True)
            again = int(found.repeats.sum())
            loop = (
                f"The text ends in a loop of {several(found.period, subject.unit)}."
                if found.period
                else "The text does not end in a loop."
            )
            page.write(generated_text(subject, text, length, again=found.repeats, ends=False, prompted=False))
            page.write(
                Markup(
                    "Mean surprisal: <b>{1} nats</b>. Underlined, {2} of {3}: the last {0} of a repeated 4-gram. {4}"
                ).format(subject.unit, number(found.surprise), again, length, loop),
                "note",
            )
    page.show(
        bars_of_seeds(surprisals[0].surprise, seeds),
        note=f"The standard deviation of the others is {number(seeds.deviation)}. Surprisal is −log p, where p is the "
        "probability that the model gave.",
    )
    page.look_closer(
        f"Surprisal, {subject.unit} by {subject.unit}", lambda: page.show(lines_of(subject, length, surprisals))
    )
    return True


def bars_of_seeds(greedy: float, seeds: SeedSurprisals) -> Chart:
    """Return the mean surprisal of the greedy text above those of texts that are sampled with several seeds."""
    values = np.array([greedy, *seeds.surprises])
    below = int((seeds.surprises > greedy).sum())
    return signed_bars(
        ["greedy", *(f"seed {seed}" for seed in range(N_SEEDS))],
        values,
        limit=rung(float(values.max())),
        name="mean surprisal by seed",
        sentence=f"The greedy text has a lower mean surprisal than {below} of {N_SEEDS} sampled texts: {greedy:.2f} "
        f"nats, and {seeds.mean:.2f} on average.",
        title="mean surprisal · nats",
        of="text",
        positive=True,
    )


def lines_of(subject: Subject, length: int, surprisals: list[Surprisal]) -> Chart:
    """Return the surprisal of each token of the greedy text and of a sampled one."""
    most = rung(max(float(found.surprises.max()) for found in surprisals))
    return line_chart(
        np.arange(1, length + 1),
        {name: found.surprises for name, found in zip(("sampled", "greedy"), surprisals[::-1], strict=True)},
        x_title=f"new {subject.unit}",
        y_title="surprisal · nats",
        y_domain=(0, most),
        name="surprisal",
        sentence=f"The largest surprisal is {surprisals[1].surprises.max():.2f} nats in the sampled text, and "
        f"{surprisals[0].surprises.max():.2f} in the greedy one.",
        number="",
    )


def surprise_question(greedy: float, seeds: SeedSurprisals, how: str, variant: int) -> Choice:
    """Ask whether greedy or sampled texts surprise the model less, on average over seeds."""
    names = ("The greedy text", "The sampled texts", "Both equally")
    right = 2 if abs(greedy - seeds.mean) < 0.005 else 0 if greedy < seeds.mean else 1
    reasons = {
        names[0]: "Each of its tokens is the likeliest at its position. But that path can lead to uncertain positions.",
        names[1]: "Sampling sometimes picks an unlikely token, and its −log p is large.",
        names[2]: "The texts get different probabilities, so their means differ.",
    }
    if right == 2:
        reasons = dict.fromkeys(names, "The means are equal, as they are if sampling keeps only the likeliest token.")
    text = (
        f"Texts continue your prompt: one is greedy, {N_SEEDS} others are sampled ({how}). The surprisal of a token is "
        "−log p, with p from the model. Which have the lower mean surprisal?"
    )
    below = int((seeds.surprises > greedy).sum())
    why = (
        f"Mean surprisal: greedy {number(greedy)}, sampled {number(seeds.mean)} nats per token. It is lower in the "
        f"greedy text than in {below} of {N_SEEDS} sampled ones."
    )
    return Choice.shuffled("surprise", text, [names[right]], why, reasons | {names[right]: ""}, variant)
