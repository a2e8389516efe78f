"""The gradient of the prompt's loss, and one step of plain gradient descent against it, for every step size."""

import numpy as np
from markupsafe import Markup

from attention_core.experiments.language.gradient_step import Gradient, gradient_of, line_search
from pages.charts.lines import line_chart
from pages.look.facts import furthest, smallest, tell_change
from pages.look.html import number
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.tiny_lm.checkpoints import losses_of_prompt
from pages.tiny_lm.common import too_short
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "gradient",
    "The gradient points uphill, so step the other way",
    "The **gradient** has one slope (partial derivative) for each parameter: how fast the loss of this text rises if "
    "the parameter rises. **Backpropagation** computes all of them.",
    asks="What does the gradient say of a parameter?",
    then="A step of plain *gradient descent* moves each parameter a little against its slope.",
    words="eta",
)

ARRAY = "token_embedding"  # whose steepest parameter is asked about
FALLS = "The loss of this text falls from {before} to **{after}**."
STAYS, RISES = (
    "The loss of this text stays at **{after}**.",
    "The loss of this text rises from {before} to **{after}**.",
)
POWERS = range(-10, 4)
SIZES = tuple(2.0**power for power in POWERS)
ETAS = [f"1/{2**-power}" if power < 0 else str(2**power) for power in POWERS]
ADAMW = (
    "Training here uses **AdamW**: it averages gradients, rescales each step, and shrinks matrices, so a "
    "parameter may move uphill."
)


def draw(page: Page, subject: Subject) -> bool:
    """Ask which way a parameter moves; then draw the loss after a step against the gradient, for every size."""
    if too_short(page, subject):
        return True
    found = page.recipe.run("gradient", gradient_of, subject.model, subject.tokens, ARRAY)
    steepest = furthest(found.slopes, 4).cell
    if not page.ask(direction_question(ARRAY, float(found.values[steepest]), float(found.slopes[steepest]))):
        return False
    draw_step(page, subject, found)
    page.say(ADAMW, "note")
    return True


def draw_step(page: Page, subject: Subject, found: Gradient) -> None:
    """Draw the loss of this very text after one step of gradient descent, for every size."""
    chosen = ETAS.index(page.controls.dial("eta", "Step size η", ETAS, "1/64", width=440))
    inputs = page.recipe.given("inputs", subject.tokens[:-1])
    targets = page.recipe.given("targets", subject.tokens[1:])
    losses = page.recipe.run("losses", line_search, subject.model, inputs, targets, SIZES)
    best = smallest(losses).first
    end = float(np.ceil(2 * np.log(len(subject.vocabulary))))
    chart = line_chart(
        np.array(SIZES),
        {"after the step": losses},
        x_title="step size η (log scale)",
        y_title="loss of this text · nats",
        y_domain=(0.0, end),
        name="one step of gradient descent",
        sentence=f"The best of these steps, η = {ETAS[best]}, takes the loss of this text from {found.loss:.2f} to "
        f"{losses[best]:.2f}.",
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
        note="Falling dashed line: the loss if the slopes did not change. Level dashed lines: the loss before the "
        f"step, and baselines. {subject.origin}",
    )
    after = float(losses[chosen])
    page.prints(f"loss after a step with η = {ETAS[chosen]}", losses, chosen)
    page.say(
        f"A step of plain gradient descent with η = {ETAS[chosen]} subtracts η times its slope from each parameter. "
        f"{tell_change(found.loss, after, falls=FALLS, stays=STAYS, rises=RISES)} Constant slopes would give "
        f"{number(found.loss - SIZES[chosen] * found.squared)}, but a step changes the slopes too.",
        "",
    )


def direction_question(name: str, value: float, slope: float) -> Choice:
    """Ask which way a parameter moves, by the sign of its slope."""
    text = Markup(
        "One parameter of <code>{}</code> is {}, and its slope is {}. Which way does a step of plain gradient descent "
        "move it?"
    ).format(name, number(value, 3), number(slope, 4))
    options = {
        "up": "You moved it up, but it must go against its slope." if slope else "A slope of 0 gives no direction.",
        "down": "You moved it down, but it must go against its slope." if slope else "A slope of 0 gives no direction.",
        "towards 0, whatever its slope": "You used weight decay, a part of AdamW. Plain gradient descent has none.",
        "not at all": "You left it in place, but its slope is not 0.",
    }
    right = "not at all" if slope == 0 else "down" if slope > 0 else "up"
    goes = "stays where it is" if right == "not at all" else f"goes {right}"
    why = f"A step of plain gradient descent subtracts η times the slope, {number(slope, 4)}, so the parameter {goes}."
    return Choice.shuffled("direction", text, [right], why, options, 0)
