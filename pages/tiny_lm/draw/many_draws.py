"""One decision sampled many times, beside its probabilities."""

import numpy as np
import streamlit as st

from attention_core.experiments.language.next_token import (
    draw_counts,
)
from pages.charts.bars import fraction_bars
from pages.look.html import quoted
from pages.page.fields.buttons import put_button
from pages.page.page import Page
from pages.tiny_lm.draw.decision import Decision
from pages.tiny_lm.model_in_view import Subject

TIMES = {"10": 10, "100": 100, "1,000": 1000, "10,000": 10_000}
MOST_AGAIN = 999


def draw_many(page: Page, subject: Subject, decision: Decision) -> None:
    """Sample one decision many times, and compare the fractions with the probabilities."""
    legal = frozenset(map(str, range(MOST_AGAIN + 1)))
    again = int(page.controls.mark("again", "Samples repeated", "0", legal.__contains__))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        times = page.controls.choice("times", "Number of samples", list(TIMES), "1,000")
        fixed = "again" in page.controls.locked or again == MOST_AGAIN
        put_button(page, "Sample again", {"again": str(again + 1)}, "again", ":material/casino:", disabled=fixed)
    n_draws, table = TIMES[times], decision.table
    seed = decision.sampling.seed + 10_000 * again
    counts = page.recipe.run("counts", draw_counts, decision.found, decision.place, n_draws, seed)
    fractions = counts[table.tokens] / n_draws
    rows = list(range(min(10, len(table.tokens))))
    furthest = int(np.abs(fractions - table.shares).argmax())
    token = quoted(subject.token(int(table.tokens[furthest])))
    came = int(counts[table.tokens[furthest]])
    chart = fraction_bars(
        [subject.token(int(table.tokens[rank])) for rank in rows],
        fractions[rows],
        kept=table.kept[rows],
        expected=table.shares[rows],
        name="many samples",
        sentence=f"Of {times} samples {came:,} are {token}; {table.shares[furthest] * n_draws:,.1f} were expected. "
        "This is the largest difference.",
        title="fraction of the samples",
        of=subject.unit,
    )
    n_came = int(np.count_nonzero(counts))
    some = f"{n_came} different {subject.unit}s" if n_came > 1 else f"A single {subject.unit}"
    page.show(
        chart,
        note=f"Bars: fractions of the samples. Ticks: probabilities. {some} came up. With more samples, the bars tend "
        "to the ticks.",
    )
