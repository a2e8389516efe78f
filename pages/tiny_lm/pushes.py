"""What each part of the model pushes a logit by, and what happens without one of its heads."""

from html import escape

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from attention_core.experiments.ablation import logit_drops, logits_without_heads
from attention_core.experiments.logit_lens import LogitAttribution, attribute_logit, attribution_difference
from attention_core.model.activations import Insides
from attention_core.text.word_vectors import position_labels
from pages.charts.bars import share_bars, signed_bars
from pages.charts.chart import rung
from pages.look import cards
from pages.look.html import number, power_of_ten, tiny, typed
from pages.page.page import Page
from pages.tiny_lm.inside_questions import asked_place, missed_question, push_question
from pages.tiny_lm.subject import Subject
from pages.tiny_lm.views import chosen_place

ALONE = "no other: its logit"
SHOWN = 8  # of the vocabulary, the likeliest
MOST_TOKENS = 12  # to choose from


def chosen_tokens(page: Page, subject: Subject, logits: Array, with_other: bool = True) -> tuple[int, int | None]:
    """Draw the lists of the token whose logit is looked at, and of another to compare it with."""
    order = [int(token) for token in np.argsort(-logits, kind="stable")[:MOST_TOKENS]]
    names = position_labels([subject.token(token) for token in order])
    token = order[names.index(page.controls.select("token", "Logit of", names, names[0], width=150))]
    if not with_other:
        return token, None
    others = [ALONE, *names]
    other = page.controls.select("against", "Against", others, ALONE, width=180)
    return token, None if other == ALONE else order[names.index(other)]


def by_part(page: Page, subject: Subject, inside: Insides) -> None:
    """Draw what each part of the model pushes one logit by, or the lead of one token over another."""
    if subject.model.config.norm != "pre":
        page.say(no_sum(subject), "")
        return
    place = asked_place(page, subject, "push")
    best = int(inside.logits[place].argmax())
    first = page.recipe.run("pushes_of_the_bet", attribute_logit, subject.model, inside, place, best)
    if not page.ask(push_question(subject, inside, first, place, best)):
        return
    with st.container(horizontal=True):
        position = chosen_place(page, subject)
        token, other = chosen_tokens(page, subject, inside.logits[position])
    pushes = pushes_of(page, subject, inside, position, token, other)
    left, right = st.columns([1.18, 1], gap="large")
    with left:
        push_bars(page, subject, inside, pushes, position)
    with right, st.container(border=True):
        page.write(push_card(subject, pushes, token, other))
    page.say(
        "These are the *direct* pushes: a part’s own vector, through the last norm as it stood, onto the token’s row "
        "of the output matrix. What later layers make of it is not in them: take a head out to see the rest.",
        "",
    )


def no_sum(subject: Subject) -> str:
    """Return why a post-norm model has no pushes that sum to a logit."""
    return (
        "This model norms the stream itself after every layer (post-norm), so the last stream is no longer the sum of "
        "what the parts wrote, and no list of pushes sums to the logit. *A head taken out* still works: it runs the "
        "whole model again. A model with its norms first, such as any that ships, shows this view."
    )


def pushes_of(
    page: Page, subject: Subject, inside: Insides, position: int, token: int, other: int | None
) -> LogitAttribution:
    """Return the pushes on a token's logit, or on its lead over another."""
    pushes = page.recipe.run("pushes", attribute_logit, subject.model, inside, position, token)
    if other is None:
        return pushes
    others = page.recipe.run("other_pushes", attribute_logit, subject.model, inside, position, other)
    return page.recipe.run("lead", attribution_difference, pushes, others)


def head_looks(inside: Insides, labels: list[str], position: int) -> list[str]:
    """Return the heads, each with its largest weight from a position and the key on which that lies."""
    looks = inside.weights[:, :, position]
    return [
        f"{layer + 1}.{head + 1} → {labels[int(row.argmax())]} {row.max():.2f}"
        for layer, rows in enumerate(looks)
        for head, row in enumerate(rows)
    ]


def push_bars(page: Page, subject: Subject, inside: Insides, pushes: LogitAttribution, position: int) -> None:
    """Draw the embedding, every head with where it looks, every feed-forward, the bias, and the sum."""
    n_layers, n_heads = pushes.heads.shape
    heads = head_looks(inside, subject.labels, position)
    labels, values = ["embedding"], [pushes.embedding]
    for layer in range(n_layers):
        labels += heads[layer * n_heads : (layer + 1) * n_heads]
        values += pushes.heads[layer].tolist()
        if subject.model.config.d_hidden:
            labels.append(f"feed-forward {layer + 1}")
            values.append(float(pushes.feed_forwards[layer]))
    labels += ["last norm’s bias", "Σ = logit"]
    values += [pushes.final_bias, pushes.total]
    chart = signed_bars(
        labels,
        np.array(values),
        limit=rung(float(np.abs(values).max())),
        name="pushes",
        sentence="What every part pushes, from the embedding down to their sum. A head is named layer.head, with its "
        "largest weight, which tells where it reads and not what it writes.",
        title="pushed down ← → up",
        of="part",
    )
    page.show(chart, note=escape(subject.origin))


def push_card(subject: Subject, pushes: LogitAttribution, token: int, other: int | None) -> str:
    """Return the sum of the pushes, beside the logit that the model gave."""
    name = f"<b>{escape(subject.token(token))}</b>"
    if other is None:
        title = f"The logit of {name}"
    else:
        title = f"The lead of {name} over <b>{escape(subject.token(other))}</b>"
    lines = [
        ("embedding", "token and position", pushes.embedding),
        ("heads", f"{pushes.heads.size} together", float(pushes.heads.sum())),
        ("feed-forwards", "" if subject.model.config.d_hidden else "this model has none", pushes.feed_forwards.sum()),
        ("last norm’s bias", "the same for every prompt", pushes.final_bias),
        ("<b>their sum</b>", "", pushes.total),
        ("the model’s own number", "from its forward pass", pushes.logit),
    ]
    texts = [(what, note, number(float(value), 4)) for what, note, value in lines]
    texts.append(("difference", "rounding", tiny(abs(pushes.total - pushes.logit))))
    if other is None:
        said = "A logit alone says little: only differences between logits decide. Choose another token to compare."
    else:
        likelier = number(pushes.factor, 2) if pushes.factor < 1e6 else power_of_ten(pushes.factor)
        said = f"e to the {number(pushes.logit)} is {likelier}: the first is so many times as likely as the second."
    return cards.card(title, cards.listed(texts), f'<p class="soft" style="margin-top:10px">{said}</p>')


def without_one(page: Page, subject: Subject, inside: Insides) -> None:
    """Draw each head's push beside how far the logit falls without the head, and the bet without one of them."""
    place, n_heads = asked_place(page, subject, "missed"), subject.model.config.n_heads
    pre = subject.model.config.norm == "pre"
    at = page.recipe.run("without_a_head", logits_without_heads, subject.model, inside, place)
    best = int(inside.logits[place].argmax())
    fell = page.recipe.run("fall_of_the_bet", logit_drops, inside.logits[place], at, best)
    direct = page.recipe.run("pushes_of_the_bet", attribute_logit, subject.model, inside, place, best) if pre else None
    if fell.size > 1 and not page.ask(missed_question(subject, fell, direct, place, best)):
        return
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
    page.write(
        f"Without head {heads[chosen]} the number of {typed(subject.token(token))} falls by "
        f"<b>{number(float(gone[layer, head]))}</b>.{push} The likeliest token is then {typed(subject.token(now))}, "
        f"with {number(float(after[now]))}. A logit may fall and its share still rise, if the others fall further.",
        "",
    )


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
        page.show(chart, note=escape(subject.origin))
    if pushes is not None:
        why = (
            "After a head of the last layer comes only the last norm, which divides by another number once the head is "
            "silent: that alone can turn a push around."
        )
        later = " Earlier heads are read by later ones: a head with no push of its own may be missed all the same."
        page.write(why + (later if len(gone) > 1 else ""), "note")
