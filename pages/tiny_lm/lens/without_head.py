"""Each head taken out in turn: how far a logit falls without it, and the bet without one of them."""

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from attention_core.experiments.ablation import logit_drops, logits_without_heads
from attention_core.experiments.logit_lens import LogitAttribution, attribute_logit
from attention_core.model.activations import Insides
from pages.charts.bars import share_bars, signed_bars
from pages.charts.chart import rung
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.page.questions import Choice
from pages.tiny_lm.asked_position import asked_position, distinct
from pages.tiny_lm.common import chosen_place
from pages.tiny_lm.lens.by_part import chosen_tokens, head_looks, pushes_of
from pages.tiny_lm.model_in_view import Subject

SHOWN = 8  # of the vocabulary, the likeliest


def draw(page: Page, subject: Subject, inside: Insides) -> bool:
    """Draw each head's push beside how far the logit falls without the head, and the bet without one of them."""
    place, n_heads = asked_position(page, subject, "missed"), subject.model.config.n_heads
    pre = subject.model.config.norm == "pre"
    at = page.recipe.run("without_a_head", logits_without_heads, subject.model, inside, place)
    best = int(inside.logits[place].argmax())
    fell = page.recipe.run("fall_of_the_bet", logit_drops, inside.logits[place], at, best)
    direct = page.recipe.run("pushes_of_the_bet", attribute_logit, subject.model, inside, place, best) if pre else None
    if fell.size > 1 and not page.ask(missed_question(subject, fell, direct, place, best)):
        return False
    heads = [f"{layer + 1}.{head + 1}" for layer in range(len(fell)) for head in range(n_heads)]
    with st.container(horizontal=True):
        position = chosen_place(page, subject)
        token, other = chosen_tokens(page, subject, inside.logits[position])
        chosen = heads.index(page.controls.select("less", "Head taken out", heads, heads[-1], width=150))
    if position != place:
        at = page.recipe.run("without_a_head", logits_without_heads, subject.model, inside, position)
    logits = inside.logits[position]
    gone = page.recipe.run("fallen", logit_drops, logits, at, token, other)
    pushes = pushes_of(page, subject, inside, position, token, other) if pre else None
    effects(page, subject, inside, position, gone, pushes)
    layer, head = divmod(chosen, n_heads)
    st.subheader(f"The bet without head {heads[chosen]}", anchor=False)
    before = page.recipe.run("bet", softmax, logits)
    after = page.recipe.run("bet_without", softmax, at[layer, head])
    left, right = st.columns(2, gap="large")
    order = np.argsort(-np.maximum(before, after), kind="stable")[:SHOWN]
    names = [subject.token(int(one)) for one in order]
    for slot, bets, name, said in (
        (left, before, "bet", "With all heads: the tokens that are likeliest with or without it."),
        (right, after, "bet without", "Without the head, the same tokens."),
    ):
        with slot:
            page.show(share_bars(names, bets[order], name=name, sentence=said, title="share", of=subject.unit))
    push = "" if pushes is None else f" Its push was {number(float(pushes.heads[layer, head]))}."
    now = int(after.argmax())
    page.say(
        f"Without head {heads[chosen]} the number of {{token}} falls by **{number(float(gone[layer, head]))}**.{push} "
        f"The likeliest token is then {{now}}, with {number(float(after[now]))}. A logit may fall and its share still "
        "rise, if the others fall further.",
        "",
        token=subject.token(token),
        now=subject.token(now),
    )
    return True


def effects(
    page: Page, subject: Subject, inside: Insides, position: int, gone: Array, pushes: LogitAttribution | None
) -> None:
    """Draw the push of every head, if there is such a thing, beside the fall of the logit without it."""
    labels = head_looks(inside, subject.labels, position)
    far = max(float(np.abs(gone).max()), 0.0 if pushes is None else float(np.abs(pushes.heads).max()))
    limit = rung(far)
    left, right = st.columns(2, gap="large")
    if pushes is not None:
        with left:
            chart = signed_bars(
                labels,
                pushes.heads.ravel(),
                limit=limit,
                name="head pushes",
                sentence="What each head pushes by itself, with all else as it was.",
                title="its direct push",
                of="head",
            )
            page.show(chart)
    with right if pushes is not None else left:
        chart = signed_bars(
            labels,
            gone.ravel(),
            limit=limit,
            name="falls",
            sentence="How far the number falls when the head’s rows of W_O are set to zero and the model runs again; "
            "to the left where it rises.",
            title="the fall without it",
            of="head",
        )
        page.show(chart, note=subject.origin)
    if pushes is not None:
        why = (
            "After a head of the last layer comes only the last norm, which divides by another number once the head is "
            "silent: that alone can turn a push around."
        )
        later = " Earlier heads are read by later ones: a head with no push of its own may be missed all the same."
        page.write(why + (later if len(gone) > 1 else ""), "note")


def missed_question(
    subject: Subject, fell: Array, pushes: LogitAttribution | None, position: int, token: int
) -> Choice:
    """Ask which head the bet would miss most."""
    n_heads, values = subject.model.config.n_heads, fell.ravel()
    direct = values if pushes is None else pushes.heads.ravel()
    order = np.argsort(-values, kind="stable")
    heads = sorted(distinct([int(order[0]), int(direct.argmax()), int(np.abs(direct).argmax()), *order[1:]]))
    best = float(values.max())
    mistakes = []
    for head in heads:
        text = f"Without it the logit falls by {number(float(values[head]))}."
        if values[head] < 0:
            text = f"Without it the logit even rises, by {number(float(-values[head]))}."
        if pushes is not None:
            text += f" Its own push is {number(float(direct[head]))}."
        mistakes.append("" if values[head] == best else text)
    right = tuple(i for i, head in enumerate(heads) if values[head] == best)
    winner = heads[right[0]]
    own = "" if pushes is None else f"; its own push is {number(float(direct[winner]))}"
    name = f"{winner // n_heads + 1}.{winner % n_heads + 1}"
    return Choice(
        "missed",
        f"After {quoted(subject.labels[position])} the model bets most on {quoted(subject.token(token))}. One head at "
        "a time is taken out, and the model runs again. Without which one does that logit fall furthest?",
        tuple(f"head {head // n_heads + 1}.{head % n_heads + 1}" for head in heads),
        right,
        f"Without head {name} it falls by {number(best)}{own}.",
        tuple(mistakes),
    )
