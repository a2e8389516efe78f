"""What a head writes for each key, as contributions to the lead of one token's logit over another's."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.inside.logit_lens import (
    HeadAttribution,
    attribute_head,
    attribute_logit,
    attribution_difference,
)
from attention_core.model.activations import Insides
from pages.charts.bars import signed_bars
from pages.charts.chart import rung
from pages.heads.side_by_side import head_buttons
from pages.look import cards
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.tiny_lm.common import head_name, head_names
from pages.tiny_lm.heads_view import chosen_head, head_word
from pages.tiny_lm.model_in_view import Subject

MOST_KEYS = 12  # with a bar of their own


def draw_keys(page: Page, subject: Subject, inside: Insides, position: int, token: int, other: int | None) -> None:
    """Draw what one head writes for each key, on the lead over another token: of all others the likeliest."""
    order = [int(one) for one in np.argsort(-inside.logits[position], kind="stable")]
    if len(order) < 2:
        return  # a vocabulary of one token: nothing to lead over
    if other is None or other == token:
        other = next(one for one in order if one != token)
    run, model = page.recipe.run, subject.model
    own = run("own_contributions", attribute_logit, model, inside, position, token)
    others = run("runner_up_contributions", attribute_logit, model, inside, position, other)
    leads = run("lead_over_runner_up", attribution_difference, own, others).heads
    layer, head = chosen_head(page, *leads.shape) or divmod(int(leads.argmax()), leads.shape[1])
    names = head_names(*leads.shape)
    name = head_name(names[layer * leads.shape[1] + head])
    found = run("written", attribute_head, model, inside, position, layer, head, token, other)
    page.heading(f"What {name} writes for each {subject.unit}", small=True)
    cells = [head_word(*place) for place in np.ndindex(leads.shape)]
    head_buttons(page, dict(zip(cells, names, strict=True)), head_word(layer, head))
    keys = shown_keys(found)
    rest = int((found.weights > 0).sum()) - len(keys)
    left, right = st.columns([1.18, 1], gap="large")
    with left:
        key_bars(page, subject, found, keys, rest, name)
    with right, st.container(border=True):
        page.write(key_card(subject, found, keys, rest, token, other))
    page.say(told(subject, found, name, layer), "")


def shown_keys(found: HeadAttribution) -> list[int]:
    """Return the keys that contribute most, in the order of the prompt; none with weight 0."""
    order = np.argsort(-np.abs(found.keys), kind="stable")
    return sorted([int(key) for key in order if found.weights[key] > 0][:MOST_KEYS])


def rest_of(found: HeadAttribution, keys: list[int]) -> float:
    """Return what the keys without a bar of their own contribute together."""
    return float(np.delete(found.keys, keys).sum())


def key_bars(page: Page, subject: Subject, found: HeadAttribution, keys: list[int], rest: int, name: str) -> None:
    """Draw the contribution of each key, and their sum."""
    labels, values = [subject.labels[key] for key in keys], [float(found.keys[key]) for key in keys]
    if rest:
        labels.append(f"{rest} more")
        values.append(rest_of(found, keys))
    labels.append("Σ = head")
    values.append(found.total)
    chart = signed_bars(
        labels,
        np.array(values),
        limit=rung(float(np.abs(values).max())),
        name="contribution of each key",
        sentence=f"What {name} contributes to the lead for each key, and the sum: {number(found.total)}.",
        title="contribution to the lead",
        of="key",
    )
    page.show(chart, note=subject.origin)


def key_card(subject: Subject, found: HeadAttribution, keys: list[int], rest: int, token: int, other: int) -> Markup:
    """Return the product behind each bar: the weight of a key, times what the head would contribute at weight 1."""
    lines = [
        (
            subject.labels[key],
            f"{number(float(found.weights[key]))} × {number(float(found.at_weight_one[key]))}",
            number(float(found.keys[key]), 4),
        )
        for key in keys
    ]
    if rest:
        lines.append((f"{rest} more", "together", number(rest_of(found, keys), 4)))
    total = (Markup("<b>their sum</b>"), "the head’s contribution", number(found.total, 4))
    title = Markup("The lead of <b>{}</b> over <b>{}</b>").format(subject.token(token), subject.token(other))
    under = Markup('<p class="soft" style="margin-top:10px">{}</p>').format(
        "Each line: the key’s attention weight × its contribution at weight 1, which is its v times the head’s rows "
        "of W_O, read as this lead."
    )
    return cards.card(title, cards.listed([*lines, total]), under)


def told(subject: Subject, found: HeadAttribution, name: str, layer: int) -> str:
    """Return which key has the largest weight and which contributes most, and what a key is in a later layer."""
    read, wrote = int(found.weights.argmax()), int(np.abs(found.keys).argmax())
    weight, value = number(float(found.weights[read])), number(float(found.keys[wrote]))
    start = f"{name.capitalize()} has its largest weight, **{weight}**, on {quoted(subject.labels[read])}"
    if read == wrote:
        end = f"That key also has the largest contribution by size, **{value}**."
    else:
        end = f"But {quoted(subject.labels[wrote])} has the largest contribution by size, **{value}**."
    later = f" In layer {layer + 1}, a key is the stream at its position: earlier layers wrote to it too."
    return f"{start}. {end}{later if layer else ''}"
