"""The model as a diagram of its parts, with real shapes; what each holds and costs, and what it would be without."""

from dataclasses import astuple
from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from attention_core.architecture import Box, bends, boxes, loss_if, losses_dropped, other_order
from attention_core.config import Config
from attention_core.costs import GPT_2, GPT_3, operations
from attention_core.parameters import Parts, n_parameters, parameter_parts
from attention_core.shipped import MODELS, card_of
from pages.shared import cards
from pages.shared.charts.diagram import Frame, Path, diagram
from pages.shared.charts.lines import line_chart
from pages.shared.colours import ATTENTION, INK
from pages.shared.frame import Page
from pages.shared.markup import number
from pages.tiny_lm.learning_questions import KINDS, attention_question, largest_question
from pages.tiny_lm.subject import OWN, Subject

ORDERS = ("as in this model", "the other way round")
DROPPED, DRAWS = 0.1, 8  # the share that dropout sets to 0, and how often it is drawn
WHAT = {
    "tokens": "The text as numbers: each token’s place in the vocabulary. Nothing is held here.",
    "embedding": "A row for each token of the vocabulary. The tokens of the text take theirs: looked up, not "
    "multiplied.",
    "positions": "A vector for each place is added, so that the same token differs from place to place.",
    "norm": "Each row is moved to mean 0 and deviation 1, then stretched by a gain and shifted by a bias.",
    "Q K V": "Three matrices make queries, keys and values. Their columns are split among the heads.",
    "heads": "Each head: softmax(q · k / √d_k + mask), then a mix of values. It multiplies, but holds no numbers.",
    "W_O": "Mixes what the heads bring, side by side, back to the width of the stream.",
    "add": "What was computed is added to what came in, by the path that leads past: a residual. Nothing is held here.",
    "feed-forward": "Each row alone: out to a wider layer, through a bend, and back.",
    "last norm": "One more norm before the output.",
    "logits": "The same matrix as the embedding, turned round: a logit is a row’s product with a token’s vector.",
}
GROUP = {  # which of `Parts` the numbers of a box belong to
    "embedding": "token_embedding",
    "positions": "position_embedding",
    "Q K V": "attention",
    "W_O": "attention",
    "feed-forward": "feed_forward",
    "norm 1": "norms",
    "norm 2": "norms",
    "last norm": "norms",
    "logits": "token_embedding",
}


def building(page: Page, subject: Subject) -> None:
    """Draw the diagram with a part of it in full, then what all parts hold, then the card of the model."""
    config = page.recipe.made("config", subject.model.config, Config, lambda: astuple(subject.model.config))
    if not page.ask(attention_question(config)):
        return
    length = len(subject.tokens)
    turned = page.controls.choice("order", "Norms", ORDERS, ORDERS[0]) == ORDERS[1]
    shown = page.recipe.run("turned", other_order, config) if turned else config
    parts = page.recipe.run("parts", boxes, shown, length)
    once = [part for part in parts if part.layer <= 0]  # of the layers, which are alike, the first
    names = [part.name for part in once]
    held = page.recipe.run("held", parameter_parts, config)
    left, right = st.columns([1.18, 1], gap="large")
    with right:
        usual = names.index("Q K V")
        chosen = names.index(page.controls.select("part", "Part", names, names[usual], width=220))
        one_part(page, subject, once[chosen], config)
    with left:
        draw_diagram(page, subject, once, chosen, shown)
    st.subheader("Where the numbers are", anchor=False)
    if page.ask(largest_question(config, "this model", page.variant("largest"))):
        shares(page, config, held, once[chosen], length)
    st.subheader("The same numbers, built otherwise", anchor=False)
    otherwise(page, subject)
    st.subheader("The card of this model", anchor=False)
    page.write(model_card(subject))


def times(*sizes: int) -> str:
    """Return a shape."""
    return " × ".join(f"{size:,}".replace(",", "\u202f") for size in sizes)


def several(count: int, what: str) -> str:
    """Return how many there are of something."""
    return f"{count:,} {what}{'s' * (count != 1)}"


def whole(value: float) -> str:
    """Return a whole number with thin spaces."""
    return number(value, 0)


def draw_diagram(page: Page, subject: Subject, once: list[Box], chosen: int, config: Config) -> None:
    """Draw the boxes of the model, those of its layers once."""
    inside = [place for place, part in enumerate(once) if part.layer == 0]
    adds = [place for place in inside if once[place].name.startswith("add")]
    before = config.norm == "pre"
    starts = [inside[0], *(place + (1 if before else 2) for place in adds[:-1])]
    layers = config.n_layers
    chart = diagram(
        [part.name for part in once],
        [times(*part.out) for part in once],
        [whole(part.n_parameters) if part.n_parameters else "–" for part in once],
        paths=[Path(start, add) for start, add in zip(starts, adds, strict=True)],
        frame=Frame(inside[0], inside[-1], f"layer 1 of {layers}"),
        chosen=chosen,
        name="architecture",
        sentence=f"{len(subject.tokens)} {subject.unit}s pass through {several(layers, 'layer')} and become "
        f"{len(subject.tokens)} × {config.vocab_size} logits. In each layer the norms stand "
        f"{'before' if before else 'after'} what they belong to.",
        numbers=pd.DataFrame(
            {
                "part": [part.name for part in once],
                "hands on": [times(*part.out) for part in once],
                "numbers held": [part.n_parameters for part in once],
                "operations": [part.operations for part in once],
            }
        ),
    )
    page.show(
        chart,
        lambda i, _: page.controls.put(part=once[i].name),
        "In each box: what it hands on, and how many numbers it holds. The lines at the right lead past: what comes "
        "in is added again.",
    )


def one_part(page: Page, subject: Subject, part: Box, config: Config) -> None:
    """Say what one part computes, and count it."""
    base = part.name.split(" ")[0] if part.name.startswith(("norm", "add")) else part.name
    total = n_parameters(config)
    per_layer = config.n_layers if part.layer == 0 else 1
    lines = [(escape(name.removeprefix("blocks.0.")), times(*shape)) for name, shape in part.arrays.items()]
    if part.name == "logits":
        lines.append(("token_embedding, again", times(config.d_model, config.vocab_size)))
    lines.append(("<b>hands on</b>", f"<b>{times(*part.out)}</b>"))
    count = part.n_parameters * per_layer
    layers = f", {per_layer} layers" if per_layer > 1 else ""
    lines += [
        (f"numbers{layers}", whole(count)),
        ("of all numbers", f"{number(100 * count / total, 1)} %"),
        ("memory, 32 and 16 bits each", f"{size(4 * count)}, {size(2 * count)}"),
        (f"operations in products{layers}", whole(part.operations * per_layer)),
        (
            f"of these a {subject.unit}",
            whole(round(part.operations * per_layer / part.out[-2 if len(part.out) > 1 else 0])),
        ),
    ]
    rows = "".join(f'<tr><td>{what}</td><td style="text-align:right">{value}</td></tr>' for what, value in lines)
    says = f'<p style="margin-bottom:10px">{WHAT[base]}{more(part, config)}</p>'
    page.write(cards.card(escape(part.name), says, f"<table>{rows}</table>"))
    if part.name == "feed-forward":
        bend(page, config)


def more(part: Box, config: Config) -> str:
    """Return what is to be said of a part in this very model."""
    if part.name == "heads":
        mask = "A mask hides what comes later." if config.causal else "No mask: every token sees all others."
        kinds = {"rope": "Positions turn queries and keys.", "alibi": "Distance lowers the scores."}
        slopes = "Distance lowers the scores of some heads." if config.alibi_slopes else kinds.get(config.positions, "")
        return f" {mask} {slopes}"
    if part.name == "positions":
        return " Learned." if config.positions == "learned" else " Waves: a formula, so nothing is held."
    if part.name == "feed-forward":
        return f" Here the bend is {config.activation.upper().replace('RELU', 'ReLU')}."
    return ""


def size(n_bytes: float) -> str:
    """Return an amount of memory."""
    for unit in ("B", "kB", "MB", "GB"):
        if n_bytes < 1000 or unit == "GB":
            break
        n_bytes /= 1000
    return f"{number(n_bytes, 0 if unit == 'B' else 1)} {unit}"


def bend(page: Page, config: Config) -> None:
    """Draw the two functions that a feed-forward layer may bend its numbers by."""
    x = np.linspace(-4, 4, 81)
    found = page.recipe.run("bends", bends, page.recipe.given("x", x))
    chart = line_chart(
        x,
        {"GELU": found.gelu, "ReLU": found.relu},
        x_title="a number inside the layer",
        y_title="what becomes of it",
        x_domain=(-4.0, 4.0),
        y_domain=(-0.5, 5.0),
        name="bends",
        sentence="ReLU cuts off what is below 0; GELU does so softly, and lets a little pass.",
        colours=(ATTENTION, INK),
        number="",
        height=200,
    )
    page.show(chart)


def shares(page: Page, config: Config, held: Parts, part: Box, length: int) -> None:
    """Draw how the numbers of this model are shared among its parts, beside GPT-2 and GPT-3."""
    gpts = []
    for name, other in (("gpt_2", GPT_2), ("gpt_3", GPT_3)):
        same = page.recipe.made(f"config_of_{name}", other, Config, lambda other=other: astuple(other))
        gpts.append(page.recipe.run(name, parameter_parts, same))
    rows = [("this model", held), ("GPT-2", gpts[0]), ("GPT-3", gpts[1])]
    page.write("".join(stack(name, found, chosen=GROUP.get(part.name, "")) for name, found in rows))
    work = page.recipe.run("work", operations, config, length)
    total = sum(held)
    page.write(
        f"By formula: d_model for each of the {config.vocab_size:,} tokens, 4 · d_model² in each layer for attention, "
        f"2 · d_model · hidden units and two biases for feed-forward. This model takes {size(4 * total)} in 32 bits "
        f"and {size(2 * total)} in 16; one pass over these {length} tokens takes {whole(work.total)} operations. GPT-2 "
        "and GPT-3 are counted by the same formula, without the biases of their attention.",
        "note",
    )


def stack(name: str, held: Parts, chosen: str) -> str:
    """Return the numbers of one model as a bar that is cut into its parts."""
    total = sum(held)
    cuts, words = [], []
    for part, count in held._asdict().items():
        share = 100 * count / total
        if not count:
            continue
        look = f'class="{part}{" chosen" if part == chosen else ""}"'
        cuts.append(f'<i {look} style="width:{share:.3f}%" title="{KINDS[part]}: {share:.1f} %"></i>')
        words.append(f'<span {look}><i class="{part}"></i>{short(part)} <b>{number(share, 1)} %</b></span>')
    return (
        f'<div class="stack"><div><b>{name}</b> <span class="soft">{whole(total)} numbers</span></div>'
        f'<div class="cuts">{"".join(cuts)}</div><div class="parts">{"".join(words)}</div></div>'
    )


def short(part: str) -> str:
    """Return how a part is called beside a bar."""
    return KINDS[part].removeprefix("the ")


def otherwise(page: Page, subject: Subject) -> None:
    """Read the numbers of this model by models that are built otherwise, and see what the text then costs."""
    config = subject.model.config
    if len(subject.tokens) < 2:
        page.write(f"With a second {subject.unit} in the prompt, this compares what the text costs them.", "note")
        return
    run, model, tokens = page.recipe.run, subject.model, subject.tokens
    now = run("as_it_is", loss_if, model, tokens, config.norm, config.activation)
    order = "post" if config.norm == "pre" else "pre"
    other = "relu" if config.activation == "gelu" else "gelu"
    moved = run("norms_moved", loss_if, model, tokens, order, config.activation)
    dropped = run("dropped", losses_dropped, model, tokens, DROPPED, DRAWS)
    lines = [
        ("as it is", number(now)),
        (f"the norms {'after' if order == 'post' else 'before'} instead", number(moved)),
    ]
    if config.d_hidden:
        bent = run("bent", loss_if, model, tokens, config.norm, other)
        lines.append((f"{'ReLU' if other == 'relu' else 'GELU'} for the bend", number(bent)))
    lines.append(
        (
            f"dropout of {DROPPED:.0%}, {DRAWS} draws",
            f"{number(float(dropped.min()))} to {number(float(dropped.max()))}",
        )
    )
    rows = "".join(f'<tr><td>{what}</td><td style="text-align:right">{value}</td></tr>' for what, value in lines)
    left, right = st.columns([1, 1.18], gap="large")
    with left:
        page.write(f"<table><tr><th>built</th><th style='text-align:right'>loss of the prompt</th></tr>{rows}</table>")
    with right:
        page.say(
            "A norm **before** attention leaves the path past it untouched, so that a deep model is easier to train; "
            "the first transformers had it **after**. Numbers learned for one order mean little in the other.\n\n"
            "**Dropout**, in training alone, sets a random share of what is written to 0 and raises the rest, so that "
            f"nothing relies on one number. This model was trained with {config.dropout:.0%}.".replace("%", " %"),
            "",
        )
    text = (
        "" if config.d_hidden else " This model has no feed-forward layers; real ones do, and they hold most numbers."
    )
    page.write(
        f"It reads at most {config.max_len} tokens: of a longer text, only the last {config.max_len} when it "
        f"writes.{text} {escape(subject.origin)}",
        "note",
    )


def model_card(subject: Subject) -> str:
    """Return what there is to say about the model and how it came about."""
    config = subject.model.config
    sizes = (
        f"{several(config.n_layers, 'layer')}, {several(config.n_heads, 'head')}, {config.d_model} wide, "
        f"{f'{config.d_hidden} inside the feed-forward layers' if config.d_hidden else 'attention only'}, positions "
        f"{config.positions}, norms {'first' if config.norm == 'pre' else 'last'}"
    )
    lines = [("learned from", escape(subject.says)), ("sizes", sizes), ("numbers", whole(n_parameters(config)))]
    if subject.name in MODELS:
        card = card_of(subject.name)
        lines += [
            ("licence of the text", escape(card.licence)),
            ("file", size(card.size)),
            ("steps of training", whole(card.steps)),
            (
                "loss",
                f"{number(card.first_loss)} nats on the first texts that it read, {number(card.last_loss)} in the end "
                "on texts held out",
            ),
            ("seed", str(card.seed)),
            ("made again by", f"<code>{escape(card.command)}</code>"),
        ]
    else:
        lines.append(("steps of training", whole(subject.step)))
        lines.append(("made", f"here: {OWN}"))
    rows = "".join(
        f'<tr><td class="soft">{what}</td><td style="overflow-wrap:anywhere">{value}</td></tr>' for what, value in lines
    )
    return f'<table class="about">{rows}</table>'
