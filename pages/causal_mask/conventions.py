"""How other libraries write the mask in view: their boolean masks contradict one another, their additive ones agree."""

from typing import NamedTuple

from markupsafe import Markup

from pages.causal_mask.scene import Masked
from pages.look import cards
from pages.look.html import in_role, inline, table

NOTES = (
    "The last two have one entry for each key, because they mark padding. A causal mask comes on top of them, and the "
    "GPT-like models of Hugging Face add it themselves.",
    "PyTorch also has `is_causal=True`. In `F.scaled_dot_product_attention` it replaces `attn_mask`: give one of them. "
    "In `nn.MultiheadAttention` it is only a hint, so give `attn_mask` too.",
)


class Convention(NamedTuple):
    """How an argument of a library writes what is blocked and what is allowed."""

    where: str
    argument: str
    blocked: str
    allowed: str
    per_key: bool = False  # one entry for each key, whatever the query


CONVENTIONS = (
    Convention("this course", "`mask`", "True", "False"),
    Convention("PyTorch `nn.MultiheadAttention`", "`attn_mask`", "True", "False"),
    Convention("PyTorch `F.scaled_dot_product_attention`", "`attn_mask`", "False", "True"),
    Convention("all three, additive (float)", "the same", "−∞", "0"),
    Convention("PyTorch `nn.MultiheadAttention`", "`key_padding_mask`", "True", "False", per_key=True),
    Convention("Hugging Face models", "`attention_mask`", "0", "1", per_key=True),
)


def conventions_card(scene: Masked, row: int, column: int) -> Markup:
    """Return the cell in view as each library writes it.

    A mask with one entry for each key can only block a key for all queries: its entry is that of the cell's key.
    """
    cell, key = bool(scene.blocked[row, column]), bool(scene.blocked[:, column].all())
    asks, answers = in_role(scene.labels[row], "query"), in_role(scene.labels[column], "key")
    lines = [
        (
            Markup("{} <br>{}").format(inline(one.where), inline(one.argument)),
            one.blocked,
            answers if one.per_key else Markup("{} → {}").format(asks, answers),
            one.blocked if (key if one.per_key else cell) else one.allowed,
        )
        for one in CONVENTIONS
    ]
    return cards.card(
        "The same mask in other libraries",
        table(("where", "blocked is", "entry of", "value"), lines, left=3, folds=True),
    )
