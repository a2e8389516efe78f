"""The circuit bench: heads patched from a run on another prompt, set to their mean or to zero, and what follows."""

from functools import partial

import numpy as np

from attention_core.experiments.inside.patching import head_outputs, run_with_heads
from pages.look.facts import largest
from pages.look.html import quoted
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.server.model_cache import cached
from pages.tiny_lm.bench.changes import Bench, chosen_bench, draw_heads
from pages.tiny_lm.bench.two_runs import draw_runs, runs_map
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "patching",
    "What depends on this head?",
    "**Patch** a head: give it the output that it has in a run on another prompt (activation patching). All later "
    "layers run again.",
    asks="Which head can change this attention?",
    then="Or give it its mean output, or zero (zero-ablation).",
    words="bench_way cut other spot watch",
)

ASKED = (
    "From the last token, head {later} attends most to {here}; in the run on the other prompt, to {there}. One head is "
    "patched from that run, and now head {later} attends most to {there} here too. Which head was patched?"
)
EARLIER = "Its output is in what head {later} reads. None of the other heads here comes before that layer."
ITSELF = "A head computes its weights first, and only its output was patched."
BESIDE = "Head {later} is in the same layer. Heads of one layer do not read each other’s outputs."
AFTER = "Its layer comes after that of head {later}, so it cannot change these weights."


def draw(page: Page, scene: Subject) -> bool:
    """Show the run with heads changed beside the run as it is."""
    bench = chosen_bench(page, scene)
    looks = {"as it is": bench.before, "other prompt": bench.beside}
    rows = {name: run.weights[(*bench.link.later, -1)] for name, run in looks.items()}
    question = page.question("carries", partial(carries_question, scene, bench))
    later = bench.link.later[0] * scene.model.config.n_heads + bench.link.later[1]
    blank = partial(runs_map, page, scene, bench._replace(position=None, watched=later), rows, bench.link.key)
    columns = page.ask_beside(question, blank)
    if not columns:
        return False
    draw_heads(page, bench)
    draw_runs(page, columns, scene, bench)
    return True


def carries_question(subject: Subject, bench: Bench, variant: int) -> Choice | None:
    """Ask which patched head changed what a later one attends to; None where the strongest link does not show it."""
    n_heads = subject.model.config.n_heads
    first, later = (layer * n_heads + head for layer, head in (bench.link.earlier, bench.link.later))
    patched = cached(
        run_with_heads, subject.model, subject.tokens, (first,), cached(head_outputs, subject.model, bench.other)
    )
    here, there, then = (largest(run.weights[(*bench.link.later, -1)]) for run in (bench.before, bench.beside, patched))
    if here.kind != "one" or there.kind != "one" or here.places == there.places or then.places != there.places:
        return None
    others = [head for head in range(later - later % n_heads, len(bench.names)) if head != later]
    drawn = np.random.default_rng([variant, 19]).choice(others, min(2, len(others)), replace=False).tolist()
    words = {"later": bench.names[later], "here": quoted(subject.labels[here.first])}
    words["there"] = quoted(subject.labels[there.first])
    wrong = {f"head {bench.names[later]}": ITSELF}
    wrong |= {f"head {bench.names[head]}": (AFTER if head // n_heads > later // n_heads else BESIDE) for head in drawn}
    reasons = {name: reason.format(**words) for name, reason in wrong.items()}
    text, why = ASKED.format(**words), EARLIER.format(**words)
    return Choice.of("carries", text, f"head {bench.names[first]}", why, reasons, variant)
