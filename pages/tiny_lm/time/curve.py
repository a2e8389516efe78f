"""How the validation loss fell, on which kind of data at each step, and what is asked about it."""

import numpy as np

from attention_core.shipped.models import Curve, baselines_of
from pages.charts.lines import line_chart
from pages.look.facts import change, smallest
from pages.look.html import commas, number
from pages.page.page import Page
from pages.questions.kinds import Choice
from pages.tiny_lm.common import ceiling
from pages.tiny_lm.model_in_view import Own, Subject

PHASES = ("short exercises", "stories too")  # that Small Stories was trained on, one after the other
BEST = "The validation loss is measured on texts kept out of training. Which checkpoint predicts new text best?"
OVER = "The loss over the training. Dashed: the baselines, which only count tokens."
PHASED = " The training data were {} at first, then {}; the validation text is stories.".format(*PHASES)
CHOSEN = " Vertical line: the checkpoint in view."
LOWEST = "There the validation loss is lowest: {loss}."
MEMORISED = " After it the training loss still falls, to {learned}: the model memorises (overfitting)."
KNOWN = "Most of its validation text also stands in its training text, so this loss shows memory alone."
HIGHER = "There the validation loss is {loss}, which is not the lowest."


def draw_curve(page: Page, subject: Subject, curve: Curve, here: int | None, early: int = 0) -> None:
    """Draw the validation loss, a rule at a step if one is chosen; two lines if the data changed at step `early`."""
    source = subject.source
    known = dict(source.baselines) if isinstance(source, Own) else baselines_of(source.name)._asdict()
    steps = page.recipe.given("curve_steps", np.asarray(curve.steps))
    tested = page.recipe.given("curve_tested", np.asarray(curve.tested, float))
    page.prints("validation loss at the end", "curve_tested[-1]")
    lines = {"validation loss": tested}
    if isinstance(source, Own):
        learned = page.recipe.given("curve_learned", np.asarray(curve.learned, float))
        lines = {"training loss": learned} | lines  # in the order, and so the colours, of its training
    if early:
        last = steps[steps <= early].max(initial=0)  # at which both lines have a point
        parts = zip(PHASES, (steps <= early, steps >= last), strict=True)
        lines = {name: np.where(part, tested, np.nan) for name, part in parts}
    chart = line_chart(
        steps,
        lines,
        x_title="training steps",
        y_title=f"{'' if 'training loss' in lines else 'validation '}loss · nats per {subject.noun}",
        y_domain=(0.0, ceiling(*map(np.nanmax, lines.values()), *known.values())),
        x_domain=(int(steps[0]), subject.steps[-1]),  # a stopped run went on after its last test
        name="loss",
        sentence=f"{OVER}{PHASED * bool(early)}{'' if here is None else CHOSEN}",
        baselines=known,
        here=None if here is None else max(1, here),
        log_x=subject.name != "stories",
        height=250,
    )
    page.show(chart, note=KNOWN * source.knows)


def best_question(subject: Subject, curve: Curve) -> Choice | None:
    """Ask at which checkpoint the validation loss is lowest; where it is as low at others, each of them is right."""
    steps = [step for step in dict.fromkeys(subject.steps) if step <= curve.steps[-1]]
    tested, learned = (np.interp(steps, curve.steps, losses) for losses in (curve.tested, curve.learned))
    low = smallest(tested)
    if len(steps) < 3 or low.kind not in ("one", "several") or subject.source.knows:
        return None
    names = [f"step {commas(step)}" for step in steps]
    wrong = {name: HIGHER.format(loss=number(float(loss))) for name, loss in zip(names, tested, strict=True)}
    ways = change(float(learned[low.first]), float(learned[-1])), change(low.value, float(tested[-1]))
    memorises = ways == ("falls", "rises")
    why = LOWEST.format(loss=number(low.value)) + MEMORISED.format(learned=number(float(learned[-1]))) * memorises
    return Choice.of("way", BEST, [names[place] for place in low.places], why, wrong)
