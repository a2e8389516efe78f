"""gradient: one step against it is that of the core."""

import re
from functools import partial

import pytest

from attention_core.experiments.language.gradient_step import line_search
from attention_core.text.corpora import n_grams_of
from attention_core.text.n_grams import n_gram_losses
from pages.tiny_lm.gradient import ETAS, SIZES, direction_question
from tests.app.steps import step
from tests.app.tiny_lm.models import close, each_model, model_of, prompt_of
from tests.app.visits import said

show = partial(step, "tiny_lm", "gradient")


@each_model
@pytest.mark.promise("tiny_lm 4")
def test_the_loss_along_the_step_is_that_of_steps_really_taken(label):
    (model, source), tokens = model_of(label), prompt_of(label)
    counts = n_grams_of(source, model.config.max_len)
    baselines = n_gram_losses(counts, tokens[None])._asdict()  # on this very text
    expected = line_search(model, tokens[:-1], tokens[1:], SIZES)
    for eta in (ETAS[0], ETAS[-1]):
        seen = show(model=label, eta=eta)
        (chart,) = seen.charts
        close(chart.data[chart.data["series"] == "after the step"].query("kind == 'line'")["x"], SIZES)
        place = ETAS.index(eta)
        assert f"to {expected[place]:.2f}" in re.sub("[,,]", "", said(seen))
        assert chart.data.query("kind == 'here'")["x"].item() == SIZES[place]
        ends = chart.data.query("kind == 'end'").set_index("series")["value"]
        close([ends[name] for name in baselines], list(baselines.values()))
    assert expected[-1] > expected.min()


def test_a_slope_of_0_moves_nothing():
    question = direction_question("w", 0.5, 0.0)
    assert [question.options[place] for place in question.right] == ["not at all"]
