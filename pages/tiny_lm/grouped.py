"""Smaller KV caches: heads that share keys and values, or a window, and what each costs on the copy task."""

import numpy as np
import streamlit as st

from attention_core.experiments.language.smaller_caches import (
    CACHE_SEEDS,
    CHANGES,
    FURTHEST,
    READ_LENGTH,
    config_of,
    kept_bytes,
    losses_of_caches,
)
from pages.charts.chart import Chart
from pages.charts.scatter import scatter
from pages.look.facts import largest
from pages.look.html import memory, number
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.reproduce.recipe import Short
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "smaller caches",
    "On the Copy task, shared keys beat a window",
    "In **grouped-query attention** a group of heads has one set of keys and values. One group of all 4 heads is "
    "**multi-query attention**. A **sliding window** keeps the last tokens only. Each model was trained on the Copy "
    "task: a repeated letter has the same digit again.",
    asks="How can a KV cache be smaller?",
    then=f"After {READ_LENGTH} tokens, a window of 16 saves as many bytes as 2 groups. But it loses letters that stood "
    "further back.",
    experiment="stood cache_kind",
)

BACK = ("any", *map(str, range(2, FURTHEST + 1, 2)))  # how many tokens back a repeated letter stood last
NEAR = BACK[1]
KINDS = tuple(CHANGES)
SMALL_LOSS = 0.05  # nats
FAR = "12"  # tokens back, asked for
TOP = 3.0  # of the loss

MEAN = "Mean loss of {n_runs} runs {where}. A guess has {guess}."
BYTES = (
    "Ringed: {kind}. 2 (key and value) · {layers} layers · {groups} × {width} numbers · 4 bytes = {token:,} bytes a "
    "token, {text} after {length}."
)
WINDOW = " A window keeps {size} tokens at most."
FORGETS = "A letter stood {far} tokens back. Which model is worst at its repetition, by its loss?"
SAVES = (
    "The first picture is for letters that stood {near} tokens back. Over all distances, which model has the least "
    "cache with a loss below {loss}?"
)


def draw(page: Page, _: Subject) -> bool:
    """Show the losses beside the sizes, for letters that stood near; after the question at any distance."""
    for kind, losses in losses_of_caches().items():
        name = kind.replace(" ", "_")
        page.recipe.given(f"losses_of_{name}", losses, Short(f"losses_of_caches()[{kind!r}]", losses_of_caches))
        short = Short(f"kept_bytes({kind!r}, {READ_LENGTH})", kept_bytes)
        page.recipe.given(f"bytes_of_{name}", kept_bytes(kind, READ_LENGTH), short)
    slot, picture = st.container(), st.container()
    answered = page.ask(page.question("caches", caches_question))
    back = NEAR
    if answered:
        with slot:
            back = page.controls.dial("stood", "Letter’s distance, in tokens", BACK, BACK[0], width=320)
    chosen = KINDS.index(page.controls.bare_choice("cache_kind", "Model", KINDS, "1 group"))
    page.prints("mean loss with 1 group", f"losses_of_1_group.mean(axis=0)[{BACK.index(back)}]")
    with picture:
        note = bytes_note(KINDS[chosen])
        page.show(losses_chart(back, chosen), lambda i, _: page.controls.put(cache_kind=KINDS[i]), note)
    return answered


def mean_loss(kind: str, back: str) -> float:
    """Return the mean loss of the runs of one kind, over letters that stood so far back."""
    return float(losses_of_caches()[kind][:, BACK.index(back)].mean())


def losses_chart(back: str, chosen: int) -> Chart:
    """Return the loss beside the size of the cache, a point for each kind."""
    sizes = np.array([kept_bytes(kind, READ_LENGTH) for kind in KINDS])
    losses = np.array([mean_loss(kind, back) for kind in KINDS])
    where = "over all repeated letters" if back == BACK[0] else f"for letters that stood {back} tokens back"
    return scatter(
        sizes / 1000,
        losses,
        KINDS,
        ["window" if "window" in CHANGES[kind] else "all tokens" for kind in KINDS],
        axes=(f"cache after {READ_LENGTH} tokens, kB", "loss"),
        limits=(1.2 * float(sizes.max()) / 1000, TOP),
        of=("model", "how"),
        chosen=chosen,
        name="loss by cache",
        sentence=MEAN.format(n_runs=len(CACHE_SEEDS), where=where, guess=number(np.log(10))),
    )


def bytes_note(kind: str) -> str:
    config = config_of(kind)
    window = WINDOW.format(size=config.window) if config.window else ""
    sizes = {"layers": config.n_layers, "groups": config.groups, "width": config.d_head, "length": READ_LENGTH}
    bytes_of = {"token": kept_bytes(kind, 1), "text": memory(kept_bytes(kind, READ_LENGTH))}
    return BYTES.format(kind=kind, **sizes, **bytes_of) + window


def caches_question(variant: int) -> Choice:
    """Ask which change saves most for almost no loss, or which one forgets a letter."""
    far = variant % 2
    options = [kind for kind in KINDS if CHANGES[kind]]
    losses = {kind: mean_loss(kind, FAR if far else BACK[0]) for kind in options}
    sizes = {kind: kept_bytes(kind, READ_LENGTH) for kind in options}
    if far:
        text, right = FORGETS.format(far=FAR), options[largest(list(losses.values())).first]
    else:
        text = SAVES.format(near=NEAR, loss=number(SMALL_LOSS))
        right = min((kind for kind in options if losses[kind] < SMALL_LOSS), key=lambda kind: sizes[kind])
    told = {kind: f"It keeps {memory(sizes[kind])}, and its loss is {number(losses[kind])}." for kind in options}
    wrong = {kind: f"{reason(kind, far)} {told[kind]}" for kind in options}
    return Choice.of("caches", text, right, wrong[right] if far else told[right], wrong, [variant, 43])


def reason(kind: str, far: int) -> str:
    """Return why a model is, or is not, what was asked for."""
    if not CHANGES[kind].get("window"):
        return "Fewer keys and values, but of every token: nothing is forgotten." if far else "Another one saves more."
    if far:
        return f"{FAR} tokens back is {'inside' if CHANGES[kind]['window'] >= int(FAR) else 'outside'} its window."
    return "A window forgets letters that stood further back."
