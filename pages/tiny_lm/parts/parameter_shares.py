"""Where the numbers of a model are: how many each kind of part holds, beside GPT-2 and GPT-3."""

from dataclasses import astuple

from attention_core.experiments.architecture import Box
from attention_core.experiments.costs import GPT_2, GPT_3, operations
from attention_core.model.config import Config
from attention_core.model.parameters import Parts, parameter_parts
from pages.look.html import memory, number, whole
from pages.page.page import Page
from pages.tiny_lm.learning_questions import KINDS

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
        same = page.recipe.made(f"config_of_{name}", other, Config, lambda other=other: astuple(other))
        gpts.append(page.recipe.run(name, parameter_parts, same))
    rows = [("this model", held), ("GPT-2", gpts[0]), ("GPT-3", gpts[1])]
    page.write("".join(stack(name, found, chosen=GROUP.get(part.name, "")) for name, found in rows))
    work = page.recipe.run("work", operations, config, length)
    total = sum(held)
    page.write(
        f"By formula: d_model for each of the {config.vocab_size:,} tokens, 4 · d_model² in each layer for attention, "
        f"2 · d_model · hidden units and two biases for feed-forward. This model takes {memory(4 * total)} in 32 bits "
        f"and {memory(2 * total)} in 16; one pass over these {length} tokens takes {whole(work.total)} operations. "
        "GPT-2 and GPT-3 are counted by the same formula, without the biases of their attention.",
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
