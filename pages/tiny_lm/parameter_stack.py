"""The parameters of a model as a bar that is cut into its kinds of parts."""

from markupsafe import Markup

from attention_core.model.parameters import Parts
from pages.look.html import commas, percent

KINDS = {
    "token_embedding": "the token embedding",
    "position_embedding": "the position embedding",
    "attention": "attention",
    "feed_forward": "the MLPs",
    "norms": "the LayerNorms",
}


def stack(name: str, held: Parts, chosen: str = "", kinds: dict[str, str] = KINDS) -> Markup:
    """Return the parameters of one model as a bar that is cut into its parts."""
    total = sum(held)
    cuts, words = [], []
    for part, count in held._asdict().items():
        if not count:
            continue
        fraction = count / total
        style = f"{part} chosen" if part == chosen else part
        share = percent(fraction, 1) if fraction >= 0.0005 else "under 0.1 %"
        title = f"{kinds[part]}: {share}"
        cuts.append(
            Markup('<i class="{}" style="width:{}%" title="{}"></i>').format(style, f"{100 * fraction:.3f}", title)
        )
        word = Markup('<span class="{}"><i class="{}"></i>{} <b>{}</b></span>')
        words.append(word.format(style, part, kinds[part].removeprefix("the "), share))
    block = Markup(
        '<div class="stack"><div><b>{}</b> <span class="soft">{} parameters</span></div>'
        '<div class="cuts">{}</div><div class="parts">{}</div></div>'
    )
    return block.format(name, commas(total), Markup("").join(cuts), Markup("").join(words))
