"""All examples of a text in one pass, beside a pass for each: in any order, the probabilities are the same."""

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.language.text_loss import Examples, probabilities_alone
from pages.look.html import tiny
from pages.motion.bars import Panel, moving_bars
from pages.motion.sliders import over_numbers
from pages.page.page import Page
from pages.tiny_lm.model_in_view import Subject

MAX_EXAMPLES = 12  # examples, the last ones
ORDERS = ("first to last", "last to first", "shuffled")


def draw_one_pass(page: Page, subject: Subject, cases: Examples) -> None:
    """Let the student make a pass for each example, one by one, beside a single pass for all."""
    if not subject.model.config.causal:
        page.write("This model has no causal mask, so each example would need a separate pass.", "note")
        return
    n_rows = len(cases.losses)
    first = max(0, n_rows - MAX_EXAMPLES)
    rows = range(first, n_rows)
    order = in_order(page.controls.choice("row_order", "Order of the passes", ORDERS, ORDERS[1]), len(rows))
    made = min(page.controls.number("passes", "Passes", 0, MAX_EXAMPLES, 0, 1), len(rows))
    alone = page.recipe.run_once("each_alone", probabilities_alone, subject.model, subject.tokens, [*rows])
    together = cases.target_bets[first:]
    words = [subject.token(int(token)) for token in subject.tokens]
    every = np.arange(len(rows) + 1)
    panels = [
        panel("One pass for all", np.where(every[:, None] > 0, together, np.nan), every.clip(max=1) * len(rows)),
        panel("A pass for each", np.where(every[:, None] > order.argsort(), alone, np.nan), every),
    ]
    page.head("Drag the passes.", "A bar is the probability of a target, as soon as a pass has computed it.")
    labels = [f"{row + 1} → {words[row + 1]}" for row in rows]
    moving_bars(
        page,
        "passes",
        labels,
        panels,
        over_numbers("passes", "Passes of the model", range(len(rows) + 1), made),
        of="probability",
    )
    which = f" Only the last {len(rows)} of {n_rows} examples are shown." if first else ""
    apart = float(np.abs(alone - together).max())
    page.write(
        Markup(
            "On the right, each pass reads only one context, in the order that you chose. The two ways differ by at "
            "most {}. The causal mask blocks every later token. So training computes all rows at once, in no order, "
            "and does not read from left to right.{}"
        ).format(tiny(apart), which),
        "note",
    )


def in_order(name: str, n_rows: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return which row each pass computes."""
    rows = np.arange(n_rows)
    return {ORDERS[0]: rows, ORDERS[1]: rows[::-1]}.get(name, np.random.default_rng(n_rows).permutation(n_rows))


def panel(title: str, frames: Array, known: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Panel:
    """Return the bars of one way, and how many are known after each pass."""
    notes = [f"{count} of {frames.shape[1]} probabilities are known." for count in known]
    return Panel(title, frames, "Passes: {at}.", notes)
