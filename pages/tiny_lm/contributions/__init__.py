"""The logit contribution of each part of the model, to one logit or to its lead over another."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.inside.logit_lens import LogitAttribution, attribute_logit, attribution_difference
from attention_core.model.activations import Insides, insides
from attention_core.text.word_vectors import position_labels
from pages.charts.bars import signed_bars
from pages.charts.chart import rung
from pages.look import cards
from pages.look.html import number, power_of_ten, quoted, tiny
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step
from pages.tiny_lm.architecture_note import architecture_note
from pages.tiny_lm.asked_position import MAX_OPTIONS, asked_position, distinct
from pages.tiny_lm.common import adds_positions, chosen_place
from pages.tiny_lm.contributions.by_key import draw_keys
from pages.tiny_lm.model_in_view import Subject

ALONE = "nothing (plain logit)"
RUNNER_UP = "the runner-up"
MOST_TOKENS = 12  # to choose from
STEP = Step(
    "contributions",
    "Which part wrote the prediction?",
    "The final stream is a sum, so each logit is one too: of what the embedding, each head and each MLP contributed "
    "(**direct logit attribution**). A **logit difference** is the lead of one token over another. The scale of the "
    "final LayerNorm is frozen, and effects through later layers are not included.",
    words="against token",
)


def draw(page: Page, scene: Subject) -> bool:
    """Draw what each part of the model contributes to one logit, or to its lead over another."""
    subject, inside = scene, page.recipe.run_once("inside", insides, scene.model, scene.tokens)
    page.drawing.pictured = "inside.weights[0, 0]"
    architecture_note(page, scene)
    if subject.model.config.norm != "pre":
        page.say(
            "In this model LayerNorm follows each addition (post-norm), so the final stream is no longer the sum of "
            "what the parts wrote. No list of contributions sums to the logit. *Patching* still works, because it "
            "runs the model again. The models in the list, which are pre-norm, show this view.",
            "",
        )
        return True
    place = asked_position(page, subject, "push")
    best = int(inside.logits[place].argmax())
    first, rival = asked_contributions(page, subject, inside, place, best), asked_rival(page, inside.logits[place])
    if not page.ask(contribution_question(subject, inside, first, place, best, rival)):
        return False
    with st.container(horizontal=True):
        position = chosen_place(page, subject)
        token, other = chosen_tokens(page, subject, inside.logits[position])
    found = contributions(page, subject, inside, position, token, other)
    what = f"logit of {subject.token(token)}" if other is None else f"lead of {subject.token(token)}"
    page.prints(what, "contributions.logit" if other is None else "lead.logit")
    left, right = st.columns([1.18, 1], gap="large")
    with left:
        contribution_bars(page, subject, inside, found, position, other is None)
    with right, st.container(border=True):
        page.write(contribution_card(subject, found, token, other))
    page.look_closer(
        "What a head writes for each key", lambda: draw_keys(page, subject, inside, position, token, other)
    )
    return True


def chosen_tokens(page: Page, subject: Subject, logits: Array) -> tuple[int, int | None]:
    """Draw the lists of the token whose logit is split, and of another to compare it with."""
    order = [int(token) for token in np.argsort(-logits, kind="stable")[:MOST_TOKENS]]
    names = position_labels([subject.token(token) for token in order])
    token = order[names.index(page.controls.select("token", "Logit of", names, names[0], width=150))]
    other = page.controls.select("against", "Compare with", [RUNNER_UP, ALONE, *names], RUNNER_UP, width=180)
    if other == RUNNER_UP:
        return token, next((one for one in order if one != token), None)
    return token, None if other == ALONE else order[names.index(other)]


def asked_rival(page: Page, logits: Array) -> int | None:
    """Return the token over which a question lets the prediction lead; none where the plain logit is shown."""
    chosen = page.controls.last("against", "") or page.controls.from_link("against", bool)  # drawn after the question
    if chosen == ALONE or logits.size < 2:
        return None
    return int(np.argsort(-logits, kind="stable")[1])


def asked_contributions(page: Page, subject: Subject, inside: Insides, position: int, token: int) -> LogitAttribution:
    """Return the contributions to the prediction's lead over the runner-up, or to its logit."""
    run, rival = page.recipe.run, asked_rival(page, inside.logits[position])
    own = run("contributions_to_prediction", attribute_logit, subject.model, inside, position, token)
    if rival is None:
        return own
    others = run("contributions_to_runner_up", attribute_logit, subject.model, inside, position, rival)
    return run("lead_of_prediction", attribution_difference, own, others)


def contributions(
    page: Page, subject: Subject, inside: Insides, position: int, token: int, other: int | None
) -> LogitAttribution:
    """Return the contributions to a token's logit, or to its lead over another."""
    own = page.recipe.run("contributions", attribute_logit, subject.model, inside, position, token)
    if other is None:
        return own
    others = page.recipe.run("other_contributions", attribute_logit, subject.model, inside, position, other)
    return page.recipe.run("lead", attribution_difference, own, others)


def heads_with_keys(inside: Insides, labels: list[str], position: int) -> list[str]:
    """Return the heads, each with its largest attention weight from a position and the key that has it."""
    weights = inside.weights[:, :, position]
    return [
        f"{layer + 1}.{head + 1} → {labels[int(row.argmax())]} {row.max():.2f}"
        for layer, rows in enumerate(weights)
        for head, row in enumerate(rows)
    ]


def contribution_bars(
    page: Page, subject: Subject, inside: Insides, found: LogitAttribution, position: int, plain: bool
) -> None:
    """Draw the embedding, every head with its key, every MLP, the bias, and their sum: a `plain` logit or a lead."""
    n_layers, n_heads = found.heads.shape
    heads = heads_with_keys(inside, subject.labels, position)
    labels, values = ["embedding"], [found.embedding]
    for layer in range(n_layers):
        labels += heads[layer * n_heads : (layer + 1) * n_heads]
        values += found.heads[layer].tolist()
        if subject.model.config.d_hidden:
            labels.append(f"MLP {layer + 1}")
            values.append(float(found.feed_forwards[layer]))
    labels += ["final LayerNorm’s bias", "Σ = logit" if plain else "Σ = lead"]
    values += [found.final_bias, found.total]
    chart = signed_bars(
        labels,
        np.array(values),
        limit=rung(float(np.abs(values).max())),
        name="logit contributions",
        sentence="The logit contribution of each part, and their sum. A head is named layer.head, with its largest "
        "attention weight, which says what it reads, not what it writes.",
        title="logit contribution",
        of="part",
    )
    page.show(chart, note=subject.origin)


def contribution_card(subject: Subject, found: LogitAttribution, token: int, other: int | None) -> Markup:
    """Return the sum of the contributions, beside the logit that the model computed."""
    if other is None:
        title = Markup("The logit of <b>{}</b>").format(subject.token(token))
    else:
        title = Markup("The lead of <b>{}</b> over <b>{}</b> (logit difference)").format(
            subject.token(token), subject.token(other)
        )
    lines = [
        ("embedding", "token and position" if adds_positions(subject.model.config) else "", found.embedding),
        ("heads", f"{found.heads.size} together", float(found.heads.sum())),
        ("MLPs", "" if subject.model.config.d_hidden else "this model has none", found.feed_forwards.sum()),
        ("final LayerNorm’s bias", "the same for every prompt", found.final_bias),
        (Markup("<b>their sum</b>"), "", found.total),
        ("the model’s own result", "from its forward pass", found.logit),
    ]
    texts = [(what, note, number(float(value), 4)) for what, note, value in lines]
    texts.append(("difference", "rounding", tiny(abs(found.total - found.logit))))
    if other is None:
        said = "Only differences between logits matter for the probabilities. Choose another token to compare with."
    else:
        digits = 0 if found.factor >= 100 else 2
        likelier = number(found.factor, digits) if found.factor < 1e6 else power_of_ten(found.factor)
        said = Markup("e<sup>{}</sup> = {}, so <b>{}</b> is {} times as likely as <b>{}</b>.").format(
            number(found.logit, 4), likelier, subject.token(token), likelier, subject.token(other)
        )
    under = Markup('<p class="soft" style="margin-top:10px">{}</p>').format(said)
    return cards.card(title, cards.listed(texts), under)


def contribution_question(
    subject: Subject, inside: Insides, found: LogitAttribution, position: int, token: int, rival: int | None
) -> Choice:
    """Ask which part contributes most to the logit of the likeliest token, or to its lead over a rival."""
    n_heads = subject.model.config.n_heads
    values = found.heads.ravel()
    largest = inside.weights[:, :, position].max(axis=-1).ravel()
    order = np.argsort(-values, kind="stable")
    heads = distinct([int(order[0]), int(largest.argmax()), int(order[-1]), *order[1:]])[: MAX_OPTIONS - 1]
    parts = {f"head {h // n_heads + 1}.{h % n_heads + 1}": float(values[h]) for h in sorted(heads)}
    parts = {"the embedding": found.embedding, **parts}
    best = max(parts.values())
    mistakes = []
    strongest = int(largest.argmax())
    for name, value in parts.items():
        text = f"It contributes {number(value)}."
        if name == f"head {strongest // n_heads + 1}.{strongest % n_heads + 1}":
            text = (
                f"It has the largest attention weight, {number(float(largest[strongest]))}. That says what it reads, "
                f"not what it writes: it contributes {number(value)}."
            )
        mistakes.append("" if value == best else text)
    right = tuple(i for i, value in enumerate(parts.values()) if value == best)
    name = list(parts)[right[0]]
    what = "logit" if rival is None else "lead"
    over = "" if rival is None else f" over {quoted(subject.token(rival))}, the second most likely token,"
    return Choice(
        "push",
        f"After {quoted(subject.labels[position])} the model predicts {quoted(subject.token(token))}. Which of these "
        f"parts contributes most to its {what}{over} by what it wrote itself?",
        tuple(parts),
        right,
        f"Of these, {name} contributes most: {number(best)}. All parts together sum to the {what}, "
        f"{number(found.logit)}.",
        tuple(mistakes),
    )
