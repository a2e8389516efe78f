"""What Small Stories learned and when: how often it is right about words that an earlier word of a story determines."""

import numpy as np

from attention_core.experiments.story_probes import Grades, grades_of_stories
from attention_core.shipped.models import STORIES
from pages.charts.lines import line_chart
from pages.look.html import percent
from pages.page.page import Page

LEARNED = 0.8  # of the cases: from there on it counts as learned


def draw_grades(page: Page, step: int) -> None:
    """Draw the share of right words of each kind at every checkpoint; a line marks the one in view."""
    grades, first = grades_of_stories(), STORIES.plan.first
    page.heading("What it learned, and when", small=True)
    page.say(
        "Earlier words of a story determine some of the later ones. After “Lily had a kite. The kite was red”, it is "
        "*she* who lost it, and it stays *red*. How often does each checkpoint choose the right word?",
        "",
    )
    chart = line_chart(
        np.array(grades.steps),
        {kind: np.array([score.rate for score in scores]) for kind, scores in grades.scores.items()},
        x_title="training step",
        y_title="right",
        x_domain=(0, grades.steps[-1]),
        y_domain=(0.0, 1.0),
        name="right by kind",
        sentence=order_told(grades),
        here=step,
        height=300,
    )
    asked = min(scores[-1].asked for scores in grades.scores.values())
    page.show(
        chart,
        note=f"Each point is over at least {asked} words of new stories. Up to step {first:,} the model read only "
        "short exercises on two things; after that it read whole stories too.",
    )


def order_told(grades: Grades) -> str:
    """Return in which order the kinds were learned, and which never were."""
    reached = {
        kind: next((step for step, score in zip(grades.steps, scores, strict=True) if score.rate >= LEARNED), None)
        for kind, scores in grades.scores.items()
    }
    learned = sorted((step, kind) for kind, step in reached.items() if step is not None)
    told = ", ".join(f"{kind} at step {step:,}" for step, kind in learned)
    never = [kind for kind, step in reached.items() if step is None]
    missing = f" Below that to the end: {', '.join(never)}." if never else ""
    return f"First checkpoint with at least {percent(LEARNED)} right: {told}.{missing}"
