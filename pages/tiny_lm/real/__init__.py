"""The claims of all lessons, measured in a pretrained model and in one of the course."""

from markupsafe import Markup

from attention_core.experiments.inside.real_claims import shipped_claims
from pages.look.html import inline, quoted, table
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.real.claims import RealClaim, Side, claims
from pages.tiny_lm.real.kite import draw_kite
from pages.tiny_lm.real.measured import measure_toys

STEP = Step(
    "real",
    "Do the claims hold in a real model?",
    "Toy models make each idea visible. Here the claims of the lessons meet a pretrained model. Guess before each one. "
    "A claim holds only if its number is beyond a bound, mostly its **null**: what the measure gives without the "
    "pattern.",
    words="claim",
    experiment="kite",
)
KITE = "A larger model knows the colour of the kite"
MARKS = {"holds": "right", "does not hold": "wrong"}
MEASURED = (
    "{name} ({file}) read {text}, and {copied}. How: {how}. Small Stories reads the same text after its start token. A "
    "claim may hold for one text and not for the next."
)


def draw(page: Page, _: Subject) -> bool:
    """Let students choose a claim, and ask whether it holds before showing what was measured in both models."""
    name, read, found = (shipped_claims()[key] for key in ("model", "text", "found"))
    every = claims(found, measure_toys(page, read))
    with page.fields:
        said = page.controls.select("claim", "Claim", [KITE, *(one.claim for one in every)], KITE, width=380)
    if said == KITE:
        return draw_kite(page, name)
    (claim,) = (one for one in every if one.claim == said)
    page.say(claim.measure, "")
    if not page.ask(guess(name, claim)):
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
    page.look_closer("How this was measured", lambda: page.write(how_measured(), "note"))
    return True


def how_measured() -> str:
    """Return what text both models read, and where the numbers that ship are from."""
    said = shipped_claims()
    text = {"file": said["file"], "text": quoted(said["text"]), "copied": said["copied"], "how": said["how"]}
    return MEASURED.format(name=said["model"], **text)


def guess(name: str, claim: RealClaim) -> Choice:
    """Ask whether a claim holds."""
    text, said = f"“{claim.claim}.” Will that hold in {name}?", claim.real.said
    return Choice.of(f"claim_{claim.name}", text, claim.real.verdict, said, dict.fromkeys(MARKS, said))


def drawn(side: Side, name: str) -> Markup:
    """Return what one model shows: its picture, its number, and whether the claim holds."""
    return Markup('<div><span class="soft">{}</span> <b class="{}">{}</b>{}<p>{}</p></div>').format(
        name, MARKS.get(side.verdict, "soft"), side.verdict, side.picture, inline(side.said)
    )
