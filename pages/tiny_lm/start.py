"""The start token: what the loss of a prompt and the weights on its first token are with it, and without it."""

import numpy as np

from attention_core.experiments.inside.real_claims import shipped_claims
from attention_core.experiments.language.text_loss import Examples, examples
from attention_core.experiments.scaling.head_metrics import first_word_score
from attention_core.model.activations import insides
from attention_core.text.stories import START
from pages.charts.heatmap import SMALL, Axes, heatmap
from pages.charts.lines import line_chart
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.common import head_names, loss_ceiling, several
from pages.tiny_lm.model_in_view import Subject, visible

STEP = Step(
    "start token",
    "A start token says where a text begins",
    "Each text in the training of Small Stories began with one **start token**, ⏎. So do its prompts here. Without "
    "⏎, the model may not see that a story begins. Try “In a small town lived a shy boy”. A first token with much "
    "weight from many heads is an **attention sink**.",
)
WITH, WITHOUT = WAYS = ("with ⏎", "without ⏎")
AXES = Axes("prompt", "head", "mean weight", words=True)


def draw(page: Page, subject: Subject) -> None:
    """Draw the loss of each target of the prompt, and each head's mean weight on position 1, in both ways."""
    start = subject.vocabulary.encode([START])
    bare = subject.tokens[int(subject.tokens[0] == start[0]) :]
    if len(bare) < 2:
        page.say("Type a second token, so that there is a target.")
        return
    page.recipe.given("tokens", bare)
    texts = (page.recipe.given("begun", np.concatenate([start, bare])), bare)
    cases = [page.recipe.run_once(f"cases_{place}", examples, subject.model, text) for place, text in enumerate(texts)]
    draw_losses(page, subject, [visible(subject.vocabulary.tokens[token]) for token in bare], cases)
    run = page.recipe.run_once
    maps = [run(f"inside_{place}", insides, subject.model, text).weights for place, text in enumerate(texts)]
    draw_sinks(page, [page.recipe.run(f"first_{place}", first_word_score, own) for place, own in enumerate(maps)])


def draw_losses(page: Page, subject: Subject, words: list[str], cases: list[Examples]) -> None:
    """Draw the loss of each target but the first token, in both ways."""
    losses = [cases[0].losses[1:], cases[1].losses]
    apart = losses[1] - losses[0]
    worst = int(np.abs(apart).argmax())
    page.prints(f"loss of {words[worst + 1]} without the start token", cases[1].losses, worst)
    chances = [float(np.exp(-own[worst])) for own in losses]
    sentence = (
        f"The largest difference is at target {worst + 1}, {quoted(words[worst + 1])}: its loss is "
        f"{number(float(losses[0][worst]))} nats {WITH} and {number(float(losses[1][worst]))} {WITHOUT}, its "
        f"probability {number(chances[0], 3)} and {number(chances[1], 3)}."
    )
    chart = line_chart(
        np.arange(1, len(words)),
        dict(zip(WAYS[::-1], losses[::-1], strict=True)),
        x_title="target",
        y_title="loss · nats",
        y_domain=(0, loss_ceiling(subject)),
        name="loss by target",
        sentence=sentence,
        dots=True,
        height=220,
        number="",
    )
    means = [number(float(own.mean()), 3) for own in losses]
    note = f"Over the {several(len(apart), 'target')}, the mean loss is {means[0]} {WITH} and {means[1]} {WITHOUT}."
    page.show(chart, note=note)


def draw_sinks(page: Page, firsts: list[np.ndarray[tuple[int, int], np.dtype[np.float64]]]) -> None:
    """Draw the mean weight of each head on position 1, in both ways, and write that of the heads of SmolLM2."""
    names = head_names(*firsts[0].shape)
    top = int(firsts[0].argmax())
    said = " and ".join(f"{number(float(own.ravel()[top]))} {way}" for own, way in zip(firsts, WAYS, strict=True))
    values = np.stack([own.ravel() for own in firsts])
    sentence = f"The mean weight of each head on position 1. Head {names[top]} has {said}."
    page.show(heatmap(values, list(WAYS), names, AXES, SMALL, name="weight on the first token", sentence=sentence))
    real, mean = shipped_claims(), [number(float(own.mean())) for own in firsts]
    found = real["found"].text.first
    page.say(
        f"The mean of all heads is {mean[0]} {WITH} and {mean[1]} {WITHOUT}. In {real['model']}, a pretrained model "
        f"with {found.picture.size} heads, it is **{number(found.value)}** on a text of this kind. There, the "
        f"first token is an attention sink: another token of the first half gets at most {number(found.bound)}.",
        "",
    )
