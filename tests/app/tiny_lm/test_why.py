"""why: one score of a head, split by who wrote the query and who wrote the key."""

from functools import partial

import pytest
from pages.tiny_lm.why.split import ALONE, MEAN

from attention_core.experiments.inside.score_split import (
    Cell,
    score_writers,
    split_lead,
    split_mean_of_others,
    split_score,
    strongest_cells,
)
from pages.look.html import number
from tests.app.steps import step
from tests.app.tiny_lm.models import (
    close,
    in_view,
    named,
)
from tests.app.visits import charts, click, heatmap, reveal, said, shared, visit
from tests.tiers import first

show = partial(step, "tiny_lm", "why")
INDUCTION = Cell(1, 3, 8, 1)
MAP = "The largest term is "


def terms_shown(seen):
    return heatmap(named(seen, MAP)).values


@pytest.mark.promise("tiny_lm 10")
def test_the_score_of_the_induction_head_opens_and_the_previous_token_head_wrote_its_key():
    seen, viewed = show(), in_view("Copy task")
    found = split_score(viewed.model, viewed.inside, *INDUCTION)
    close(terms_shown(seen), found.terms)
    close(heatmap(named(seen, "Head 2.4:")).values, viewed.inside.weights[1, 3])
    text = said(seen)
    assert number(found.score) in text
    key = score_writers(viewed.model.config, 1)[int(found.by_key.argmax())]
    assert key == "1.1"
    assert f"head {key} adds most to the score: {number(float(found.by_key.max()))}" in text.replace("  ", " ")
    assert number(found.total, 4) == number(found.score, 4)
    assert number(found.score, 4) in text


@pytest.mark.parametrize("model", ["Small Stories", "Copy task"])
def test_the_parts_of_a_key_sum_to_the_score_but_for_the_penalty_on_distance(model):
    for variant in range(3):
        seen = show(model=model, variants={"writer": variant})
        if seen.page.asked:
            viewed = in_view(model)
            cells = strongest_cells(viewed.inside, max(0, len(viewed.tokens) - 24))
            found, why = split_score(viewed.model, viewed.inside, *cells[variant]), seen.question("writer").why
            assert found.by_key.sum() + found.distance == pytest.approx(found.score, abs=1e-4)
            assert (number(found.distance) in why) or not found.distance


CELLS = {
    "Copy task": [("2.1", "e", "c"), ("1.3", "4", "7"), ("2.4", "a₉", "a₉")],
    "King James Bible": [("3.2", "d₁₂", "G"), ("2.4", "s", "o"), ("1.1", "A", "A")],
}


@pytest.mark.parametrize("model", first(1, CELLS))
@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("when", first(1, ["trained", "just begun"]))
@pytest.mark.parametrize("rival", [ALONE, MEAN, "first"])
def test_any_cell_of_any_head_is_split(model, place, when, rival):
    head, query, key = CELLS[model][place]
    viewed = in_view(model, when)
    layer, number_of_head = (int(part) - 1 for part in head.split("."))
    cell = Cell(layer, number_of_head, viewed.labels.index(query), viewed.labels.index(key))
    found = split_score(viewed.model, viewed.inside, *cell)
    other = 0 if cell.key else 1
    if rival != ALONE and cell.query:
        if rival == MEAN:
            second = split_mean_of_others(viewed.model, viewed.inside, *cell)
        else:
            rival = viewed.labels[other]
            second = split_score(viewed.model, viewed.inside, *cell._replace(key=other))
        found = split_lead(found, second)
    elif rival == "first":
        rival = ALONE
    seen = show(model=model, when=when, head=head, q=query, k=key, rival=rival)
    close(terms_shown(seen), found.terms, 1e-5)
    writers = list(score_writers(viewed.model.config, layer))
    assert heatmap(named(seen, MAP)).rows == heatmap(named(seen, MAP)).columns == writers
    assert number(found.score) in said(seen)
    assert number(float(found.by_query.max())) in said(seen)


def test_a_click_chooses_the_cell():
    app = reveal(visit("tiny_lm", step="why", model="Copy task"))
    click(app, 6, 5)
    assert {key: shared(app)[f"tiny_lm_{key}"] for key in "qk"} == {"q": "e", "k": "1"}
    viewed = in_view("Copy task")
    close(terms_shown(app), split_score(viewed.model, viewed.inside, 1, 3, 6, 5).terms)


def test_the_writer_of_the_key_is_predicted():
    asked = show(unanswered="all")
    assert (asked.ready, charts(asked)) == (False, [])
    question = asked.question("writer")
    assert [question.options[option] for option in question.right] == ["head 1.1"]
    assert len(set(question.options)) == 4
    assert not show(when="untrained").page.asked
