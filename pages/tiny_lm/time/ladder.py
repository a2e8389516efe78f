"""What baselines that only count generate, beside the model."""

from typing import Any

from markupsafe import Markup

from attention_core.arrays import Tokens
from attention_core.model.parameters import Model
from attention_core.shipped.models import loss_at
from attention_core.shipped.plans import MODELS
from attention_core.shipped.runs import loss_of_rows
from attention_core.text.corpora import n_grams_of, source_of
from attention_core.text.n_grams import ORDER, Baselines, n_gram_losses, write_n_gram
from pages.look.html import number, table
from pages.page.page import Page
from pages.server.model_cache import cached
from pages.tiny_lm.checkpoints import baselines, held_out, record_n_grams, record_rows, run_moment
from pages.tiny_lm.common import text_of
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import Sampling, only_answers

KNOWN_TOKENS = {"bigram": "last {unit}", "trigram": "last two {unit}s"}  # what each of them knows


def draw_ladder(page: Page, subject: Subject, sampling: Sampling) -> None:
    """Write what each baseline knows, its loss and its text, above those of the model."""
    if subject.name not in MODELS:
        page.write("This needs the text that the model was trained on, which is not kept for your own model.", "note")
        return
    now = run_moment(page, "finished", subject.model, subject, sampling)
    grams = record_n_grams(page, subject.name)
    held = record_rows(page, held_out(subject.name), subject.name)
    known = page.recipe.found
    loss = known("loss_now", loss_at(subject.name, subject.step), loss_of_rows, subject.model, *held)
    found = known("baseline_losses", baselines(subject.name), n_gram_losses, grams, held.rows, held.counted)
    knows = ("nothing", "frequencies", *(what.format(unit=subject.unit) for what in KNOWN_TOKENS.values()))
    name = Markup('{}<br><span class="soft" style="font-weight:400">from {}</span>')
    names = [*map(name.format, found._fields, knows), name.format("this model", f"all {subject.unit}s before")]
    columns = [names, [*map(number, (*found, loss))]]
    head = ["prediction", "loss"]
    if not only_answers(subject):
        ways = (sampling.temperature, sampling.top_k, sampling.top_p, sampling.seed)
        asked = (subject.tokens, len(now.written), *ways)
        texts = [
            known(f"{name}_text", text, write_n_gram, grams, order, *asked)
            for order, (name, text) in enumerate(
                zip(found._fields, cached(baseline_texts, subject.model, subject.name, *asked), strict=True)
            )
        ]
        columns.append([text_of(subject, text) for text in (*texts, now.written)])
        head.append("its text")
    page.say(ladder_words(loss, found, subject.unit), "")
    page.write(table(head, list(zip(*columns, strict=True)), bold=ORDER + 1, left=(0, 2), long=2))
    counted = f"The first four only count, in {int(grams.sums[0][-1]):,} targets of the training data."
    same = "" if only_answers(subject) else " All continue the same prompt, by the same settings and random numbers."
    page.write(f"{counted}{same}", "note")


def baseline_texts(model: Model, name: str, *asked: Any) -> list[Tokens]:
    """Return what each baseline generates, from the counts for a model that ships: kept as long as that."""
    grams = n_grams_of(source_of(MODELS[name].source), model.config.max_len)
    return [write_n_gram(grams, order, *asked) for order in range(ORDER + 1)]


def ladder_words(loss: float, found: Baselines, unit: str) -> str:
    """Return which baselines the model is better than, and by how much."""
    named = sorted(found._asdict().items(), key=lambda item: item[1])  # the best first
    better = [(name, other) for name, other in named if other <= loss]
    beaten = [(name, other) for name, other in named if other > loss]
    if not beaten:
        return f"This model is worse than all four baselines: its loss is {number(loss)} nats."
    name, other = beaten[0]
    ahead = f"This model beats the {name} by **{number(other - loss)} nats**"
    if better:
        above, least = better[-1]
        return f"{ahead}. The {above} is still better, by {number(loss - least)} nats."
    return (
        f"{ahead}. A trigram knows two {unit}s, and attention can use all earlier ones. The model’s other parts also "
        "add to the difference."
    )
