"""Where the parameters of a model are, what it loses in another architecture, and how it was made."""

from dataclasses import astuple
from functools import partial

import streamlit as st
from markupsafe import Markup

from attention_core.experiments.language.architecture import Box, loss_if
from attention_core.experiments.language.costs import GPT_2, GPT_3, map_bytes, operations
from attention_core.experiments.language.held_out import rule_accuracy
from attention_core.experiments.language.story_probes import grades_of_stories
from attention_core.model.config import Config
from attention_core.model.parameters import Parts, n_parameters, parameter_parts
from attention_core.shipped.models import card_of, model_at
from attention_core.shipped.plans import MODELS, STORIES
from attention_core.text.small_english import COLOURS
from pages.look.facts import largest, several
from pages.look.html import commas, inline, memory, number, pairs, percent, table
from pages.page.page import Page
from pages.server.model_cache import cached
from pages.tiny_lm.model_in_view import OWN, Subject
from pages.tiny_lm.parts.diagram import label

LONG = 100_000  # tokens, more than any model of this course reads
GROUPS = {  # the parameters of a model, and the boxes to which they belong
    "token_embedding": ("token embedding", "embedding unembedding"),
    "position_embedding": ("position embedding", "positions"),
    "attention": ("attention", "Q K V Wₒ"),
    "feed_forward": ("MLPs", "MLP"),
    "norms": ("LayerNorms", "LayerNorm 1 LayerNorm 2 final LayerNorm"),
}
ORDERS = (
    "LayerNorm **before** attention (pre-norm) leaves the residual connection untouched, so deep models are easier to "
    "train. The first transformers had it **after** (post-norm). PyTorch’s `TransformerEncoderLayer` has `norm_first`. "
    "**Dropout** sets a random fraction of the entries to 0 and scales up the rest, in training alone."
)
SIZES = (
    "{layers}, {heads}, d_model {width}, {mlp}, context length {length}, position encoding {positions}, {order}-norm"
)
ONE_LAYER = (
    "In its one layer, the query of “is” is made of “is” and its position, so no head can ask for the ball. An earlier "
    "layer would have to add “ball” to that vector."
)


def draw_card(page: Page, subject: Subject, config: Config, part: Box) -> None:
    """Draw where the parameters are, compare other architectures, and write how the model was made."""
    held = {"this model": page.recipe.run("held", parameter_parts, config)}
    for name, other in (("GPT-2", GPT_2), ("GPT-3", GPT_3)):
        word = name.lower().replace("-", "_")
        same = page.recipe.made(f"config_of_{word}", other, Config, partial(astuple, other))
        held[name] = page.recipe.run(word, parameter_parts, same)
    page.write(Markup("").join(stack(name, found, label(part)) for name, found in held.items()))
    page.write("GPT-2 and GPT-3 are counted without the biases of their attention.", "note")
    left, right = st.columns([1, 1.18], gap="large")
    with left:
        n_bytes, length = 4 * n_parameters(config), len(subject.tokens)
        work = page.recipe.run("work", operations, config, length).total
        costs = [
            ("parameters in 32 bits", memory(n_bytes)),
            ("in 16 bits", memory(n_bytes / 2)),
            (f"FLOPs of a pass over {several(length, 'token')}", commas(work)),
            (f"map of one head over {commas(LONG)} tokens, in 16 bits", memory(map_bytes(LONG))),
        ]
        page.write(pairs(costs))
    with right:
        compare_variants(page, subject)
    page.write(model_card(subject))


def stack(name: str, held: Parts, chosen: str) -> Markup:
    """Return the parameters of one model as a bar that is cut into its parts."""
    total = sum(held)
    cuts, words = Markup(), Markup()
    for part, count in held._asdict().items():
        if count:
            said, boxes = GROUPS[part]
            share = "under 0.1 %" if largest([count / total], 3).kind == "none" else percent(count / total, 1)
            style, width = f"{part} chosen" if chosen in boxes else part, f"{100 * count / total:.3f}%"
            cuts += Markup('<i class="{}" style="width:{}" title="{}: {}"></i>').format(style, width, said, share)
            words += Markup('<span class="{}"><i class="{}"></i>{} <b>{}</b></span>').format(style, part, said, share)
    block = Markup(
        '<div class="stack"><div><b>{}</b> <span class="soft">{} parameters</span></div>'
        '<div class="cuts">{}</div><div class="parts">{}</div></div>'
    )
    return block.format(name, commas(total), cuts, words)


def compare_variants(page: Page, subject: Subject) -> None:
    """Load the parameters of this model into other architectures, and compare the loss of the prompt."""
    config, run, model, tokens = subject.model.config, page.recipe.run_once, subject.model, subject.tokens
    if len(tokens) > 1:
        order, place = ("post", "after") if config.norm == "pre" else ("pre", "before")
        other, named = ("relu", "ReLU") if config.activation == "gelu" else ("gelu", "GELU")
        losses = {
            "as it is": run("as_it_is", loss_if, model, tokens, config.norm, config.activation),
            f"LayerNorm {place} each part": run("other_order", loss_if, model, tokens, order, config.activation),
        }
        if config.d_hidden:
            activated = run("other_activation", loss_if, model, tokens, config.norm, other)
            losses[f"{named} as activation"] = activated
        lines = [(what, number(loss)) for what, loss in losses.items()]
        page.write(table(("the same parameters", "loss of the prompt"), lines))
    page.say(ORDERS, "note")


def model_card(subject: Subject) -> Markup:
    """Return what there is to say about the model and how it was made."""
    config = subject.model.config
    sizes = SIZES.format(
        layers=several(config.n_layers, "layer"),
        heads=several(config.n_heads, "head"),
        width=config.d_model,
        mlp=f"{config.d_hidden} hidden units per MLP" if config.d_hidden else "no MLP",
        length=config.max_len,
        positions=position_encoding(config),
        order=config.norm,
    )
    lines: list[tuple[str, str]] = [
        ("trained on" + ", as its file says" * subject.brought, subject.says),
        ("architecture", inline(sizes)),
        ("parameters", commas(n_parameters(config))),
        ("dropout in training", percent(config.dropout)),
    ]
    if any(config.slopes or ()):
        slopes = ", ".join(f"{slope:g}" for slope in config.slopes or ())
        lines.append(("slopes of the distance penalty (ALiBi), by head", slopes))
    if subject.name in MODELS:
        card = card_of(subject.name)
        chosen = f", chosen from {card.seeds[0]} to {card.seeds[-1]} for its clear heads" if card.seeds else ""
        lines += [
            ("file", memory(card.size)),
            ("training steps", commas(card.steps)),
            ("loss on the first batch", number(card.first_loss)),
            ("validation loss at the end", number(card.last_loss)),
            ("seed", f"{card.seed}{chosen}"),
            *at_the_end(subject.name),
            ("rebuilt by", Markup("<code>{}</code>").format(card.command)),
        ]
    elif subject.brought:
        lines.append(("made", "elsewhere, and loaded from a file"))
    else:
        lines += [("training steps", commas(subject.step)), ("made", f"here: {OWN}")]
    row = Markup('<tr><td class="soft">{}</td><td style="overflow-wrap:anywhere">{}</td></tr>')
    rows = Markup("").join(row.format(what, value) for what, value in lines)
    return Markup('<table class="about">{}</table>').format(rows)


def at_the_end(name: str) -> list[tuple[str, str]]:
    """Return what a model that ships gets right, and what it cannot."""
    if name == "english":
        obeyed, guess = cached(rule_accuracy, model_at(name), "colour"), 1 / len(COLOURS)
        what = "right colour after “a blue ball … the ball is”"
        return [(what, f"{percent(obeyed)}; a guess: {percent(guess)}"), ("why", ONE_LAYER)]
    if name != STORIES.name:
        return []
    grades = grades_of_stories()
    kinds = ", ".join(f"{kind} {percent(scores[-1].rate)}" for kind, scores in grades.scores.items())
    return [("right where an earlier word decides", kinds)]


def position_encoding(config: Config) -> str:
    """Return how a model knows positions; a penalty on distance is one way, alone or beside another."""
    own = {"learned": ["learned"], "sinusoidal": ["sinusoidal"], "rope": ["RoPE"]}.get(config.positions, [])
    return " and ".join([*own, *["ALiBi"] * any(config.slopes or ())]) or "none"
