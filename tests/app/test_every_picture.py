"""Every picture of every step and of the home page: its words, its grammar, its scale, and whose weights it shows."""

import re
import unicodedata

import altair as alt
import pytest

from tests.app.steps import step
from tests.app.test_every_step import STEPS
from tests.app.test_rounding import choices
from tests.app.visits import charts, domain, heatmap, reveal, said, visit

REASONS = re.compile(r"\b(because|reasons?|why|explain\w*|therefore|due to|important|caus(e|es|ed))\b")
OF_A_SUM = "because one key can get a large weight in every row"  # which is arithmetic, and no reason of a word
WHOSE = re.compile(r"[Rr]andom|made by hand|hand-made|trained (on|for)|(of|from) Toy English|Model: |are still blank")


def see_that_pictures_are_sound(seen, words=""):
    """See it of a step or a page; `words` are what its controls say."""
    text, kinds = said(seen) + words, []
    for chart in charts(seen):
        assert chart.alt.strip()
        assert not any(unicodedata.category(char) == "Cc" for char in chart.alt)
        assert not REASONS.search(re.sub(f"“.*?”|{OF_A_SUM}", "", chart.alt))
        if "weight" in chart.data.columns[:3]:
            assert WHOSE.search(text)
        first = chart.spec.get("layer", [chart.spec])[0]["encoding"]
        if first.get("color", {}).get("type") == "quantitative":
            low, high = domain(chart)
            assert (low, high) == (0, 1) if chart.data.columns[2] == "weight" else low in (0, -high)
        if list(chart.data.columns[:3]) == ["query", "key", "weight"]:
            heatmap(chart)  # sees that rows and columns come in their order, and none is missing
            assert (first["y"]["field"], first["x"]["field"]) in {("query", "key"), ("i", "j")}
        if chart.spec not in kinds:  # the pages build them without this check, which takes most of the time
            kinds.append(chart.spec)
            kind = alt.LayerChart if "layer" in chart.spec else alt.Chart
            kind.validate(chart.spec | {"height": 1, "params": [], "data": {"name": "data"}})


def see_that_pictures_of_a_step_are_sound(lesson, name, **link):
    seen = step(lesson, name, **link)
    see_that_pictures_are_sound(seen, " ".join(str(one.value) for one in seen.page.controls.made.values()))


@pytest.mark.parametrize(("lesson", "name"), STEPS)
def test_each_picture_of_a_step_says_whose_weights_it_shows_and_no_reason_and_keeps_its_order_and_scale(lesson, name):
    see_that_pictures_of_a_step_are_sound(lesson, name)


@pytest.mark.nightly
@pytest.mark.parametrize(("lesson", "name"), STEPS)
def test_so_does_each_picture_at_each_choice(lesson, name):
    for link in choices(lesson, name):
        see_that_pictures_of_a_step_are_sound(lesson, name, **link)


def test_so_does_each_picture_of_the_home_page():
    app = visit("home")
    app.session_state["home_closer_The weights of all words"] = True
    see_that_pictures_are_sound(reveal(app))
