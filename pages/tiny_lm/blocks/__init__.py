"""Random blocks on one another: what a residual connection carries along, and how long vectors get on the way."""

from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.blocks import lengths, recovered
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "blocks",
    "Residual connections keep words in the stream",
    "A transformer stacks blocks of attention and an MLP. Two residual connections in each block add the output of "
    "attention, and then the output of the MLP, to its input.",
    asks="What keeps words and positions in the stream?",
    then="Without residual connections, words fade from block to block. Added positions fade too, but more slowly if "
    "their vectors are longer. Look at the lengths: before its gain and bias, LayerNorm gives each vector length "
    "√d_model.",
    words="base block_seed blocks blocks_of d_model deviation encoding encoding_scale no_residual norm "
    "sentence way_row way_step",
    view="block_look",
    views={"positions": recovered.draw, "lengths": lengths.draw},
)


def draw(page: Page, scene: Subject) -> bool | None:
    """Show what can be recovered after random blocks, or how long vectors are at each step of one."""
    return STEP.choose_view(page)(page)
