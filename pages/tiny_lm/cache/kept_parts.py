"""Why the cache keeps keys and values but no queries: each is set to 0, and the prediction is computed again."""

from attention_core.experiments.language.kv_cache_proof import PARTS, predict_after_erasing
from pages.look.facts import largest
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.tiny_lm.common import bet_bars
from pages.tiny_lm.model_in_view import Subject

N_TOKENS = 5  # tokens


def draw_kept_parts(page: Page, subject: Subject) -> None:
    """Let the student erase a part of the cache, and draw the prediction."""
    if not subject.model.config.causal or min(len(subject.tokens), subject.model.config.max_len) < 2:
        page.write("This needs a causal mask and two tokens.", "note")
        return
    part = page.controls.choice("erase", "Set to 0 at all earlier positions", PARTS, PARTS[1])
    whole = page.recipe.run_once("nothing_erased", predict_after_erasing, subject.model, subject.tokens, PARTS[0])
    left = page.recipe.run_once("erased", predict_after_erasing, subject.model, subject.tokens, part)
    bet_bars(page, subject, left, "prediction from the cache", most=N_TOKENS)
    best = largest(whole).first
    why = {
        PARTS[0]: "This is the prediction with the complete cache.",
        PARTS[1]: "All scores with earlier keys are now 0, before any distance penalty. So no earlier key can be found "
        "by content.",
        PARTS[2]: "Earlier positions contribute nothing to the output, whatever their weights.",
        PARTS[3]: "No query of an earlier position is used again, so there is nothing to keep.",
    }[part]
    page.write(
        f"{why} The probability of {quoted(subject.token(best))} is {number(float(left[best]))}, with the complete "
        f"cache {number(float(whole[best]))}. Probabilities change by up to {number(float(abs(whole - left).max()))}.",
        "note",
    )
