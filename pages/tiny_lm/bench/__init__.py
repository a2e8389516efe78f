"""The circuit bench: heads patched from a run on another prompt, set to their mean or to zero, and what follows."""

from functools import partial

import numpy as np

from attention_core.equations.softmax import softmax
from attention_core.experiments.inside.patching import head_outputs, run_with_heads
from pages.look.facts import as_shown, largest, listed, smallest
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.server.model_cache import cached
from pages.tiny_lm.bench.changes import Bench, chosen_bench, draw_heads
from pages.tiny_lm.bench.two_runs import draw_runs, runs_map
from pages.tiny_lm.common import SORTED, end_of
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "patching",
    "What depends on this head?",
    "**Patch** a head: give it the output that it has in a run on another prompt (activation patching). All later "
    "layers run again.",
    asks="Which head makes the difference?",
    then="Or give it its mean output, or zero (zero-ablation).",
    words="bench_way cut other spot watch",
)

LEAST = 0.1  # of a probability: what a head must change to be asked about
ASKED = (
    "The prediction {token} has probability {before}; the other prompt{named} predicts {other}. One head is patched "
    "from there, and {token} has {listed}. Which head has an output that this prediction needs most?"
)
WITH, NONE = "{after} with head {head}", "None of them"
NEEDED = "With its output from the other prompt, {token} goes from {before} to {after}, further down than with others."
SPARED = "With this head patched, {token} has {after}, more than with another one."
CHANGES = "One of these patches does change the prediction."


def draw(page: Page, scene: Subject) -> bool:
    """Show the run with heads changed beside the run as it is."""
    bench = chosen_bench(page, scene)
    looks = {"as it is": bench.before, "other prompt": bench.beside}
    rows = {name: run.weights[(*bench.link.later, -1)] for name, run in looks.items()}
    question = page.question("carries", partial(carries_question, scene, bench))
    blank = partial(runs_map, page, scene, bench._replace(position=None), rows, bench.link.key)
    columns = page.ask_beside(question, blank)
    if not columns:
        return False
    draw_heads(page, bench)
    draw_runs(page, columns, scene, bench)
    return True


def carries_question(subject: Subject, bench: Bench, variant: int) -> Choice | None:
    """Ask which of three patched heads moves the prediction; None where none does, or several as much."""
    now, there = (softmax(run.logits[-1]) for run in (bench.before, bench.beside))
    token, other = (largest(shares, SORTED).first for shares in (now, there))
    n_heads = subject.model.config.n_heads
    first, later = (layer * n_heads + head for layer, head in (bench.link.earlier, bench.link.later))
    spared = [head for head in range(len(bench.names)) if head not in (first, later)]
    drawn = np.random.default_rng([variant, 19]).choice(spared, min(2, len(spared)), replace=False).tolist()
    heads, patches = sorted([first, *drawn]), cached(head_outputs, subject.model, bench.other)
    runs = [cached(run_with_heads, subject.model, subject.tokens, (head,), patches) for head in heads]
    after = as_shown([float(softmax(run.logits[-1])[token]) for run in runs])
    least, fell = smallest(after), as_shown(now[token]) - after
    if token == other or least.value > as_shown(now[token]) - LEAST or (fell > LEAST / 2).sum() > 1:
        return None
    names = [f"head {bench.names[head]}" for head in heads]
    words = {"token": quoted(subject.token(token)), "other": quoted(subject.token(other)), "before": number(now[token])}
    ends = [end_of(subject, tokens) for tokens in (subject.tokens, bench.other)]
    words["named"] = f", {ends[1]}," if ends[0] != ends[1] else ""
    told = [WITH.format(after=number(left), head=bench.names[head]) for left, head in zip(after, heads, strict=True)]
    wrong = {name: SPARED.format(after=number(left), **words) for name, left in zip(names, after, strict=True)}
    wrong[NONE] = CHANGES
    why = NEEDED.format(after=number(least.value), **words)
    return Choice.of("carries", ASKED.format(listed=listed(told), **words), names[least.first], why, wrong, variant)
