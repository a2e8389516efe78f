"""The card of a model: what it learned from, its sizes, and how it came about."""

from html import escape

from attention_core.model.parameters import n_parameters
from attention_core.shipped.models import MODELS, card_of
from pages.look.html import memory, number, whole
from pages.tiny_lm.common import several
from pages.tiny_lm.model_in_view import OWN, Subject


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
            ("file", memory(card.size)),
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
