"""Pictures that are built up part by part where one walks to them; a link opens the whole."""

import re

import pytest

from tests.app.visits import html_of, press, reveal, said, to_step, visit

DENSE = ["causal_mask predictions now", "positional_encoding rope now", "tiny_lm parts now_inside", "tiny_lm copy bet"]


def more(app):
    return [button.label for button in app.button if button.label.startswith("Add part")]


@pytest.mark.parametrize("place", DENSE)
def test_each_press_adds_a_part_up_to_what_a_link_opens_and_only_once(place):
    lesson, name, other = place.split()  # to another step and back
    app, whole = to_step(visit(lesson, step=other), name), visit(lesson, step=name)
    if not more(app):  # what is built up would answer the question
        app, whole = reveal(app), reveal(whole)
    app = to_step(to_step(app, other), name)  # left before it was whole, it begins again
    parts = [said(app)]
    while offered := more(app):
        part, last = re.findall(r"\d", offered[0])
        assert [button.label for button in app.button].count("Whole picture") == (part < last)
        parts.append(said(press(app, offered[0])))
    assert parts[-1] == said(whole)
    assert len(set(parts)) == len(parts) > 2
    assert not more(to_step(to_step(app, other), name))


def test_a_sentence_of_a_part_explains_the_terms_that_it_says_first():
    assert "residual stream<span" in " ".join(html_of(visit("tiny_lm", step="parts", built="1")))
