"""What a run came to, kept so that the next one can be compared with it: its losses, and the jobs of its heads."""

from typing import NamedTuple

from markupsafe import Markup

from attention_core.model.config import Config
from attention_core.shipped.models import Curve
from attention_core.shipped.runs import Plan
from attention_core.text.corpora import Source
from pages.look.html import number
from pages.tiny_lm.common import several
from pages.tiny_lm.train.findings import Finding, findings
from pages.tiny_lm.train.job import Job
from pages.tiny_lm.train.records import curve_so_far

JOB = 0.5  # mean attention weight from which on a head has a job


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


def where_jobs_went(found: list[Finding], config: Config, before: Result) -> str:
    """Return how many jobs are in another head than in the run before: of those that a head has in both runs."""
    if (config.n_layers, config.n_heads) != (before.plan.config.n_layers, before.plan.config.n_heads):
        return "The two models have different numbers of heads, so the jobs of their heads are not compared."
    then = {one.what: one for one in before.found}
    jobs = [one for one in found if one.where and min(one.value, then[one.what].value) >= JOB]
    if not jobs:
        return f"No job has a head in both runs: that takes a mean attention weight of {number(JOB)} or more."
    moved = sum(one.where != then[one.what].where for one in jobs)
    if not moved:
        return f"In both runs the same {'head has this job' if len(jobs) == 1 else 'heads have these jobs'}."
    return f"{several(moved, 'job')} of {len(jobs)} went to another head than in the run before."
