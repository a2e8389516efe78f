"""cost: the calculator for a whole model."""

from functools import partial

import pytest

import attention_core as core
from attention_core.experiments.language import costs
from pages.look.html import commas
from tests.app.steps import step
from tests.app.tiny_lm.models import close
from tests.app.visits import charts, press, reveal, said, set_to, visit

show = partial(step, "tiny_lm", "cost")
SIZES = [
    ({}, 1024, 12, 64, 12, 16),
    ({"n": "2048", "h": "96", "w": "128", "n_layers": "96"}, 2048, 96, 128, 96, 16),
    ({"n": "1000000", "h": "128", "w": "512", "n_layers": "200", "bits": "32"}, 10**6, 128, 512, 200, 32),
    ({"n": "1", "h": "1", "w": "1", "n_layers": "1"}, 1, 1, 1, 1, 16),
]


@pytest.mark.parametrize(("link", "length", "heads", "width", "layers", "bits"), SIZES)
@pytest.mark.promise("tutorial 30")
def test_the_calculator_gives_the_costs_by_formula(link, length, heads, width, layers, bits):
    seen = show(**link)
    config = core.Config(50257, heads * width, heads, layers, length, positions="learned")

    def share(tokens):
        work = costs.operations(config, tokens)
        return (work.scores + work.mixing) / work.total

    assert f"{100 * share(length):.0f} % of all FLOPs" in said(seen)
    assert share(6 * config.d_model - 1) < 0.5
    assert f"6 · dmodel = {commas(6 * config.d_model)}," in said(seen)
    data = charts(seen)[0].data
    line = data[data["kind"] == "line"]
    close(line["value"], [share(int(x)) for x in line["x"]])
    assert f"numbers of {bits} bits = " in said(seen)


@pytest.mark.promise("tutorial 31")
def test_the_presets_of_the_calculator():
    app = reveal(visit("tiny_lm", step="cost"))
    press(app, "GPT-3")
    assert "175 billion" in said(app)
    assert commas(12_288) in said(app)
    press(app, "GPT-2")
    assert "124 million" in said(app)
    press(app, "1 head, 100,000 tokens")
    assert "of 16 bits = 20 GB" in said(app)
    set_to(app, tiny_lm_bits="32")
    assert "of 32 bits = 40 GB" in said(app)


def test_the_memory_is_predicted():
    asked = show(unanswered="all")
    assert (asked.ready, charts(asked)) == (False, [])
    question = asked.question("memory")
    assert question.right == 20
    assert [mistake.value for mistake in question.mistakes] == [10, 2 * 100_000 / 10**9, 40]
    assert show(variants={"memory": 1}).question("memory").right == 5


@pytest.mark.parametrize(("n", "marked"), [("2048", [2048]), ("3", [])])
def test_the_curve_marks_the_chosen_length_where_it_has_it(n, marked):
    chart = charts(show(n=n))[0]
    assert chart.data[chart.data["kind"] == "here"]["x"].tolist() == marked
    ticks = chart.spec["layer"][-2]["encoding"]["x"]["axis"]["values"]
    assert ticks == [16, 256, 4096, 65536, 1048576]
