"""Why the cache keeps keys and values but no queries: each is set to 0, and the prediction is computed again."""

import numpy as np

from attention_core.experiments.language.kv_cache_proof import PARTS, predict_after_erasing
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.tiny_lm.common import bet_bars
from pages.tiny_lm.model_in_view import Subject

N_TOKENS = 5  # tokens


def draw_kept_parts(page: Page, subject: Subject) -> bool:
    """Ask why queries are not kept, then let the student erase a part. False while it is asked."""
    page.heading("Why not queries?", small=True)
    if not page.ask(query_question()):
        return False
    if not subject.model.config.causal or min(len(subject.tokens), subject.model.config.max_len) < 2:
        return True
    part = page.controls.choice("erase", "Set to 0 at all earlier positions", PARTS, PARTS[1])
    whole = page.recipe.run_once("nothing_erased", predict_after_erasing, subject.model, subject.tokens, PARTS[0])
    left = page.recipe.run_once("erased", predict_after_erasing, subject.model, subject.tokens, part)
    bet_bars(page, subject, left, "prediction from the cache", most=N_TOKENS)
    best, change = int(whole.argmax()), float(np.abs(whole - left).max())
    why = {
        PARTS[0]: "This is the prediction with the complete cache.",
        PARTS[1]: "All scores with earlier keys are now 0, before any distance penalty. So no key can be found by its "
        "content.",
        PARTS[2]: "The weights stay, but earlier positions contribute nothing to the output.",
        PARTS[3]: "No query of an earlier position is used again, so there is nothing to keep.",
    }[part]
    page.write(
        f"{why} The probability of {quoted(subject.token(best))} is {number(float(left[best]))}, with the complete "
        f"cache {number(float(whole[best]))}. The largest change is {number(change)}.",
        "note",
    )
    return True


def query_question() -> Choice:
    """Ask why queries are not kept."""
    right = "Only its own position uses a query"
    mistakes = {
        right: "",
        "Queries change with every new token": "With a causal mask, nothing at an earlier position changes.",
        "Queries would need too much memory": "A query is as large as a key. Size is not the reason.",
        "Queries are the same at every position": "Each position computes its query from its own vector.",
    }
    return Choice.shuffled(
        "query",
        "The cache keeps keys and values. Why not queries?",
        [right],
        "Later tokens use the key and the value of a position, but never its query.",
        mistakes,
        0,
    )
