"""What the model in view has and lacks of a usual transformer, and a button to one that has it all."""

from attention_core.model.config import Config
from pages.page.fields.buttons import put_button
from pages.page.page import Page
from pages.tiny_lm.model_in_view import NAMES, Subject

USUAL_MODEL = next(iter(NAMES))  # three layers of attention and an MLP


def architecture_note(page: Page, subject: Subject) -> None:
    """Say how the model in view is built; if that is not as usual, offer one that is."""
    config = subject.model.config
    lacks = lacking(config)
    page.write(f"{built(config)} {lacks}".strip(), "note")
    if lacks:
        locked = "model" in page.controls.locked
        put_button(
            page, f"Open {USUAL_MODEL}", {"model": USUAL_MODEL}, "usual", ":material/arrow_forward:", disabled=locked
        )


def built(config: Config) -> str:
    layers = "one layer, with" if config.n_layers == 1 else f"{config.n_layers} layers, each with"
    return f"This model has {layers} attention {'and an MLP' if config.d_hidden else 'but no MLP'}."


def lacking(config: Config) -> str:
    """Return what a usual transformer has that this one lacks; nothing if it lacks nothing."""
    if config.n_layers > 1 and config.d_hidden:
        return ""
    if config.d_hidden:
        more = "several such layers"
    else:
        more = "several layers, each with attention and an MLP" if config.n_layers == 1 else "an MLP in each layer"
    return f"A usual transformer has {more}. {USUAL_MODEL} is built like that."
