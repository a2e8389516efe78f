"""Does it hold in a real one? The claims of all lessons, measured in a pretrained model and in one of the course."""

from markupsafe import Markup

from attention_core.arrays import Tokens
from attention_core.experiments.inside.head_patterns import CLEAR
from attention_core.pretrained import PretrainedModel
from attention_core.rows import row_norms
from pages.look import thumbnails
from pages.page.page import Page
from pages.page.steps import Step, Steps
from pages.reproduce.recipe import Step as Call
from pages.server.messages import Gone
from pages.tiny_lm.glimpse import glimpse
from pages.tiny_lm.model_in_view import STORY, Subject
from pages.tiny_lm.real import measured
from pages.tiny_lm.real.cache import draw_cache
from pages.tiny_lm.real.claims import claims
from pages.tiny_lm.real.heads import draw_heads
from pages.tiny_lm.real.lens import draw_lens
from pages.tiny_lm.real.model import MOST, model_here, model_name, said_real
from pages.tiny_lm.real.pieces import draw_tokens
from pages.tiny_lm.real.prediction import draw_prediction
from pages.tiny_lm.real.rows import draw_rows
from pages.tiny_lm.real.score import draw_score
from pages.tiny_lm.real.sizes import draw_parts
from pages.tiny_lm.real.stream import draw_contributions, draw_stream

STEP = Step(
    "real",
    "Does it hold in a real one?",
    "Toy models make each idea visible. Here a pretrained model reads your own text. Each row has a claim, its "
    "measure, and what both models say. Then look inside: at its tokens, heads, residual stream, parts and KV cache.",
    words="real real_at real_head real_layer real_look real_pattern",
)

NOT_HERE = (
    "This link leads to a step about a pretrained model. This server does not have one, so here is the first step. "
    "The list of models says how to add it."
)


def draw(page: Page, scene: Subject) -> None:
    """Show what both models say of the claims, or what the pretrained one makes of the text."""
    with page.fields:
        typed, left_out = page.controls.passage("real", "Text", STORY, width=440, height=100)
    if left_out:
        page.write(left_out, "note")
    try:
        real = model_here(page)
        if real is None:
            return
        said_real(page, real)
        ids = tokens_of(page, real, typed)
        look = page.controls.choice("real_look", "Look at", list(LOOKS), next(iter(LOOKS)))
        LOOKS[look](page, real, ids)
    except Gone:
        page.say(
            "The process that computes with the model has ended. It may lack memory. Reload this page to start it "
            "again."
        )


def draw_claims(page: Page, real: PretrainedModel, ids: Tokens) -> None:
    """Measure every claim in both models, and draw a row for each."""
    found = measured.measure(page, real, ids)
    page.prints("largest mean weight of a head on the previous token", "text.previous.value")
    draw_rows(page, model_name(), claims(found))
    page.write(
        f"This text has {len(ids)} tokens for {model_name()}. Small Stories reads it too, except where a row names "
        "another text. A claim that depends on the text may hold for one text and not for the next. “In part” begins "
        f"{CLEAR} above uniform attention, or at what guessing reaches in 1 of 20 cases. This course chose all other "
        "bounds.",
        "note",
    )


def tokens_of(page: Page, real: PretrainedModel, typed: str) -> Tokens:
    """Return the ids of a text, or of the usual one where it has fewer than two; note the call."""
    ids = real.encode(typed, special=False)
    if len(ids) < 2:
        page.write("A text needs two tokens, so the model reads its usual text.", "note")
        typed = STORY
        ids = real.encode(typed, special=False)
    most = min(MOST, real.config.max_len)
    if len(ids) > most:
        page.write(f"The model reads only the last {most} of {len(ids)} tokens, so that others need not wait.", "note")
    found = measured.array(ids[-most:])
    page.recipe.remember(Call("ids", f"np.array(model.encode({typed!r}, special=False)[-{most}:])", None, found))
    return found


LOOKS = {
    "claims": draw_claims,
    "tokens": draw_tokens,
    "prediction": draw_prediction,
    "heads": draw_heads,
    "score": draw_score,
    "stream": draw_stream,
    "contributions": draw_contributions,
    "logit lens": draw_lens,
    "parts": draw_parts,
    "KV cache": draw_cache,
}


def thumbnail(scene: Subject) -> Markup:
    """Return the small picture of the step: the length of the residual stream in the model in view."""
    norms = row_norms(glimpse(scene).inside.stream).mean(axis=-1)
    return thumbnails.thumbnail(thumbnails.bars((norms / norms.max()).tolist()), None)


def explain_absence(steps: Steps) -> None:
    """Say kindly that a link leads to this step on a server without a pretrained model."""
    if steps.page.controls.refused.get("tiny_lm_step") == __name__.rpartition(".")[2]:
        del steps.page.controls.refused["tiny_lm_step"]
        steps.note(NOT_HERE)
