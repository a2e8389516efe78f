"""The model card: what a model was trained on, its sizes, and how it was made."""

from markupsafe import Markup

from attention_core.experiments.language.held_out import rule_accuracy
from attention_core.experiments.language.story_probes import TEMPERATURE, grades_of_stories
from attention_core.model.config import Config
from attention_core.model.parameters import n_parameters
from attention_core.shipped.models import Card, card_of, model_at
from attention_core.shipped.plans import MODELS, STORIES
from attention_core.text.small_english import COLOURS
from pages.look.html import commas, inline, memory, number, percent
from pages.server.model_cache import cached
from pages.tiny_lm.common import several
from pages.tiny_lm.model_in_view import OWN, Subject


def model_card(subject: Subject) -> Markup:
    """Return what there is to say about the model and how it was made."""
    config = subject.model.config
    sizes = (
        f"{several(config.n_layers, 'layer')}, {several(config.n_heads, 'head')}, d_model {config.d_model}, "
        f"{f'{config.d_hidden} hidden units per MLP' if config.d_hidden else 'no MLP'}, context length "
        f"{config.max_len}, position encoding {position_encoding(config)}, {config.norm}-norm"
    )
    lines: list[tuple[str, str]] = [
        ("trained on", subject.says),
        ("architecture", inline(sizes)),
        ("parameters", commas(n_parameters(config))),
    ]
    if any(config.slopes or ()):
        lines.append(("built in", slopes_of(config)))
    if subject.name in MODELS:
        card = card_of(subject.name)
        lines += [
            ("licence of the text", card.licence),
            ("file", memory(card.size)),
            ("training steps", commas(card.steps)),
            (
                "loss",
                f"{number(card.first_loss)} nats on the first batch, and a validation loss of {number(card.last_loss)} "
                "at the end",
            ),
            ("seed", seed_of(card)),
            *([("limit at the end", colour_limit())] if subject.name == "english" else []),
            *([("right at the end", graded())] if subject.name == STORIES.name else []),
            ("rebuilt by", Markup("<code>{}</code>").format(card.command)),
        ]
    else:
        lines += (
            [("made", "elsewhere, and loaded from a file")]
            if subject.brought
            else [("training steps", commas(subject.step)), ("made", f"here: {OWN}")]
        )
    row = Markup('<tr><td class="soft">{}</td><td style="overflow-wrap:anywhere">{}</td></tr>')
    rows = Markup("").join(row.format(what, value) for what, value in lines)
    return Markup('<table class="about">{}</table>').format(rows)


def colour_limit() -> str:
    """Return how seldom Toy English obeys the colour rule of its grammar, and why one layer cannot."""
    obeyed = cached(rule_accuracy, model_at("english"), "colour")
    return (
        "After “a blue ball … the ball is”, the grammar says “blue”. The model predicts the right colour in "
        f"{percent(obeyed)} of such cases; a guess is right in {percent(1 / len(COLOURS))}. In its one layer, the "
        "query of “is” is made of “is” and its position, so no head can ask for the ball. An earlier layer "
        "would have to add “ball” to that vector."
    )


def graded() -> str:
    """Return how often Small Stories is right about words that an earlier word determines, and how its stories are."""
    grades = grades_of_stories()
    shares = ", ".join(f"{kind} {percent(scores[-1].rate)}" for kind, scores in grades.scores.items())
    right, asked = grades.stories
    return (
        f"In new stories, it predicts words that an earlier word determines: {shares}. It generated {asked} stories "
        f"at T = {TEMPERATURE:g}, and {right} have no contradiction at all; at T = 1, {grades.hotter.right}."
    )


def position_encoding(config: Config) -> str:
    """Return how a model knows positions; a penalty on distance is one way, alone or beside another."""
    own = {"learned": ["learned"], "sinusoidal": ["sinusoidal"], "rope": ["RoPE"]}.get(config.positions, [])
    return " and ".join([*own, *["ALiBi"] * any(config.slopes or ())]) or "none"


def slopes_of(config: Config) -> str:
    """Return what makes heads prefer near tokens before any training: the slopes of their distance penalties."""
    slopes = ", ".join(f"{slope:g}" for slope in config.slopes or ())
    return f"slope × distance is subtracted from each score; slopes of the heads: {slopes}"


def seed_of(card: Card) -> str:
    if not card.seeds:
        return str(card.seed)
    return f"{card.seed}, chosen from {card.seeds[0]} to {card.seeds[-1]} for its clear heads"
