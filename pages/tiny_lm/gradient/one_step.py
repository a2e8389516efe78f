"""One step down the gradient of a text, for every size of the step."""

import numpy as np

from attention_core.experiments.gradient_step import Gradient, line_search
from pages.charts.lines import line_chart
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.questions import Mistake, Number
from pages.tiny_lm.model_in_view import Subject

POWERS = range(-10, 4)
SIZES = tuple(2.0**power for power in POWERS)
ETAS = [f"1/{2**-power}" if power < 0 else str(2**power) for power in POWERS]


def draw_step(page: Page, subject: Subject, found: Gradient) -> None:
    """Draw the loss of this very text after one step down its gradient, for every size of the step."""
    if not page.ask(descent_question(found.loss, found.squared, page.variant("descent"))):
        return
    chosen = ETAS.index(page.controls.dial("eta", "Size η of the step", ETAS, "1/64", width=440))
    inputs = page.recipe.given("inputs", subject.tokens[:-1])
    targets = page.recipe.given("targets", subject.tokens[1:])
    losses = page.recipe.run("losses", line_search, subject.model, inputs, targets, SIZES)
    best = int(np.nanargmin(losses))
    worse = next((ETAS[place] for place in range(best, len(SIZES)) if losses[place] > found.loss), None)
    end = float(np.ceil(2 * np.log(len(subject.vocabulary))))
    turn = f"from η = {worse} on it is worse than before." if worse else "none of these sizes makes it worse."
    chart = line_chart(
        np.array(SIZES),
        {"after": losses},
        x_title="size η of the step",
        y_title="loss of this text",
        x_domain=(SIZES[0], SIZES[-1]),
        y_domain=(0.0, end),
        name="one step down",
        sentence=f"The best of these steps, η = {ETAS[best]}, takes the loss of this text from {found.loss:.2f} to "
        f"{losses[best]:.2f}; {turn}",
        baselines={f"before: {found.loss:.2f}": found.loss},
        theory=[found.loss - np.array(SIZES) * found.squared],
        here=SIZES[chosen],
        log_x=True,
        dots=True,
        number="",
        height=300,
    )
    page.show(chart, note=f"Dashed and falling: what the slope promises. {subject.origin}")
    after = float(losses[chosen])
    verdict = "better" if after < found.loss else "worse" if after > found.loss else "as before"
    page.say(
        f"A step of η = {ETAS[chosen]} subtracts η times its slope from each number of the model. The loss of this "
        f"text goes from {number(found.loss)} to **{number(after)}**: {verdict}. The slopes promised "
        f"{number(found.loss - SIZES[chosen] * found.squared)}; they hold for small steps only, because a step changes "
        "the slopes too. Training takes thousands of small ones, each on other texts.",
        "",
    )


def descent_question(loss: float, squared: float, variant: int) -> Number:
    """Ask what the slope promises of a small step."""
    size = 0.5 * max(loss, 0.1) / max(squared, 1e-6)
    size = 2.0 ** np.floor(np.log2(size) - variant % 3)
    right = loss - size * squared
    text = prose(
        f"The loss of this text is {number(loss)}. The squares of all slopes sum to {number(squared)}: so fast the "
        f"loss falls at first, for each unit of the step size η. If that stayed so, what would the loss be after a "
        f"step of η = {size:.4g}?"
    )
    why = f"{number(loss)} − {size:.4g} · {number(squared)} = {number(right)}. A real step is drawn below."
    mistakes = (
        Mistake(loss + size * squared, "The gradient points up; a step goes against it."),
        Mistake(loss - size * float(np.sqrt(squared)), "Take the sum of the squares itself, not its root."),
        Mistake(loss - squared, "The step is only η long: multiply by it."),
    )
    return Number("descent", text, right, max(0.03, 0.03 * abs(size * squared)), why, mistakes, "")
