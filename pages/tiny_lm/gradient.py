"""The gradient of the prompt's loss, and one step of plain gradient descent against it, for every step size."""

import numpy as np
from markupsafe import Markup

from attention_core.experiments.language.gradient_step import Gradient, gradient_of, line_search
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import n_grams_of, source_of
from attention_core.text.n_grams import NGrams, n_gram_losses, pack_n_grams, unpack_n_grams
from pages.charts.lines import line_chart
from pages.look.facts import furthest, tell_change
from pages.look.html import number
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.reproduce.recipe import Short
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
GOES = "The loss of this text goes from {before} to **{after}**."
STAYS = "The loss of this text stays at **{after}**."
LINES = "Falling dashed line: the loss if the slopes did not change. {origin}"
ASKED = Markup(
    "One parameter of <code>{name}</code> is {value}, and its slope is {slope}. Which way does a step of plain "
    "gradient descent move it?"
)
WHY = "A step of plain gradient descent subtracts η times the slope, {slope}."
UPHILL, FLAT = "You moved it {}, but it must go against its slope.", "A slope of 0 gives no direction."
POWERS = range(-10, 4)
SIZES = tuple(2.0**power for power in POWERS)
ETAS = [f"1/{2**-power}" if power < 0 else str(2**power) for power in POWERS]
ADAMW = "**AdamW** averages gradients, rescales each step, and shrinks matrices, so a parameter may move uphill."


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
    chart = line_chart(
        np.array(SIZES),
        {"after the step": losses},
        x_title="step size η (log scale)",
        y_title="loss of this text · nats",
        y_domain=(0.0, float(np.ceil(2 * np.log(len(subject.vocabulary))))),
        name="one step of gradient descent",
        sentence="The loss of this text after one step of each size.",
        baselines={f"before: {number(found.loss)}": found.loss, **baselines_of(page, subject)},
        theory=[found.loss - np.array(SIZES) * found.squared],
        here=SIZES[chosen],
        log_x=True,
        dots=True,
        number="",
        height=300,
    )
    page.show(chart, note=LINES.format(origin=subject.origin))
    page.prints(f"loss after a step with η = {ETAS[chosen]}", losses, chosen)
    page.say(tell_change(found.loss, float(losses[chosen]), falls=GOES, stays=STAYS, rises=GOES), "")


def baselines_of(page: Page, subject: Subject) -> dict[str, float]:
    """Return the losses of this text by models that only count, as far as the training text is known."""
    if subject.name not in MODELS:
        return {"uniform": float(np.log(len(subject.vocabulary)))}
    shipped, rows = MODELS[subject.name], page.recipe.given("rows", subject.tokens[None])
    length = shipped.plan.config.max_len
    found = n_grams_of(source_of(shipped.source), length)
    short = Short(f"n_grams_of(source_of({shipped.source!r}), {length})", n_grams_of, source_of)
    grams: NGrams = page.recipe.made("n_grams", found, unpack_n_grams, lambda: pack_n_grams(found), short)
    return page.recipe.run("baseline_losses", n_gram_losses, grams, rows)._asdict()


def direction_question(name: str, value: float, slope: float) -> Choice:
    """Ask which way a parameter moves, by the sign of its slope."""
    wrong = {
        "up": UPHILL.format("up") if slope else FLAT,
        "down": UPHILL.format("down") if slope else FLAT,
        "towards 0, whatever its slope": "You used weight decay, a part of AdamW. Plain gradient descent has none.",
        "not at all": "You left it in place, but its slope is not 0.",
    }
    right = "down" if slope > 0 else "up" if slope < 0 else "not at all"
    shown = {"value": number(value, 3), "slope": number(slope, 4)}
    return Choice.of("direction", ASKED.format(name=name, **shown), right, WHY.format(**shown), wrong, 0)
