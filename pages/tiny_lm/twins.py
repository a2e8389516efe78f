"""Ablations: the same model, trained by the same plan, without one of its parts."""

from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.inside.compare_models import Assessment, Snapshot, assess
from attention_core.model.parameters import Model
from attention_core.shipped.models import curve_of, model_at
from attention_core.shipped.plans import MODELS, twin
from pages.charts.lines import line_chart
from pages.look.html import number, percent, table
from pages.page.fields.buttons import put_button
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step
from pages.tiny_lm.checkpoints import held_out, known_losses, record_rows, run_moment
from pages.tiny_lm.common import LAST, ceiling, continued, tiny_maps
from pages.tiny_lm.model_in_view import NAMES, Subject, usual_subject
from pages.tiny_lm.sampling import Sampling, chosen_sampling

STEP = Step(
    "ablations",
    "Train the same model without one of its parts",
    "An **ablation** shows what a part is for: the same model, trained without that part.",
    words="twin",
)

PARTS = {  # how an ablation is chosen, and what its question says of it
    "no mask": "no causal mask: in training each token also sees those after it",
    "no positions": "no position encoding: only the causal mask still carries order",
    "one head": "one head in each layer, as wide as all its heads together were",
    "one layer": "one layer in place of two",
}
LABELS = {name: label for label, name in NAMES.items()}
NEAR = 0.1  # of accuracy: so much makes no difference


def draw(page: Page, subject: Subject) -> bool:
    """Show the complete model beside one of its ablations."""
    sampling = chosen_sampling(page)
    part = page.controls.choice("twin", "Trained with", list(PARTS), "no mask")
    with st.container():
        if not has_ablation(subject.name, part):
            subject = instead_of(page, subject, part)
        name = twin(MODELS[subject.name], part).name
        complete = page.recipe.model("complete", model_at(subject.name), subject.name)
        other = page.recipe.model("ablated", model_at(name), name)
        held = record_rows(page, held_out(subject.name), subject.name)
        asked = (held.rows, held.counted)
        whole = page.recipe.run_once("complete_tested", assess, complete, *asked)
        less = page.recipe.run_once("ablated_tested", assess, other, *asked)
        if not page.ask(page.question("twin", partial(ablation_question, PARTS[part], whole, less))):
            return False
        compare(page, subject, sampling, part, (complete, other), (whole, less))
    return True


def has_ablation(name: str, part: str) -> bool:
    """Return whether a model ships with this ablation; one of the student's own has none."""
    return name in MODELS and twin(MODELS[name], part).name in MODELS


def instead_of(page: Page, subject: Subject, part: str) -> Subject:
    """Return a model that has this ablation, and say so, with a button that opens it in every step."""
    name = next(name for name in ("english", "recall") if has_ablation(name, part))
    english, recall, label = LABELS["english"], LABELS["recall"], LABELS[name]
    why = (
        f"{english} has only one layer. {recall} has two, and an ablation with one."
        if subject.name == "english"
        else f"Only {english} and {recall} have ablations."
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        page.write(f"{why} So this is {label}, with its usual prompt.", "note")
        fixed = "model" in page.controls.locked
        put_button(page, f"Go to {label}", {"model": label}, f"twin_{name}", disabled=fixed)
    return usual_subject(name)


def compare(
    page: Page,
    subject: Subject,
    sampling: Sampling,
    part: str,
    models: tuple[Model, Model],
    tested: tuple[Assessment, Assessment],
) -> None:
    """Draw both runs, both texts and both sets of heads, and say what differs."""
    names = ("complete", part)
    found = [
        run_moment(page, f"{name}_snapshot", model, subject, sampling)
        for name, model in zip(("complete", "ablated"), models, strict=True)
    ]
    both_curves(page, subject, part)
    best = int(found[1].bets.argmax())
    page.prints(f"probability of {subject.token(best)}, trained with {part}", found[1].bets, best)
    page.say(words_on(part, *tested, prefers_near(subject)), "")
    columns = st.columns(2, gap="large")
    for column, name, one in zip(columns, names, found, strict=True):
        with column:
            page.heading(name.capitalize(), small=True)
            page.write(continued(subject, one.written))
    closer = partial(draw_closer, page, subject, names, found, tested)
    page.look_closer("All that was measured, and every head", closer)


def draw_closer(
    page: Page,
    subject: Subject,
    names: tuple[str, str],
    found: list[Snapshot],
    tested: tuple[Assessment, Assessment],
) -> None:
    """Write what was measured of both models, and draw their attention maps over the last tokens of the prompt."""
    page.write(comparison(names, tested))
    for column, name, one in zip(st.columns(2, gap="large"), names, found, strict=True):
        with column:
            page.heading(name.capitalize(), small=True)
            tiny_maps(page, subject.labels, one.weights)
    last = " Only the last twelve tokens are shown." if len(subject.tokens) > LAST else ""
    page.write(f"Rows are queries, columns are keys.{last}", "note")


def prefers_near(subject: Subject) -> bool:
    """Return whether some heads of the complete model have a penalty on distance."""
    return any(MODELS[subject.name].plan.config.slopes or ())


def both_curves(page: Page, subject: Subject, part: str) -> None:
    """Draw how both losses fell."""
    name = twin(MODELS[subject.name], part).name
    curve, other = curve_of(subject.name), curve_of(name)
    known = known_losses(subject)
    steps = page.recipe.given("steps", curve.steps)
    one = page.recipe.given("complete_curve", curve.tested)
    two = page.recipe.given("ablated_curve", np.interp(curve.steps, other.steps, other.tested))
    sentence = f"Validation loss at the end: complete {number(one[-1])}, with {part} {number(two[-1])}."
    page.show(
        line_chart(
            steps,
            {"complete": one, part: two},
            x_title="training steps (log scale)",
            y_title=f"validation loss · nats per {subject.unit}",
            y_domain=(0.0, ceiling(one.max(), two.max(), *known.values())),
            name="validation losses",
            sentence=sentence,
            baselines=known,
            log_x=True,
        )
    )


def comparison(names: tuple[str, str], tested: tuple[Assessment, Assessment]) -> Markup:
    """Return what was measured of both, a row each."""
    rows = [
        ["validation loss", *(number(one.loss) for one in tested)],
        ["accuracy (top-1)", *(percent(one.accuracy) for one in tested)],
        ["loss without later tokens, as when it generates", *(number(one.cut_loss) for one in tested)],
        ["accuracy without later tokens", *(percent(one.cut_accuracy) for one in tested)],
        ["largest mean attention weight on the next token", *(number(float(one.ahead.max())) for one in tested)],
        ["change of the prediction if earlier tokens are shuffled", *(percent(one.order) for one in tested)],
        ["parameters", *(number(one.parameters, 0) for one in tested)],
    ]
    return table(["on held-out sequences", *names], rows, long=0)


def words_on(part: str, complete: Assessment, other: Assessment, near: bool) -> str:
    """Return in words what differs, with the numbers that say so; `near`: the complete model has distance penalties."""
    loss = (
        f"The loss ends at {number(other.loss)} in the ablated model, at {number(complete.loss)} in the complete one."
    )
    right, wrong = percent(complete.cut_accuracy), percent(other.cut_accuracy)
    accuracy = f"The accuracy is {wrong} in the ablated model, {right} in the complete one."
    slopes = " The ablated model also lacks the built-in preference of some heads for near tokens." if near else ""
    if part == "no mask":
        return (
            "In training, the target of each position is the next token, and without a mask a head can simply attend "
            f"to it. One head gives it a mean weight of {number(float(other.ahead.max()))}. {loss} But when this "
            f"model generates, there is no next token yet: its accuracy is {wrong}, with the mask {right}."
        )
    if part == "no positions":
        shuffled = (
            "not at all. With one layer, it sees *which* tokens came before the last, but not in what order"
            if other.order < 0.005
            else f"by {percent(other.order)}. In layer 1 each position attends to different earlier tokens, so the "
            "vectors that layer 2 reads depend on the order"
        )
        return (
            f"{loss}{slopes} Shuffle all tokens but the last: the complete model’s prediction changes by "
            f"{percent(complete.order)}, the prediction of the ablated one {shuffled}."
        )
    if part == "one head":
        judged = (
            "For this task one head per layer is enough."
            if other.cut_accuracy > complete.cut_accuracy - 0.02
            else "One attention pattern per layer has to do what several heads did."
        )
        return f"The ablated model has as many parameters as the complete one.{slopes} {loss} {accuracy} {judged}"
    return (
        f"{loss} {accuracy} In the complete model, a head finds the digit by the letter *before* it, which an earlier "
        "head has copied into the digit’s vector. One layer has no earlier head."
    )


def ablation_question(part: str, complete: Assessment, other: Assessment, variant: int) -> Choice:
    """Ask what becomes of the loss and of the generated text without a part."""
    better, worse, same, lower = (
        "Lower loss, better text",
        "Higher loss, worse text",
        "About the same loss and text",
        "No higher loss, yet worse text",
    )
    low, suffers = other.loss <= complete.loss, other.cut_accuracy < complete.cut_accuracy - NEAR
    right = lower if low and suffers else worse if suffers else better if low and gains(complete, other) else same
    digits = 2 if max(other.loss, complete.loss) > 0.01 else 4
    losses = f"The loss goes from {number(complete.loss, digits)} to {number(other.loss, digits)}"
    accuracies = f"from {percent(complete.cut_accuracy)} to {percent(other.cut_accuracy)}"
    why = f"{losses}, and the accuracy when it generates {accuracies}."
    mistakes = {
        better: "You expected the text to follow the loss. But the model sees the next token only in training."
        if right == lower
        else "You expected the part to do harm. Compare the two losses.",
        worse: "You expected the loss to rise. But without the mask the model sees the answer in training."
        if right == lower
        else "You expected the part to matter more.",
        same: "You expected the part to matter less.",
        lower: "You expected training to become easier, as it is for a model that sees the answer. This model does not "
        "see it.",
    }
    text = f"The same model is trained for as many steps, but with {part}. What do you expect of this ablation?"
    return Choice.shuffled("twin", text, [right], why, mistakes, variant)


def gains(complete: Assessment, other: Assessment) -> bool:
    """Tell whether the ablated model generates better text than the complete one."""
    return other.cut_accuracy > complete.cut_accuracy + NEAR
