"""Two trained models write with their mask, and with the mask removed: one layer writes the same, several do not."""

import numpy as np
from markupsafe import Markup

from attention_core.experiments.inside.compare_models import written
from attention_core.shipped.plans import STORIES
from attention_core.text.stories import START, story_pieces
from pages.causal_mask.readers import MASKED, named_model, vocabulary
from pages.causal_mask.scene import Masked
from pages.heads.matrices import familiar
from pages.look.html import table
from pages.page.page import Page

N_NEW = 16  # tokens that a model writes
MAX_PROMPT = 200  # tokens of the prompt
WHY = (
    "To write, a model uses only the last position, whose row a causal mask leaves whole. So one layer writes the "
    "same without it. In more layers, the last position attends to vectors that the mask did change."
)


def same_table(page: Page, scene: Masked) -> Markup:
    """Let a model of one layer and one of three write on, and return how many new tokens of each need no mask."""
    text = START + " ".join(scene.words).encode(errors="replace").decode()
    english = vocabulary().encode(familiar(scene.words)[0])
    told = {
        "toy": ("Toy English", MASKED, english),
        "stories": ("Small Stories", STORIES.name, story_pieces().encode(text)[-MAX_PROMPT:]),
    }
    rows = []
    for name, (title, shipped, prompt) in told.items():
        tokens = page.recipe.given(f"{name}_prompt", prompt)
        model = named_model(page, f"{name}_model", shipped)
        with_mask = page.recipe.run_once(f"{name}_masked", written, model, tokens, N_NEW)
        without = page.recipe.run_once(f"{name}_unmasked", written, model, tokens, N_NEW, False)
        same = int(np.append(np.flatnonzero(with_mask != without), N_NEW)[0])  # up to the first that is not
        rows.append((title, str(model.config.n_layers), f"{same} of {N_NEW}"))
    return table(("model", "layers", "tokens written the same"), rows)
