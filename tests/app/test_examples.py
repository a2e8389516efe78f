"""What the label of an example says is what it brings, as the controls of its step then stand; no word says more."""

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from attention_core.experiments.qkv.one_head import LONGEST
from attention_core.text.small_english import ADJECTIVES
from pages.causal_mask.scene import painted
from pages.links.course import EXAMPLES
from pages.page.fields.link_state import query_word
from tests.app.steps import step

PLAIN = ["a", "and", "the", "its", "of", "to", "too", "both", "does", "what", "over", "two", "finds", "noun"]
SAYS = tomllib.loads(Path(__file__).with_name("examples.toml").read_text("utf-8"))
SAYS["An adjective"] = "q", "|".join(ADJECTIVES)
SAYS[r"diagonal too \(an empty row\)"] = "paint", re.escape(painted([(i, i) for i in range(LONGEST)]))
ALWAYS = "causal", "[Tt]rained heads?", r"Train(?: both heads)?\b"  # said wherever it is so


@cache
def controls(lesson, label):
    """Return the words by which a link says how the controls stand that the step of an example draws."""
    link = {name: query_word(value) for name, value in EXAMPLES[lesson][label].items()}
    known = step(lesson, link["step"], **link).page.controls.known
    return {name: query_word(one.value) for name, one in known.items()} | {"step": link["step"]}


def wrong_in(label, at):
    """Yield what a label says that is not so, or does not say though it is, and its words that nobody understands."""
    read = {*PLAIN}
    for pattern, (control, wanted) in SAYS.items():
        if found := re.search(pattern, label):
            read |= {*re.findall(r"\w+", found[0].lower())}
        right = re.fullmatch(wanted or (found[1] if found else "-"), at.get(control, ""))
        if (found and not right) or (right and not found and pattern in ALWAYS):
            yield f"{label}: {control} is {at.get(control)}"
    yield from {*re.findall(r"\w+", label.lower())} - read


@pytest.mark.parametrize(("lesson", "label"), [(lesson, label) for lesson in EXAMPLES for label in EXAMPLES[lesson]])
def test_an_example_brings_what_its_label_says(lesson, label):
    at = controls(lesson, label)
    assert not [*wrong_in(label, at)]
    others = re.sub(r"\d+", lambda number: f"{int(number[0]) + 1}", label), *(re.sub(one, "", label) for one in ALWAYS)
    assert all(other == label or [*wrong_in(other, at)] for other in others)  # another number, or nothing said of it
