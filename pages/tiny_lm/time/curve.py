"""How the validation loss fell, on which kind of data at each step, and what is asked about it."""

import numpy as np

from attention_core.shipped.models import Curve, baselines_of
from attention_core.shipped.plans import MODELS
from pages.charts.lines import line_chart
from pages.look.html import commas, number
from pages.page.page import Page
from pages.questions.kinds import Choice
from pages.tiny_lm.common import ceiling
from pages.tiny_lm.model_in_view import Own, Subject

PHASES = ("short exercises", "stories too")  # that Small Stories was trained on, one after the other
PHASE = (
    "The validation loss is measured on whole stories. At first this model read only short exercises, and became sure "
    "of tokens that stories seldom have. From which step on did it read whole stories too?"
)
FED = "Soon after step {step} the loss falls below its start, {loss}, and stays there."
UNFED = "There the loss is {loss}, and long after it is no lower than before training."
FED_LATE = "There the loss is {loss}: it has fallen already."
PARTS = (("half", 0.5), ("nine tenths", 0.9), ("three quarters", 0.75))
WAY = (
    "The validation loss goes down from {first} to {last} nats in {steps} steps. Which is the first of these "
    "checkpoints with at least {part} of the drop?"
)
BEFORE = "There the loss is {loss}, so {part} of the drop is not made."
AFTER = "An earlier checkpoint has made {part} of the drop."
REACHED = "After {steps} steps the loss is {loss} nats."


def draw_curve(page: Page, subject: Subject, curve: Curve, here: int, early: int = 0) -> None:
    """Draw the validation loss with a rule at a step; a line for each kind of data if these changed at step `early`."""
    source = subject.source
    known = dict(source.baselines) if isinstance(source, Own) else baselines_of(source.name)._asdict()
    steps = page.recipe.given("curve_steps", np.asarray(curve.steps))
    tested = page.recipe.given("curve_tested", np.asarray(curve.tested, float))
    page.prints("validation loss at the end", "curve_tested[-1]")
    lines = {"validation loss": tested}
    if early:
        last = steps[steps <= early].max(initial=0)  # at which both lines have a point
        lines = {
            PHASES[0]: np.where(steps <= early, tested, np.nan),
            PHASES[1]: np.where(steps >= last, tested, np.nan),
        }
    chart = line_chart(
        steps,
        lines,
        x_title="training steps",
        y_title=f"validation loss · nats per {subject.noun}",
        y_domain=(0.0, ceiling(tested.max(), *known.values())),
        x_domain=(int(steps[0]), max(int(steps[-1]), subject.steps[-1])),  # a stopped run went on after its last test
        name="loss",
        sentence="The validation loss. Vertical line: the checkpoint in view.",
        baselines=known,
        here=max(1, here),
        log_x=subject.name != "stories",
        height=250,
    )
    page.show(chart)


def phase_question(subject: Subject, curve: Curve, _: int) -> Choice:
    """Ask from which step on the training had other data, of a model whose validation loss falls only then."""
    early, wrong = MODELS[subject.name].plan.first, {}
    for step in (early // 4, early // 2, early, 2 * early):
        told = FED_LATE if step > early else UNFED
        wrong[f"step {commas(step)}"] = told.format(loss=number(float(np.interp(step, curve.steps, curve.tested))))
    why = FED.format(step=commas(early), loss=number(float(curve.tested[0])))
    return Choice.of("way", PHASE, f"step {commas(early)}", why, wrong)


def way_question(subject: Subject, curve: Curve, variant: int) -> Choice | None:
    """Ask by which checkpoint the loss has made half of its drop, or in later variants another part."""
    said, part = PARTS[variant % len(PARTS)]
    steps = [step for step in dict.fromkeys(subject.steps[1:]) if step <= curve.steps[-1]]
    losses = np.interp([0, *steps], curve.steps, curve.tested)
    whole = float(losses[0] - losses[-1])
    if whole <= 0 or len(steps) < 3:
        return None
    right = int(np.flatnonzero((losses[0] - losses[1:]) / whole >= part)[0])
    first, *shown = (number(float(loss)) for loss in losses)
    names = [f"step {commas(step)}" for step in steps]
    wrong = {
        name: (BEFORE if place < right else AFTER).format(loss=loss, part=said)
        for place, (name, loss) in enumerate(zip(names, shown, strict=True))
    }
    text = WAY.format(first=first, last=shown[-1], steps=commas(steps[-1]), part=said)
    why = REACHED.format(steps=commas(steps[right]), loss=shown[right])
    return Choice.of("way", text, names[right], why, wrong)
