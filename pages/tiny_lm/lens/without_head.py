"""Each head switched off in turn: how much a logit drops without it, and the prediction without one of them."""

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from attention_core.experiments.inside.ablation import logit_drops, logits_without_heads
from attention_core.experiments.inside.logit_lens import LogitAttribution
from attention_core.model.activations import Insides
from pages.charts.bars import fraction_bars, signed_bars
from pages.charts.chart import rung
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.tiny_lm.asked_position import asked_position, distinct
from pages.tiny_lm.common import chosen_place
from pages.tiny_lm.lens.by_part import (
    asked_contributions,
    asked_rival,
    chosen_tokens,
    contributions,
    heads_with_keys,
)
from pages.tiny_lm.model_in_view import Subject

SHOWN = 8  # of the vocabulary, the likeliest
LAST = "the last head"


def draw(page: Page, subject: Subject, inside: Insides) -> bool:
    """Draw each head's contribution beside the logit drop without it, and the prediction without one of them."""
    place, n_heads = asked_position(page, subject, "missed"), subject.model.config.n_heads
    pre = subject.model.config.norm == "pre"
    at = page.recipe.run("without_a_head", logits_without_heads, subject.model, inside, place)
    best = int(inside.logits[place].argmax())
    rival = asked_rival(page, inside.logits[place])
    drops = page.recipe.run("drops_of_prediction", logit_drops, inside.logits[place], at, best, rival)
    own = asked_contributions(page, subject, inside, place, best) if pre else None
    if drops.size > 1 and not page.ask(drop_question(subject, drops, own, place, best, rival)):
        return False
    heads = [f"{layer + 1}.{head + 1}" for layer in range(len(drops)) for head in range(n_heads)]
    with st.container(horizontal=True):
        position = chosen_place(page, subject)
        token, other = chosen_tokens(page, subject, inside.logits[position])
        chosen = chosen_head(page, heads, most_missed(page, subject, inside))
    if position != place:
        at = page.recipe.run("without_a_head", logits_without_heads, subject.model, inside, position)
    logits = inside.logits[position]
    dropped = page.recipe.run("drops", logit_drops, logits, at, token, other)
    found = contributions(page, subject, inside, position, token, other) if pre else None
    effects(page, subject, inside, position, dropped, found)
    layer, head = divmod(chosen, n_heads)
    drops_of = [
        f"inside.logits[{position}, {one}] - without_a_head[{layer}, {head}, {one}]"
        for one in ([token] if other is None else [token, other])
    ]
    page.prints(f"logit drop without head {heads[chosen]}", " - ".join(f"({drop})" for drop in drops_of))
    page.heading(f"Prediction without head {heads[chosen]}", small=True)
    before = page.recipe.run("prediction", softmax, logits)
    after = page.recipe.run("ablated_prediction", softmax, at[layer, head])
    left, right = st.columns(2, gap="large")
    order = np.argsort(-np.maximum(before, after), kind="stable")[:SHOWN]
    names = [subject.token(int(one)) for one in order]
    for slot, probabilities, name, said in (
        (left, before, "prediction", "With all heads: the tokens that are likeliest with or without this head."),
        (right, after, "ablated prediction", "With this head switched off: the same tokens."),
    ):
        with slot:
            page.show(
                fraction_bars(
                    names, probabilities[order], name=name, sentence=said, title="probability", of=subject.unit
                )
            )
    what = "logit of {token}" if other is None else "lead of {token} over {other}"
    drop, own_part = float(dropped[layer, head]), ""
    if found is not None:
        own_part = f" The head’s logit contribution is {number(float(found.heads[layer, head]))}."
    page.say(
        f"Without head {heads[chosen]} the {what} **{moves(drop)}**.{own_part} The likeliest token is then {{now}}, "
        f"with probability {number(float(after.max()))}. A logit may drop while its probability rises, if other logits "
        "drop more.",
        "",
        token=subject.token(token),
        other="" if other is None else subject.token(other),
        now=subject.token(int(after.argmax())),
    )
    return True


def most_missed(page: Page, subject: Subject, inside: Insides) -> int:
    """Return the head without which the prediction after the prompt loses most of its lead, or of its logit."""
    last = len(subject.tokens) - 1
    without, logits = logits_without_heads(subject.model, inside, last), inside.logits[last]
    return int(logit_drops(logits, without, int(logits.argmax()), asked_rival(page, logits)).argmax())


def chosen_head(page: Page, heads: list[str], usual: int) -> int:
    """Draw the list of heads; return the one that is switched off. A link of before may say the last one."""
    said = page.controls.last("less", "") or page.controls.from_link("less", bool)
    offered = [*heads, LAST] if said == LAST else heads
    chosen = page.controls.select("less", "Head switched off", offered, heads[usual], width=150)
    return len(heads) - 1 if chosen == LAST else heads.index(chosen)


def effects(
    page: Page, subject: Subject, inside: Insides, position: int, dropped: Array, found: LogitAttribution | None
) -> None:
    """Draw the contribution of every head, if there is such a thing, beside the logit drop without it."""
    labels = heads_with_keys(inside, subject.labels, position)
    far = max(float(np.abs(dropped).max()), 0.0 if found is None else float(np.abs(found.heads).max()))
    limit = rung(far)
    left, right = st.columns(2, gap="large")
    if found is not None:
        with left:
            chart = signed_bars(
                labels,
                found.heads.ravel(),
                limit=limit,
                name="logit contribution of each head",
                sentence="The logit contribution of each head, with everything else unchanged.",
                title="logit contribution",
                of="head",
            )
            page.show(chart)
    with right if found is not None else left:
        chart = signed_bars(
            labels,
            dropped.ravel(),
            limit=limit,
            name="logit drop without head",
            sentence="How much the logit, or the lead, drops if the head’s rows of W_O are zero and the model runs "
            "again. Negative: it rises.",
            title="logit drop without the head",
            of="head",
        )
        page.show(chart, note=subject.origin)
    if found is not None:
        page.write(why_they_differ(len(dropped), subject.model.config.d_hidden > 0), "note")


def why_they_differ(n_layers: int, fed: bool) -> str:
    """Return why the logit drop without a head is not its contribution, by what reads the head afterwards."""
    readers = "the MLP and the final LayerNorm still read" if fed else "only the final LayerNorm reads"
    last = f"{'In the last layer ' if n_layers > 1 else ''}{readers} a head’s output."
    why = " LayerNorm divides by another number once the head is off, so the drop can even have the other sign."
    later = " Later layers also read earlier heads, so a head with a small contribution can still matter."
    return last[0].upper() + last[1:] + why + (later if n_layers > 1 else "")


def drop_question(
    subject: Subject, drops: Array, found: LogitAttribution | None, position: int, token: int, rival: int | None
) -> Choice:
    """Ask without which head the logit of the prediction, or its lead over a rival, drops most."""
    n_heads, values = subject.model.config.n_heads, drops.ravel()
    direct = values if found is None else found.heads.ravel()
    order = np.argsort(-values, kind="stable")
    heads = sorted(distinct([int(order[0]), int(direct.argmax()), int(np.abs(direct).argmax()), *order[1:]]))
    best = float(values.max())
    what, over = ("logit", "") if rival is None else ("lead", f" over {quoted(subject.token(rival))}, the runner-up,")
    mistakes = []
    for head in heads:
        text = f"Without this head, the {what} {moves(float(values[head]))}."
        if found is not None:
            text += f" The head’s own contribution is {number(float(direct[head]))}."
        mistakes.append("" if values[head] == best else text)
    right = tuple(i for i, head in enumerate(heads) if values[head] == best)
    winner = heads[right[0]]
    own = "" if found is None else f" The head’s own contribution is {number(float(direct[winner]))}."
    name = f"{winner // n_heads + 1}.{winner % n_heads + 1}"
    return Choice(
        "missed",
        f"After {quoted(subject.labels[position])} the model predicts {quoted(subject.token(token))}. One head at a "
        f"time is switched off, and the model runs again. Without which head does its {what}{over} drop most?",
        tuple(f"head {head // n_heads + 1}.{head % n_heads + 1}" for head in heads),
        right,
        f"Without head {name}, the {what} {moves(best)}.{own}",
        tuple(mistakes),
    )


def moves(drop: float) -> str:
    """Return in words how a logit moves that drops by so much."""
    return f"{'drops' if drop >= 0 else 'rises'} by {number(abs(drop))}"
