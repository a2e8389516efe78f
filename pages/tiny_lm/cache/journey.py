"""One pass of the model over the prompt: it predicts at every position, and one of these predictions is used."""

from markupsafe import Markup

from attention_core.equations.softmax import softmax
from attention_core.model.activations import insides
from pages.look.facts import largest
from pages.look.html import number, table
from pages.page.page import Page
from pages.tiny_lm.common import several
from pages.tiny_lm.model_in_view import Subject

LISTED = 6  # positions, the last ones


def draw_journey(page: Page, subject: Subject) -> None:
    """Write the predictions of one pass, greyed but for the one that is used."""
    model, unit = subject.model, subject.noun
    inside = page.recipe.run_once("first_pass", insides, model, subject.tokens[-model.config.max_len :])
    shares = softmax(inside.logits)  # (T, V)
    length = len(shares)
    rows = []
    for place in range(max(0, length - LISTED), length):
        best, last = largest(shares[place]).first, place == length - 1
        texts = (
            str(place + 1),
            subject.labels[place - length],
            subject.token(best),
            number(float(shares[place, best])),
            f"samples the next {unit}" if last else "not used",
        )
        rows.append([text if last else Markup('<span class="soft">{}</span>').format(text) for text in texts])
    page.write(table(("position", unit, "top prediction", "probability", ""), rows, bold=len(rows) - 1, left=(1, 2, 4)))
    n_layers, kept, full = model.config.n_layers, model.config.causal, length == model.config.max_len
    cached = f"the cache keeps the keys and values of {several(n_layers, 'layer')}" if kept else "nothing is kept"
    page.say(
        f"One pass reads {several(length, unit)} and makes as many vectors, and {cached}. The **last row** alone "
        f"predicts a {unit} that is not there yet. "
        + (
            f"Then the new {unit} alone goes through the model, and its keys and values join the cache."
            if kept and not full
            else "The context is full, so the last tokens all go through the model again, at other positions."
            if full
            else "Then the longer text goes through the model as a whole."
        ),
        "note",
    )
