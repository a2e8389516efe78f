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
FED = "Soon after step {} the loss falls below its start, {}, and stays there."
UNFED = "There the loss is {loss}, and long after it is no lower than before training."
FED_LATE = "There the loss is {loss}: it has fallen already."


def draw_curve(page: Page, subject: Subject, curve: Curve, here: int, early: int = 0) -> None:
    """Draw the validation loss with a rule at a step; a line for each kind of data if these changed at step `early`."""
    source = subject.source
    known = dict(source.baselines) if isinstance(source, Own) else baselines_of(source.name)._asdict()
    steps = page.recipe.given("curve_steps", np.asarray(curve.steps))
    tested = page.recipe.given("curve_tested", np.asarray(curve.tested, float))
    page.prints("validation loss at the end", "curve_tested[-1]")
    lines = {"validation loss": tested}
    if early:
        lines = {
            PHASES[0]: np.where(steps <= early, tested, np.nan),
            PHASES[1]: np.where(steps >= steps[steps <= early].max(initial=0), tested, np.nan),
        }
    changed = f" Up to step {early:,} the model read {PHASES[0]}, then {PHASES[1]}." if early else ""
    sentence = (
        f"The validation loss goes from {number(float(tested[0]))} nats at step {int(steps[0]):,} to "
        f"{number(float(tested[-1]))} at step {int(steps[-1]):,}.{changed}"
    )
    chart = line_chart(
        steps,
        lines,
        x_title="training steps",
        y_title=f"validation loss · nats per {subject.noun}",
        y_domain=(0.0, ceiling(tested.max(), *known.values())),
        x_domain=(int(steps[0]), max(int(steps[-1]), subject.steps[-1])),  # a stopped run went on after its last test
        name="loss",
        sentence=sentence,
        baselines=known,
        here=max(1, here),
        log_x=subject.name != "stories",
        height=250,
    )
    page.show(chart, note=f"Vertical line: step {here:,}.")


def phase_question(subject: Subject, curve: Curve, _: int) -> Choice:
    """Ask from which step on the training had other data, of a model whose validation loss falls only then."""
    early = MODELS[subject.name].plan.first
    start, steps = float(curve.tested[0]), (early // 4, early // 2, early, 2 * early)
    losses = [float(loss) for loss in np.interp(steps, curve.steps, curve.tested)]
    text = (
        "The validation loss is measured on whole stories. At first this model read only short exercises, and became "
        "sure of tokens that stories seldom have. From which step on did it read whole stories too?"
    )
    kinds = ("" if step == early else FED_LATE if step > early else UNFED for step in steps)
    mistakes = tuple(told.format(loss=number(loss)) for told, loss in zip(kinds, losses, strict=True))
    why = FED.format(commas(early), number(start))
    return Choice("way", text, tuple(f"step {commas(step)}" for step in steps), (steps.index(early),), why, mistakes)


def way_question(subject: Subject, curve: Curve, variant: int) -> Choice | None:
    """Ask by which checkpoint the loss has made half of its drop, or in later variants another part."""
    part, said = ((0.5, "half"), (0.9, "nine tenths"), (0.75, "three quarters"))[variant % 3]
    steps = [step for step in dict.fromkeys(subject.steps[1:]) if step <= curve.steps[-1]]
    losses = np.interp([0, *steps], curve.steps, curve.tested)
    whole = float(losses[0] - losses[-1])
    if whole <= 0 or len(steps) < 3:
        return None
    done = (losses[0] - losses[1:]) / whole
    right = int(np.flatnonzero(done >= part)[0])
    text = (
        f"The validation loss goes down from {number(float(losses[0]))} to {number(float(losses[-1]))} nats in "
        f"{commas(steps[-1])} steps. Which is the first of these checkpoints with at least {said} of the drop?"
    )
    mistakes = tuple(
        f"There the loss is {number(float(loss))}, so {said} of the drop is not made."
        if place < right
        else f"An earlier checkpoint has made {said} of the drop."
        for place, loss in enumerate(losses[1:])
    )
    why = f"After {commas(steps[right])} steps the loss is {number(float(losses[1 + right]))} nats."
    return Choice("way", text, tuple(f"step {commas(step)}" for step in steps), (right,), why, mistakes)
