"""Where the parameters of a model are: how many each kind of part has, beside GPT-2 and GPT-3."""

from dataclasses import astuple
from functools import partial

from markupsafe import Markup

from attention_core.experiments.language.architecture import Box
from attention_core.experiments.language.costs import GPT_2, GPT_3, map_bytes, operations
from attention_core.model.config import Config
from attention_core.model.parameters import Parts, parameter_parts
from pages.look.facts import largest
from pages.look.html import commas, inline, memory, percent
from pages.page.page import Page
from pages.tiny_lm.common import several
from pages.tiny_lm.parts.diagram import label

KINDS = {
    "token_embedding": "the token embedding",
    "position_embedding": "the position embedding",
    "attention": "attention",
    "feed_forward": "the MLPs",
    "norms": "the LayerNorms",
}
LONG = 100_000  # tokens, more than any model of this course reads
GROUP = {  # which of `Parts` the parameters of a box belong to
    "embedding": "token_embedding",
    "positions": "position_embedding",
    "Q K V": "attention",
    "W_O": "attention",
    "MLP": "feed_forward",
    "LayerNorm 1": "norms",
    "LayerNorm 2": "norms",
    "final LayerNorm": "norms",
    "unembedding": "token_embedding",
}


def parameter_stacks(page: Page, config: Config, held: Parts, part: Box, length: int) -> None:
    """Draw how the parameters of this model are divided among its parts, beside GPT-2 and GPT-3."""
    gpts = []
    for name, other in (("gpt_2", GPT_2), ("gpt_3", GPT_3)):
        same = page.recipe.made(f"config_of_{name}", other, Config, partial(astuple, other))
        gpts.append(page.recipe.run(name, parameter_parts, same))
    rows = [("this model", held), ("GPT-2", gpts[0]), ("GPT-3", gpts[1])]
    page.write(Markup("").join(stack(name, found, GROUP.get(label(part), "")) for name, found in rows))
    work = page.recipe.run("work", operations, config, length)
    total = sum(held)
    mlps = ", and 2 · d_model · hidden units plus two biases per MLP" if config.d_hidden else ", and no MLP"
    page.write(
        inline(
            f"Positions and LayerNorms apart, count d_model for each of the {config.vocab_size:,} tokens, 4 · d_model "
            f"· d_model per layer for attention{mlps}. This model takes {memory(4 * total)} in 32 bits, "
            f"{memory(2 * total)} in 16. One pass over {several(length, 'token')} takes {commas(work.total)} "
            "floating-point operations. GPT-2 and GPT-3 are counted without the biases of their attention. "
            f"Attention maps grow with the square of the length: that of one head over {commas(LONG)} tokens has "
            f"{commas(LONG)} · {commas(LONG)} numbers, {memory(map_bytes(LONG))} in 16 bits."
        ),
        "note",
    )


def stack(name: str, held: Parts, chosen: str) -> Markup:
    """Return the parameters of one model as a bar that is cut into its parts."""
    total = sum(held)
    cuts, words = [], []
    for part, count in held._asdict().items():
        if not count:
            continue
        fraction = count / total
        style = f"{part} chosen" if part == chosen else part
        share = "under 0.1 %" if largest([fraction], 3).kind == "none" else percent(fraction, 1)
        title = f"{KINDS[part]}: {share}"
        cut = Markup('<i class="{}" style="width:{:.3f}%" title="{}"></i>')
        cuts.append(cut.format(style, 100 * fraction, title))
        word = Markup('<span class="{}"><i class="{}"></i>{} <b>{}</b></span>')
        words.append(word.format(style, part, KINDS[part].removeprefix("the "), share))
    block = Markup(
        '<div class="stack"><div><b>{}</b> <span class="soft">{} parameters</span></div>'
        '<div class="cuts">{}</div><div class="parts">{}</div></div>'
    )
    return block.format(name, commas(total), Markup("").join(cuts), Markup("").join(words))
