"""How a model learns: the statements of the second part."""

import math

from attention_core.data_files import read_table
from attention_core.experiments.language.gradient_step import line_search, memorised
from attention_core.experiments.language.text_loss import examples
from pages.look.facts import largest
from pages.look.html import number, quoted
from pages.memory.explain import Experiment, Statements, statements
from pages.page.page import Page
from pages.server.model_cache import cached
from pages.tiny_lm.explained import explain_model
from pages.tiny_lm.model_in_view import Subject

SMALL = 1 / 64  # the size of a step
STEPS = 20  # of training on half a text
KIND = "stories"  # whose statements these are where others do not decide them
SAID = read_table(__file__)


def draw(page: Page) -> bool:
    """Let a student explain how a model learns."""
    return explain_model(page, "Explain how a model learns", statements_of, KIND)


def statements_of(subject: Subject) -> Statements:
    """Return what is said of examples, of their loss, of a step, and of a text that is memorised."""
    model, tokens = subject.model, subject.tokens
    if len(tokens) < 4:
        return []
    cases = examples(model, tokens)
    place = largest(cases.losses).first
    loss, target = float(cases.losses[place]), subject.token(int(cases.targets[place]))
    counts = len(cases.losses) - 1, len(cases.losses)
    more = Experiment("The text is read without its last token, then with it.", "the number of examples", *counts, 0)
    doubt = math.log(2)
    halved = Experiment(f"The probability of {quoted(target)} is halved.", "its loss", loss, loss + doubt)
    (lower,) = line_search(model, tokens[:-1], tokens[1:], [SMALL])
    step = Experiment("The parameters move against the gradient.", "the mean loss", cases.mean, float(lower))
    (first, then), (second, after) = cached(memorised, model, tokens, STEPS).tolist()
    learned = f"{STEPS} steps take the loss of the first half from {number(first)} to {number(then)}."
    rest = Experiment(learned, "the loss of the second half", second, after)
    tried = {"counted": more, "halved": halved, "step": step, "rest": rest}
    numbers = {"one_more": float(counts[1]), "all": float(sum(counts) + 1)}
    numbers |= {"added": loss + doubt, "doubled": 2 * loss, "halved": loss / 2}
    return statements(SAID, tried, {"target": target, "doubt": number(doubt)}, numbers)
