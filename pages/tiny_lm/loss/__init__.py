"""The loss of a text: which of its examples training includes, the loss of each, and their mean."""

from functools import partial

import numpy as np
from markupsafe import escape
from numpy.typing import NDArray

from attention_core.experiments.language.text_loss import Examples, examples, mean_where
from attention_core.text.corpora import source_of
from pages.look.facts import as_shown, listed, of_several, ordered
from pages.look.html import number, quoted
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.tiny_lm.common import too_short
from pages.tiny_lm.loss.example_rows import chips, chosen_example, draw_example, draw_examples
from pages.tiny_lm.model_in_view import PROMPTS, Subject

STEP = Step(
    "loss",
    "One text is many training examples",
    "A training example is a context with its target, the token that comes next. If the model gave the target "
    "probability p, the **loss** is −log p, in **nats** (the logarithm is natural).",
    asks="Which target raises the loss most?",
    then="Each token after the first is a target. Training lowers the mean loss, the **cross-entropy**; e to that is "
    "the **perplexity**. Choose an example.",
    words="example",
)

COUNTING = {  # prompts with a target that the loss includes in training
    "pronoun": "the big cat saw a red ball near the hat and it meowed",
    "recall": "a3c7b1e4a3c7",
}
MEAN = "The mean loss of {examples} is **{mean}** nats."
SOME = (
    "In the training of this model, the loss includes only {counted} of these {total} targets: {{targets}}. Their mean "
    "loss is **{mean}** nats; the mean over all targets is **{all}**."
)
NONE = "In training, the loss includes only tokens that earlier ones determine. This prompt has none."
NO_MASK = "This model has no mask, so it reads each target before it predicts it."
ASKED = "The model gave targets of this text these probabilities: {listed}. Which of them raises the mean loss most?"
LEAST = 0.01  # of a probability: of a smaller one, four digits seldom give the loss
GIVEN = "{name} {given}"
RAREST = "Its loss, −log {given}, is {loss}: the less likely the target was, the larger."
LIKELIER = "Its loss, −log {given}, is {loss}. Another target was less likely."
ALIKE, ONE_SHARE = "Each as much", "Each counts once in the mean, but a less likely target has a larger loss."


def draw(page: Page, subject: Subject) -> bool:
    """Draw the prompt as examples with one of them in full."""
    if too_short(page, subject):
        return True
    words = [subject.token(int(token)) for token in subject.tokens]
    cases = page.recipe.run_once("cases", examples, subject.model, subject.tokens)
    question = page.question("least_likely", partial(loss_question, cases, words[1:]))
    blank = partial(page.write, chips([("", word) for word in words]), "chips")
    columns = page.ask_beside(question, blank, spans=2)
    if not columns:
        return False
    counts = source_of(source).counts if (source := counting_source(subject)) else None  # what a training includes
    counted = counts(subject.tokens[None])[0] if counts else np.ones(len(subject.tokens) - 1, bool)  # (T,)
    with columns[1]:
        row = chosen_example(page, subject, cases, counted)
    page.prints(f"loss of the target {subject.token(int(cases.targets[row]))}", cases.losses, row)
    with columns[0]:
        draw_examples(page, subject, cases, counted, row, question.options if isinstance(question, Choice) else ())
        say_means(page, subject, cases, counted)
    with columns[1]:
        draw_example(page, subject, cases, row)
    return True


def counting_source(subject: Subject) -> str:
    """Return which training data the model had, here or before, if the loss includes only some of its targets."""
    return next((name for name in COUNTING if source_of(name).says == subject.says), "")


def say_means(page: Page, subject: Subject, cases: Examples, counted: NDArray[np.bool_]) -> None:
    """Say the mean loss, and which targets the loss includes in training; where only some, offer a text with some."""
    if counted.all():
        every = of_several(len(counted), len(counted), "example")
        page.say(MEAN.format(examples=every, mean=number(cases.mean)), "")
    elif counted.any():
        mean = page.recipe.run("counted_mean", mean_where, cases.losses, page.recipe.given("counted", counted))
        text = SOME.format(counted=counted.sum(), total=len(counted), mean=number(mean), all=number(cases.mean))
        targets = listed([quoted(subject.token(int(token))) for token in cases.targets[counted]])
        page.say(text, "", targets=escape(targets))
    else:
        page.write(NONE)
    if not subject.model.config.causal:
        page.write(NO_MASK, "note")
    if name := counting_source(subject):
        field, text = PROMPTS[subject.name][0], COUNTING[name]
        if subject.words != list(text) and " ".join(subject.words) != text:
            put_button(page, "Use a text with some", {field: text}, "counting", ":material/arrow_forward:")


def loss_question(cases: Examples, tokens: list[str], variant: int) -> Choice | None:
    """Ask which of three targets raises the mean loss most; None where their probabilities do not tell."""
    bets = as_shown(cases.target_bets, 4)
    given = (bets > LEAST) & (bets < 1) & (as_shown(-np.log(np.maximum(bets, LEAST))) == as_shown(cases.losses))
    rows = [row for row in ordered(bets, 4) if given[row] and tokens.count(tokens[row]) == 1]
    rows = [row for place, row in enumerate(rows) if not place or bets[row] < bets[rows[place - 1]]]
    if len(rows) < 3:
        return None
    places = [0, len(rows) // 2, len(rows) - 1]
    if variant:
        places = sorted(np.random.default_rng([variant, 17]).choice(len(rows), 3, replace=False).tolist())
    told = [
        {"name": quoted(tokens[row]), "given": number(bets[row], 4), "loss": number(float(cases.losses[row]))}
        for row in (rows[place] for place in places)
    ]
    names = [tokens[rows[place]] for place in places]
    wrong = {name: LIKELIER.format(**words) for name, words in zip(names[:2], told, strict=False)}
    text = ASKED.format(listed=listed([GIVEN.format(**words) for words in told]))
    return Choice.of("least_likely", text, names[2], RAREST.format(**told[2]), wrong | {ALIKE: ONE_SHARE}, variant)
