"""What the model was like at each of its checkpoints: its loss, its attention and its text."""

from markupsafe import Markup

from attention_core.arrays import Tokens
from attention_core.experiments.inside.compare_models import Snapshot
from attention_core.shipped.models import loss_at
from attention_core.shipped.runs import loss_of_rows
from pages.look.html import number, quoted, table
from pages.page.page import Page
from pages.tiny_lm.checkpoints import held_out, moments_of, record_model, record_rows, run_moment
from pages.tiny_lm.common import largest_look, text_of
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import Sampling, only_answers


def draw_all(page: Page, subject: Subject, sampling: Sampling) -> None:
    """Write what the model is like at each checkpoint, a row each."""
    rows = []
    for at in moments_of(subject):
        model = record_model(page, at)
        one = run_moment(page, f"moment_{at.step}", model, subject, sampling)
        head, key, weight = largest_look(subject.labels, one.weights)
        loss = "–"
        if subject.name != "own":
            known = loss_at(at.name, at.step)
            held = record_rows(page, held_out(subject.name), subject.name)
            loss = number(page.recipe.found(f"loss_{at.step}", known, loss_of_rows, model, *held))
        look = Markup("{} → <b>{}</b> {}").format(head, key, number(weight))
        rows.append([at.when, f"{at.step:,}", loss, look, text_of(subject, shown_tokens(subject, one))])
    says = "top prediction" if only_answers(subject) else "generated text"
    names = ["", "step", "validation loss", f"largest weight from {quoted(subject.labels[-1])}", says]
    page.write(table(names, rows, left=(0, 3, 4), long=4))


def shown_tokens(subject: Subject, found: Snapshot) -> Tokens:
    """Return what a checkpoint generates; of a model that cannot write, its likeliest next token alone."""
    return found.bets.argmax(axis=-1, keepdims=True) if only_answers(subject) else found.written
