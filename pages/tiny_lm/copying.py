"""The heads that copy, scored over many sequences that no training saw."""

from attention_core.arrays import Tokens
from attention_core.experiments.inside.induction import CopyScores, copy_scores, recall_rows
from attention_core.text.corpora import HELD_OUT
from pages.page.page import Page
from pages.server.model_cache import is_kept
from pages.tiny_lm.checkpoints import At, moments_of, patience, record_model
from pages.tiny_lm.model_in_view import Subject

ROWS, LENGTH, SEED = 64, 32, HELD_OUT  # the sequences over which heads are scored


def moment_in_view(subject: Subject) -> At:
    return next(at for at in moments_of(subject) if at.model is subject.model)


def held_out_rows(page: Page) -> Tokens:
    """Return the sequences over which heads are scored."""
    rows: Tokens = page.recipe.run("rows", recall_rows, ROWS, LENGTH, SEED)
    return rows


def copy_scores_of(page: Page, moments: list[At], rows: Tokens) -> list[CopyScores]:
    """Return how well the heads copy at some checkpoints; one that comes again is scored once."""
    models = {at.step: record_model(page, at) for at in moments}
    with patience("Scoring the heads", all(is_kept(copy_scores, model, rows) for model in models.values())):
        found = {
            step: page.recipe.run_once(f"scores_{step}", copy_scores, model, rows) for step, model in models.items()
        }
    return [found[at.step] for at in moments]
