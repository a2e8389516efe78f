"""stream: additions to the residual stream, contributions, LayerNorm, hidden units, and a part switched off."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.inside.residual_stream import (
    addition,
    hidden_units,
    measure_writes,
    norm_steps,
    stream_shares,
)
from pages.look.html import percent
from pages.tiny_lm.architecture_note import USUAL_MODEL
from tests.app.steps import step
from tests.app.tiny_lm.models import (
    close,
    each_model,
    in_view,
    line,
    named,
)
from tests.app.visits import charts, heatmap, html_of, press, reveal, said, visit
from tests.tiers import first

show = partial(step, "tiny_lm", "stream")
BIBLE = "King James Bible"
with_bible = pytest.mark.parametrize("label", first(3, [USUAL_MODEL, "Copy task", BIBLE, "Toy English", "Pronouns"]))


@with_bible
def test_lengths_and_directions_are_measured(label):
    model, _, tokens, _, inside = in_view(label)
    found, fed = measure_writes(inside), model.config.d_hidden > 0
    link = {"adds": "MLP 2" if fed else "attention 1"}
    seen = show(model=label, block=f"layer {model.config.n_layers}", **link)
    data = named(seen, "The length (norm) of the stream").data
    close(data["value"].iloc[[0, -1]], [found.before[0, -1], found.after[-1, -1]])
    close(data[data["label"].str.startswith("+ attention")]["value"], found.attention[:, -1])
    turns = named(seen, "The cosine of each addition").data
    close(turns[turns["label"].str.startswith("attention")]["value"], found.attention_cosine[:, -1])
    if fed:
        close(data[data["label"].str.startswith("+ MLP")]["value"], found.feed_forward[:, -1])
        close(turns[turns["label"].str.startswith("MLP")]["value"], found.feed_forward_cosine[:, -1])
    arrows = named(seen, "The stream, the addition").data
    close(arrows[["x", "y"]], addition(found, *((1, 1) if fed else (0, 0)), len(tokens) - 1))
    lines = named(seen, "The length of the stream before and after")
    for name, expected in (("before", found.before), ("after", found.after), ("attention", found.attention)):
        close(line(lines, name)[1], expected[-1])


@each_model
@pytest.mark.promise("tiny_lm 8")
def test_contributions_to_the_stream_sum_to_one(label):
    model, _, tokens, _, inside = in_view(label)
    shares = stream_shares(model, inside, len(tokens) - 1)
    data = named(show(stream="contributions", model=label), "Each part’s projection").data
    first = {"token": shares.token, "position": shares.place}
    if model.config.positions not in ("sinusoidal", "learned"):
        assert first.pop("position") == 0
    assert data["label"].tolist()[: len(first)] == list(first)
    close(data["value"].iloc[: len(first)], [*first.values()])
    close(data[data["label"].str.startswith("head")]["value"], shares.heads.ravel())
    close([data["value"].iloc[:-1].sum(), data["value"].iloc[-1]], [1, 1])


def test_layer_norm_is_shown_entry_by_entry_and_removes_length_and_mean():
    model, _, tokens, _, inside = in_view(BIBLE)
    last = len(tokens) - 1
    show_norm = partial(show, stream="LayerNorm", model=BIBLE)
    plain = norm_steps(model, inside, 0, last)
    rows = np.stack([plain.x, plain.centred, plain.normal, plain.normal * plain.gain, plain.out])
    close(heatmap(charts(show_norm())[0]).values, rows[:, :24])
    changed = norm_steps(model, inside, 6, last, 10.0, 3.0)
    seen = heatmap(charts(show_norm(which="final LayerNorm", scale="10", shift=3.0))[0])
    close(seen.values[[0, 4]], [inside.stream[-1, -1, :24] * 10 + 3, changed.out[:24]])
    np.testing.assert_allclose(changed.out, norm_steps(model, inside, 6, last).out, atol=1e-4)
    end = show_norm(d=88)
    seen = heatmap(charts(end)[0])
    close(seen.values[4], plain.out[-24:])
    assert seen.columns[-1] == "88"
    assert any("<td>88</td>" in block for block in html_of(end))


def test_only_a_very_short_vector_does_not_keep_its_result_when_it_is_scaled():
    model, _, _, labels, inside = in_view("Toy English")
    for place, least, most in ((labels.index("it"), 0.5, 2.0), (0, 0.0, 0.05)):
        before, after = (norm_steps(model, inside, -1, place, times).out for times in (1.0, 0.5))
        assert least <= np.abs(after - before).max() <= most


@pytest.mark.promise("tutorial 25")
def test_hidden_units_are_shown_before_and_after_the_activation():
    model, _, _, _, inside = in_view(BIBLE)
    for layer in range(3):
        seen = show(stream="MLP", model=BIBLE, block=f"layer {layer + 1}")
        units = hidden_units(model, inside, layer)
        for start, expected in (("Inputs of GELU", units.before), ("Outputs of GELU", units.after)):
            data = named(seen, start).data
            low, high = data["start"].iloc[0], data["end"].iloc[-1]
            counts, _ = np.histogram(np.clip(expected[-1], low, high), np.linspace(low, high, len(data) + 1))
            close(data.iloc[:, 3], counts / expected.shape[-1])
        close(line(named(seen, "The fraction of hidden units"), "off")[1], units.off)
        assert percent(units.off[-1]) in said(seen)


def test_a_model_without_an_mlp_says_so_and_leads_to_one_that_has_it():
    app = visit("tiny_lm", step="stream", model="Toy English", stream="MLP")
    assert not charts(app)
    assert "this model has none" in said(app)
    reveal(press(app, f"Open {USUAL_MODEL}"))
    assert app.selectbox(key="tiny_lm_model").value == USUAL_MODEL
    assert len(charts(app)) == 3


def test_the_right_numbers_are_those_of_the_core():
    model, _, tokens, _, inside = in_view()
    assert show().question("written").right == pytest.approx(measure_writes(inside).middle[0, -1])
    steps = norm_steps(model, inside, 0, len(tokens) - 1)
    question = show(stream="LayerNorm").question("norm")
    place = np.abs(steps.normal).argmax()
    assert question.right == pytest.approx(steps.normal[place])
    assert steps.x[place] / steps.deviation in [pytest.approx(mistake.value) for mistake in question.mistakes]
    off = hidden_units(*in_view(BIBLE)[::4], 0).off[-1]
    silent = show(stream="MLP", model=BIBLE).question("silent")
    assert silent.options[silent.right[0]] == percent(round(off, 1))
