"""Superposition: a toy model that keeps more features than it has dimensions, if the features are rare."""

import streamlit as st

from attention_core.experiments.inside.superposition import FEATURES, KEPT, TOY_RUNS, Superposition, superposition
from pages.charts.chart import Chart
from pages.charts.heatmap import Axes, heatmap, scale
from pages.charts.vector_plane import Vector, plane
from pages.look.facts import largest
from pages.look.html import number
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "superposition",
    "Two dimensions keep five features, if these are rare",
    f"A toy model writes {FEATURES} **features** into 2 dimensions and reads them back: x′ = ReLU(WᵀW x + b). An arrow "
    "is a column of W, the direction of one feature. An error in A costs more than one in the others.",
    asks="How many features do two dimensions keep?",
    then="More features than dimensions: that is **superposition**. Rare features are seldom active together, so their "
    "interference costs little. A residual stream, into which all heads write, can hold more than d_model features in "
    "the same way.",
    experiment="active",
)

ACTIVE = ("5", "10", "20", "40", "60", "100")  # percent of the inputs in which a feature is active
ASKED = ("5", "20", "60")
NAMES = list("ABCDE")
LIMIT = 1.5  # of both pictures
AXES = Axes("read", "written", "product")

LONG = (
    "Each feature is active in {active} % of the inputs. {long} of {all} columns of W are longer than {least}. Best of "
    "{n_runs} runs."
)
INTERFERENCE = "WᵀW: what a feature (column) adds where another (row) is read, before b and ReLU."
READ = "If A alone is 1, A is read as {own}, and of the others {names} as {most}. The biases b are {low} to {high}."
TRAINED = (
    "If all features are always active, {always} arrows are long. Train the model again, with each feature active in "
    "{asked} % of the inputs and 0 in the others. How many arrows are longer than {least}?"
)
WHY = "Training keeps {kept} of {all}, because dropping more would cost more than their interference."


def draw(page: Page, _: Subject) -> bool:
    """Show the trained directions of always active features, and after the question, of rarer ones."""
    slot, picture = st.container(), st.container()
    answered = page.ask(page.question("features", features_question))
    active = ACTIVE[-1]
    if answered:
        with slot:
            active = page.controls.dial("active", "Probability of each feature, %", ACTIVE, ACTIVE[0], width=320)
    found = page.recipe.run("toy", superposition, int(active) / 100)
    page.prints("lengths of the arrows", found.lengths)
    with picture:
        left, right = st.columns(2, gap="large")
        with left:
            page.show(arrows(found, active))
        with right:
            page.show(products(found), note=reading(found))
    return answered


def kept(found: Superposition) -> list[str]:
    """Return the names of the features whose arrow is long."""
    return [name for name, length in zip(NAMES, found.lengths, strict=True) if length > KEPT]


def arrows(found: Superposition, active: str) -> Chart:
    """Return the directions of the features in the plane, as arrows; those that are dropped are dots."""
    long, short = kept(found), found.lengths <= KEPT
    tips = [Vector(float(x), float(y), name, "attention") for name, x, y in zip(NAMES, *found.w, strict=True)]
    shown = [tip for tip, dropped in zip(tips, short, strict=True) if not dropped]
    dots = [tip._replace(label="", role="ink") for tip, dropped in zip(tips, short, strict=True) if dropped]
    told = LONG.format(active=active, long=len(long), all=FEATURES, least=number(KEPT, 1), n_runs=TOY_RUNS)
    return plane(shown, points=dots, limit=LIMIT, name="directions of features", sentence=told)


def products(found: Superposition) -> Chart:
    """Return WᵀW: what the direction of one feature adds where another is read."""
    return heatmap(found.products, NAMES, NAMES, AXES, scale(LIMIT), name="interference", sentence=INTERFERENCE)


def reading(found: Superposition) -> str:
    """Return what is read back if the first feature alone is 1."""
    others = largest(found.back[0, 1:])
    own, low, high = (number(float(value)) for value in (found.back[0, 0], found.b.min(), found.b.max()))
    return READ.format(own=own, names=others.names(NAMES[1:]), most=others.shown, low=low, high=high)


def features_question(variant: int) -> Choice:
    """Ask how many features are kept when they are rarer."""
    asked = ASKED[variant % len(ASKED)]
    always, rare = (len(kept(superposition(int(active) / 100))) for active in (ACTIVE[-1], asked))
    told = f"With {asked} %, training keeps {rare}."
    wrong = {
        str(always): f"You counted dimensions. Rarer features fit between, because fewer are active at once. {told}",
        **{str(n): f"You expected {'more' if n > rare else 'fewer'} features. {told}" for n in range(3, FEATURES)},
        str(FEATURES): f"You expected room for all. At {asked} %, too many are active at once. {told}",
    }
    text = TRAINED.format(always=always, asked=asked, least=number(KEPT, 1))
    return Choice.of("features", text, str(rare), WHY.format(kept=rare, all=FEATURES), wrong, [variant, 41])
