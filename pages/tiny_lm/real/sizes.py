"""Where the parameters of the pretrained model are, beside Small Stories: by kind of part, and in one block."""

from attention_core.arrays import Tokens
from attention_core.experiments.inside.real_claims import measure_parts
from attention_core.experiments.inside.real_sizes import block_sizes
from attention_core.pretrained import PretrainedModel
from pages.look.html import inline, memory, percent, table, whole
from pages.page.page import Page
from pages.tiny_lm.parameter_stack import KINDS, stack
from pages.tiny_lm.real.model import computed, model_name, said_toy

MATRICES = {
    "w_q": "W_Q",
    "w_k": "W_K",
    "w_v": "W_V",
    "w_o": "W_O",
    "gate": "MLP: gate",
    "up": "MLP: up",
    "down": "MLP: down",
    "norms": "normalisation",
    "biases": "MLP: biases",
}

RMS = KINDS | {"norms": "the RMSNorms"}


def draw_parts(page: Page, real: PretrainedModel, ids: Tokens) -> None:
    """Draw how the parameters are divided, and list the matrices of one block."""
    name, config = model_name(), real.config
    parts = computed(page, "parts", measure_parts, real).parts
    stories = said_toy(page, "stories", "stories")
    toy = page.recipe.run_once("toy_parts", measure_parts, stories).parts
    block = page.recipe.run("block", block_sizes, real)
    toy_block = page.recipe.run("toy_block", block_sizes, stories)
    page.heading("Where the parameters are", small=True)
    title = name[0].upper() + name[1:]
    page.write(stack(title, parts, kinds=RMS) + stack("Small Stories", toy))
    total = sum(parts)
    page.write(
        f"In 32 bits {name} takes {memory(4 * total)}. {percent(parts.token_embedding / total)} of it is the table of "
        f"{config.vocab_size:,} tokens, each a vector of {config.d_model} entries.",
        "note",
    )
    page.heading("One block", small=True)
    rows: list[tuple[str, ...]] = [
        (inline(word), *size(getattr(block, field)), size(getattr(toy_block, field))[0])
        for field, word in MATRICES.items()
    ]
    rows.append(("parameters", "", whole(block.n_parameters), whole(toy_block.n_parameters)))
    head = ("matrix", f"shape in {name}", "parameters", "shape in Small Stories")
    page.write(table(head, rows, bold=len(rows) - 1))
    page.prints("parameters of one block", "block.n_parameters")
    page.say(
        f"There are {config.n_layers} such blocks, in Small Stories {stories.config.n_layers}. The columns of W_Q "
        f"belong to {config.n_heads} query heads, {config.d_head} to each. "
        + shared(config.n_heads, config.n_groups)
        + " The MLP multiplies two projections, *gate* and *up*, before it projects *down* (SwiGLU). An RMSNorm has a "
        "gain alone, a LayerNorm a bias too.",
        "note",
    )


def size(shape: tuple[int, int]) -> tuple[str, str]:
    """Return a shape and its number of parameters as text."""
    rows, columns = shape
    return (f"{rows:,} × {columns:,}", whole(rows * columns)) if rows * columns else ("none", "0")


def shared(n_heads: int, n_groups: int) -> str:
    """Return how many keys and values the query heads share."""
    if n_groups == n_heads:
        return "There are as many heads of keys and values."
    return (
        f"W_K and W_V have only {n_groups} heads: each serves {n_heads // n_groups} query heads (grouped-query "
        "attention)."
    )
