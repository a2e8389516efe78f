"""How the validation loss fell, on which kind of data at each step, and what is asked about it."""

import numpy as np

from attention_core.shipped.models import Curve, baselines_of
from pages.charts.lines import line_chart
from pages.look.facts import as_shown, change, several, smallest
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
SUGGESTS = (
    "After {step}, the validation loss is {loss}. The dashed baselines only count. By comparison, what does the model "
    "use to predict?"
)
USES = (  # by the number of baselines that its loss is below
    "nothing that helps yet",
    "how often each token occurs",
    "the token before",
    "the last two tokens",
    "more than the last two tokens",
)
BELOW, NOT_BELOW = "Its loss is below the {name}’s, {known}.", "Its loss is not below the {name}’s, {known}."
HIGHER = "There the validation loss is {loss}, which is not the lowest."


def draw_curve(page: Page, subject: Subject, curve: Curve, here: int | None, early: int = 0) -> None:
    """Draw the validation loss, a rule at a step if one is chosen; two lines if the data changed at step `early`."""
    source, known = subject.source, known_of(subject)
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
    """Ask which checkpoint is the best of a model that memorises; if several are as good, each is right."""
    steps = [step for step in dict.fromkeys(subject.steps) if step <= curve.steps[-1]]
    tested, learned = (np.interp(steps, curve.steps, losses) for losses in (curve.tested, curve.learned))
    low = smallest(tested)
    ways = change(float(learned[low.first]), float(learned[-1])), change(low.value, float(tested[-1]))
    if len(steps) < 3 or low.kind not in ("one", "several") or subject.source.knows or ways != ("falls", "rises"):
        return None
    names = [f"step {commas(step)}" for step in steps]
    wrong = {name: HIGHER.format(loss=number(float(loss))) for name, loss in zip(names, tested, strict=True)}
    why = LOWEST.format(loss=number(low.value)) + MEMORISED.format(learned=number(float(learned[-1])))
    return Choice.of("way", BEST, [names[place] for place in low.places], why, wrong)


def baseline_question(subject: Subject, curve: Curve, variant: int) -> Choice | None:
    """Ask what a model uses whose loss stands between two baselines; the last checkpoint first."""
    steps = [step for step in dict.fromkeys(subject.steps) if step <= curve.steps[-1]]
    step = steps[-1 - variant % len(steps)]
    loss, known = float(np.interp(step, curve.steps, curve.tested)), known_of(subject)
    marks = as_shown([*known.values()])
    n_below = int((as_shown(loss) < marks).sum())
    told = [{"name": name, "known": number(value)} for name, value in known.items()]
    if subject.source.knows or len(told) != len(USES) - 1 or (np.diff(marks) > 0).any():
        return None
    wrong = {use: BELOW.format(**told[place]) for place, use in enumerate(USES[:n_below])}
    wrong |= {use: NOT_BELOW.format(**told[place]) for place, use in enumerate(USES[n_below + 1 :], start=n_below)}
    said = [BELOW.format(**told[n_below - 1])] * (n_below > 0) + [NOT_BELOW.format(**one) for one in told[n_below:][:1]]
    text = SUGGESTS.format(step=several(step, "step"), loss=number(loss))
    return Choice.of("way", text, USES[n_below], " ".join(said), wrong, variant)


def known_of(subject: Subject) -> dict[str, float]:
    """Return the validation losses of the baselines, by their names."""
    return dict(subject.source.baselines) if isinstance(subject.source, Own) else baselines_of(subject.name)._asdict()
