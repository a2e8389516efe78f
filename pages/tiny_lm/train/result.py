"""What a run came to, kept so that the next one can be compared with it: its losses, and the jobs of its heads."""

from typing import NamedTuple

from markupsafe import Markup

from attention_core.shipped.models import Curve
from attention_core.shipped.runs import Plan
from attention_core.text.corpora import Source
from pages.look.html import number
from pages.tiny_lm.common import several
from pages.tiny_lm.train.findings import Finding, findings
from pages.tiny_lm.train.job import Job
from pages.tiny_lm.train.records import curve_so_far


class Result(NamedTuple):
    """A run that was left for another one."""

    plan: Plan
    source: Source
    curve: Curve
    found: tuple[Finding, ...]


def result_of(job: Job) -> Result | None:
    """Return what a run has come to, if it has taken steps and its model is still kept."""
    if not job.records or job.latest is None:
        return None
    found = tuple(findings(job.latest.model, job.source))
    return Result(job.plan, job.source, curve_so_far(list(job.records)), found)


def names_of(plan: Plan, before: Plan) -> tuple[str, str]:
    """Return what a run and the one before it are called: by their seeds, if nothing else differs."""
    if plan._replace(seed=before.seed) == before:
        return f"seed {plan.seed}", f"seed {before.seed}"
    return "this run", "run before"


def comparison(found: list[Finding], before: Result, names: tuple[str, str]) -> Markup:
    """Return what was measured of two runs, a column each."""
    cell = Markup('<td style="text-align:right;white-space:nowrap"><b>{}</b><br><span class="soft">{}</span></td>')
    line = Markup("<tr><td>{}</td>{}</tr>")
    lines = [
        line.format(now.what, Markup("").join(cell.format(number(one.value), one.where) for one in (now, then)))
        for now, then in zip(found, before.found, strict=True)
    ]
    head = Markup("").join(
        Markup('<th style="text-align:right;white-space:nowrap">{}</th>').format(name) for name in names
    )
    return Markup("<table><tr><th></th>{}</tr>{}</table>").format(head, Markup("").join(lines))


def where_jobs_went(found: list[Finding], before: Result) -> str:
    """Return how many jobs are in another head than in the run before."""
    then = {one.what: one.where for one in before.found}
    jobs = [one for one in found if one.where]
    moved = sum(one.where != then[one.what] for one in jobs)
    if not moved:
        return "In both runs the same heads have these jobs."
    return f"{several(moved, 'job')} of {len(jobs)} went to another head than in the run before."
