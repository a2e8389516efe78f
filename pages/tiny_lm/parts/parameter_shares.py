"""Where the numbers of a model are: how many each kind of part holds, beside GPT-2 and GPT-3."""

from dataclasses import astuple
from functools import partial

from markupsafe import Markup

from attention_core.experiments.architecture import Box
from attention_core.experiments.costs import GPT_2, GPT_3, operations
from attention_core.model.config import Config
from attention_core.model.parameters import Parts, parameter_parts
from pages.look.html import memory, number, percent, whole
from pages.page.page import Page
from pages.page.questions import Choice

KINDS = {
    "token_embedding": "the embedding of the tokens",
    "position_embedding": "the embedding of the positions",
    "attention": "attention",
    "feed_forward": "the feed-forward layers",
    "norms": "the norms",
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


def shares(page: Page, config: Config, held: Parts, part: Box, length: int) -> None:
    """Draw how the numbers of this model are shared among its parts, beside GPT-2 and GPT-3."""
    gpts = []
    for name, other in (("gpt_2", GPT_2), ("gpt_3", GPT_3)):
        same = page.recipe.made(f"config_of_{name}", other, Config, partial(astuple, other))
        gpts.append(page.recipe.run(name, parameter_parts, same))
    rows = [("this model", held), ("GPT-2", gpts[0]), ("GPT-3", gpts[1])]
    page.write(Markup("").join(stack(name, found, chosen=GROUP.get(part.name, "")) for name, found in rows))
    work = page.recipe.run("work", operations, config, length)
    total = sum(held)
    page.write(
        f"By formula: d_model for each of the {config.vocab_size:,} tokens, 4 · d_model² in each layer for attention, "
        f"2 · d_model · hidden units and two biases for feed-forward. This model takes {memory(4 * total)} in 32 bits "
        f"and {memory(2 * total)} in 16; one pass over these {length} tokens takes {whole(work.total)} operations. "
        "GPT-2 and GPT-3 are counted by the same formula, without the biases of their attention.",
        "note",
    )


def stack(name: str, held: Parts, chosen: str) -> Markup:
    """Return the numbers of one model as a bar that is cut into its parts."""
    total = sum(held)
    cuts, words = [], []
    for part, count in held._asdict().items():
        if not count:
            continue
        share = count / total
        look = f"{part} chosen" if part == chosen else part
        title = f"{KINDS[part]}: {percent(share, 1)}"
        cuts.append(Markup('<i class="{}" style="width:{}%" title="{}"></i>').format(look, f"{100 * share:.3f}", title))
        word = Markup('<span class="{}"><i class="{}"></i>{} <b>{}</b></span>')
        words.append(word.format(look, part, KINDS[part].removeprefix("the "), percent(share, 1)))
    block = Markup(
        '<div class="stack"><div><b>{}</b> <span class="soft">{} numbers</span></div>'
        '<div class="cuts">{}</div><div class="parts">{}</div></div>'
    )
    return block.format(name, whole(total), Markup("").join(cuts), Markup("").join(words))


def largest_question(config: Config, name: str, variant: int) -> Choice:
    """Ask which part of a model holds most numbers: of this one, then of those everybody knows."""
    asked = ((name, config), ("GPT-2", GPT_2), ("GPT-3", GPT_3))[variant % 3]
    held = parameter_parts(asked[1])._asdict()
    total = sum(held.values())
    best = max(held, key=lambda part: held[part])
    text = f"Of all numbers that {asked[0]} holds, which part has the most?"
    options = {
        words: f"It has {percent(held[part] / total, 1)} of them." for part, words in KINDS.items() if part != "norms"
    }
    why = f"{KINDS[best].capitalize()}: {number(held[best], 0)} of {number(total, 0)} numbers, by formula."
    right = KINDS[best] if best != "norms" else next(iter(options))
    return Choice.shuffled("largest", text, [right], why, options, variant)
