"""What each part of the model pushes a logit by, or the lead of one token over another."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.logit_lens import LogitAttribution, attribute_logit, attribution_difference
from attention_core.model.activations import Insides
from attention_core.text.word_vectors import position_labels
from pages.charts.bars import signed_bars
from pages.charts.chart import rung
from pages.look import cards
from pages.look.html import number, power_of_ten, quoted, tiny
from pages.page.page import Page
from pages.page.questions import Choice
from pages.tiny_lm.asked_position import MOST, asked_position, distinct
from pages.tiny_lm.common import chosen_place
from pages.tiny_lm.model_in_view import Subject

ALONE = "no other: its logit"
MOST_TOKENS = 12  # to choose from


def draw(page: Page, subject: Subject, inside: Insides) -> bool:
    """Draw what each part of the model pushes one logit by, or the lead of one token over another."""
    if subject.model.config.norm != "pre":
        page.say(
            "This model norms the stream itself after every layer (post-norm), so the last stream is no longer the sum "
            "of what the parts wrote, and no list of pushes sums to the logit. *A head taken out* still works: it runs "
            "the whole model again. A model with its norms first, such as any that ships, shows this view.",
            "",
        )
        return True
    place = asked_position(page, subject, "push")
    best = int(inside.logits[place].argmax())
    first = page.recipe.run("pushes_of_the_bet", attribute_logit, subject.model, inside, place, best)
    if not page.ask(push_question(subject, inside, first, place, best)):
        return False
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
    return True


def chosen_tokens(page: Page, subject: Subject, logits: Array) -> tuple[int, int | None]:
    """Draw the lists of the token whose logit is looked at, and of another to compare it with."""
    order = [int(token) for token in np.argsort(-logits, kind="stable")[:MOST_TOKENS]]
    names = position_labels([subject.token(token) for token in order])
    token = order[names.index(page.controls.select("token", "Logit of", names, names[0], width=150))]
    others = [ALONE, *names]
    other = page.controls.select("against", "Against", others, ALONE, width=180)
    return token, None if other == ALONE else order[names.index(other)]


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
    page.show(chart, note=subject.origin)


def push_card(subject: Subject, pushes: LogitAttribution, token: int, other: int | None) -> Markup:
    """Return the sum of the pushes, beside the logit that the model gave."""
    if other is None:
        title = Markup("The logit of <b>{}</b>").format(subject.token(token))
    else:
        title = Markup("The lead of <b>{}</b> over <b>{}</b>").format(subject.token(token), subject.token(other))
    lines = [
        ("embedding", "token and position", pushes.embedding),
        ("heads", f"{pushes.heads.size} together", float(pushes.heads.sum())),
        ("feed-forwards", "" if subject.model.config.d_hidden else "this model has none", pushes.feed_forwards.sum()),
        ("last norm’s bias", "the same for every prompt", pushes.final_bias),
        (Markup("<b>their sum</b>"), "", pushes.total),
        ("the model’s own number", "from its forward pass", pushes.logit),
    ]
    texts = [(what, note, number(float(value), 4)) for what, note, value in lines]
    texts.append(("difference", "rounding", tiny(abs(pushes.total - pushes.logit))))
    if other is None:
        said = "A logit alone says little: only differences between logits decide. Choose another token to compare."
    else:
        likelier = number(pushes.factor, 2) if pushes.factor < 1e6 else power_of_ten(pushes.factor)
        said = Markup("e to the {} is {}: the first is so many times as likely as the second.").format(
            number(pushes.logit), likelier
        )
    under = Markup('<p class="soft" style="margin-top:10px">{}</p>').format(said)
    return cards.card(title, cards.listed(texts), under)


def push_question(subject: Subject, inside: Insides, pushes: LogitAttribution, position: int, token: int) -> Choice:
    """Ask which part pushes the logit of the likeliest token up most."""
    n_heads = subject.model.config.n_heads
    values = pushes.heads.ravel()
    looks = inside.weights[:, :, position].max(axis=-1).ravel()
    order = np.argsort(-values, kind="stable")
    heads = distinct([int(order[0]), int(looks.argmax()), int(order[-1]), *order[1:]])[: MOST - 1]
    parts = {f"head {h // n_heads + 1}.{h % n_heads + 1}": float(values[h]) for h in sorted(heads)}
    parts = {"the embedding": pushes.embedding, **parts}
    best = max(parts.values())
    mistakes = []
    brightest = int(looks.argmax())
    for name, value in parts.items():
        text = f"It pushes by {number(value)}."
        if name == f"head {brightest // n_heads + 1}.{brightest % n_heads + 1}":
            text = (
                f"It has the brightest weight here, {number(float(looks[brightest]))}, but that says where it reads, "
                f"not what it writes: it pushes by {number(value)}."
            )
        mistakes.append("" if value == best else text)
    right = tuple(i for i, value in enumerate(parts.values()) if value == best)
    name = list(parts)[right[0]]
    return Choice(
        "push",
        f"After {quoted(subject.labels[position])} the model bets most on {quoted(subject.token(token))}. Which of "
        "these parts pushes its logit up most by what it wrote itself?",
        tuple(parts),
        right,
        f"Of these, {name} pushes most: {number(best)}. All parts together make the logit, {number(pushes.logit)}.",
        tuple(mistakes),
    )
