"""One step of plain gradient descent on a text, for every step size."""

import numpy as np

from attention_core.experiments.language.gradient_step import Gradient, line_search
from attention_core.shipped.plans import MODELS
from pages.charts.lines import line_chart
from pages.look.html import number
from pages.page.page import Page
from pages.tiny_lm.checkpoints import losses_of_prompt
from pages.tiny_lm.model_in_view import NAMES, Subject

POWERS = range(-10, 4)
SIZES = tuple(2.0**power for power in POWERS)
LENGTHS = [MODELS[name].plan.steps for name in NAMES.values()]  # of the runs, in steps
ETAS = [f"1/{2**-power}" if power < 0 else str(2**power) for power in POWERS]


def draw_step(page: Page, subject: Subject, found: Gradient) -> None:
    """Draw the loss of this very text after one step of gradient descent, for every size."""
    chosen = ETAS.index(page.controls.dial("eta", "Step size η", ETAS, "1/64", width=440))
    inputs = page.recipe.given("inputs", subject.tokens[:-1])
    targets = page.recipe.given("targets", subject.tokens[1:])
    losses = page.recipe.run("losses", line_search, subject.model, inputs, targets, SIZES)
    best = int(np.nanargmin(losses))
    worse = next((ETAS[place] for place in range(best, len(SIZES)) if losses[place] > found.loss), None)
    end = float(np.ceil(2 * np.log(len(subject.vocabulary))))
    turn = f"with η = {worse} it is higher than before." if worse else "no larger size makes it higher than before."
    chart = line_chart(
        np.array(SIZES),
        {"after the step": losses},
        x_title="step size η (log scale)",
        y_title="loss of this text · nats",
        y_domain=(0.0, end),
        name="one step of gradient descent",
        sentence=f"The best of these steps, η = {ETAS[best]}, takes the loss of this text from {found.loss:.2f} to "
        f"{losses[best]:.2f}; {turn}",
        baselines={f"before: {found.loss:.2f}": found.loss, **losses_of_prompt(page, subject)},
        theory=[found.loss - np.array(SIZES) * found.squared],
        here=SIZES[chosen],
        log_x=True,
        dots=True,
        number="",
        height=300,
    )
    page.show(
        chart,
        note="Falling dashed line: the loss if the slopes stayed the same. Level dashed lines: the loss before the "
        f"step, and baselines on this text. {subject.origin}",
    )
    after = float(losses[chosen])
    page.prints(f"loss after a step with η = {ETAS[chosen]}", losses, chosen)
    verdict = "falls" if after < found.loss else "rises" if after > found.loss else "stays"
    page.say(
        f"A step of plain gradient descent with η = {ETAS[chosen]} subtracts η times its slope from each parameter. "
        f"The loss of this text {verdict} from {number(found.loss)} to **{number(after)}**. Constant slopes would give "
        f"{number(found.loss - SIZES[chosen] * found.squared)}, but a step changes the slopes too. The models here "
        f"were trained in {min(LENGTHS):,} to {max(LENGTHS):,} small steps, each on other texts.",
        "",
    )
