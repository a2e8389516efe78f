"""stream: additions to the residual stream, contributions, LayerNorm, hidden units, and a part switched off."""

import re
from functools import partial
from itertools import cycle

import numpy as np
import pytest

from attention_core.equations.softmax import softmax
from attention_core.experiments.inside.ablation import logits_without_parts
from attention_core.experiments.inside.residual_stream import (
    addition,
    hidden_units,
    measure_writes,
    norm_steps,
    stream_shares,
)
from pages.look.html import number, percent
from pages.tiny_lm.architecture_note import USUAL
from pages.tiny_lm.stream import VIEWS
from pages.tiny_lm.stream.hidden_units import off_question
from tests.app.steps import step
from tests.app.tiny_lm.models import (
    assert_script_prints_the_numbers,
    close,
    each_kind,
    each_model,
    in_view,
    line,
    named,
    odd,
    step_with,
    values,
)
from tests.app.visits import charts, heatmap, html_of, press, reveal, said, visit
from tests.tiers import first

show = partial(step, "tiny_lm", "stream")
BIBLE = "King James Bible"
with_bible = pytest.mark.parametrize("label", first(3, [USUAL, "Copy task", BIBLE, "Toy English", "Pronouns"]))
each_view = pytest.mark.parametrize("view", VIEWS)


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


@with_bible
def test_it_opens_on_the_addition_that_is_asked_about_where_no_mistake_is_near_the_answer(label):
    model, _, tokens, _, inside = in_view(label)
    found, last = measure_writes(inside), len(tokens) - 1
    question = show(model=label, unanswered="all").question("written")
    lengths = found.middle[:, last]
    (layer,) = np.flatnonzero(np.isclose(lengths, question.right))
    assert f"attention in layer {layer + 1} adds" in question.text
    drawn = named(show(model=label), "The stream, the addition").data
    close(drawn[["x", "y"]], addition(found, int(layer), 0, last))
    if model.config.n_layers > 2:
        assert all(abs(mistake.value - question.right) > question.tolerance for mistake in question.mistakes)


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
    reveal(press(app, f"Open {USUAL}"))
    assert app.selectbox(key="tiny_lm_model").value == USUAL
    assert len(charts(app)) == 3


@with_bible
def test_predictions_without_a_part(label):
    model, source, tokens, _, inside = in_view(label)
    without = softmax(logits_without_parts(model, inside, len(tokens) - 1)).reshape(-1, len(source.vocabulary))
    whole = softmax(inside.logits[-1])
    seen = show(stream="ablation", model=label)
    close(values(charts(seen)[0]), [whole[whole.argmax()], *without[:, whole.argmax()]], 1e-5)
    assert all(f"{own.max():.2f}" in "".join(html_of(seen)) for own in without)
    assert charts(seen)[0].spec["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0, 1]


def test_a_model_that_norms_the_stream_has_no_contributions_and_is_told_so():
    seen = step_with(odd("post-norm, relu"), "stream", stream="contributions")
    assert not charts(seen)
    assert "post-norm" in said(seen)


ASKED = {
    "written": "additions",
    "whose": "contributions",
    "norm": "LayerNorm",
    "silent": "MLP",
    "left_out": "ablation",
}


@with_bible
@pytest.mark.parametrize("name", ASKED)
def test_a_question_stands_before_its_picture_and_every_option_is_judged(name, label):
    if name == "silent" and label != BIBLE:
        return
    asked = show(stream=ASKED[name], model=label, unanswered="all")
    assert (asked.ready, charts(asked)) == (False, [])
    question = asked.question(name)
    if name in ("written", "norm"):
        assert question.judge(question.right).right
        assert not question.judge(1e6).right
        return
    assert len(set(question.options)) == len(question.options) > 1
    assert 0 < sum(question.judge(option).right for option in range(len(question.options))) < len(question.options)


@pytest.mark.parametrize("name", ["written", "whose", "norm", "left_out"])
def test_another_question_is_about_another_position(name):
    texts = {show(stream=ASKED[name], variants={name: variant}).question(name).text for variant in range(5)}
    assert len(texts) == 5


def test_the_right_numbers_are_those_of_the_core():
    model, _, tokens, _, inside = in_view()
    assert show().question("written").right == pytest.approx(measure_writes(inside).middle[0, -1])
    steps = norm_steps(model, inside, 0, len(tokens) - 1)
    question = show(stream="LayerNorm").question("norm")
    place = int(re.search(r"entry (\d+) of the vector", question.text)[1]) - 1
    assert question.right == pytest.approx(steps.normal[place])
    assert steps.x[place] / steps.deviation in [pytest.approx(mistake.value) for mistake in question.mistakes]
    off = hidden_units(*in_view(BIBLE)[::4], 0).off[-1]
    silent = show(stream="MLP", model=BIBLE).question("silent")
    assert silent.options[silent.right[0]] == percent(round(off, 1))


def test_units_that_are_off_are_silent_with_relu_and_damped_with_gelu():
    model, _, _, _, inside = in_view(BIBLE)
    units = hidden_units(model, inside, 0)
    off, w2 = units.before[-1] <= 0, model.parameters.blocks[0].feed_forward.w2
    damped = np.linalg.norm(units.after[-1][off] @ w2[off])
    assert 0.5 < damped < np.linalg.norm(units.after[-1][~off] @ w2[~off])
    assert units.after.min() > -0.1701
    gelu = show(stream="MLP", model=BIBLE).question("silent")
    assert "between −0.17 and 0" in gelu.why
    assert f"{off.sum()} of {off.size} units" in gelu.why
    assert "the same vector" not in " ".join(gelu.mistakes)
    seen = step_with(odd("post-norm, relu"), "stream", stream="MLP")
    relu = seen.question("silent")
    assert "exactly 0" in relu.why


def test_with_relu_and_all_units_off_the_mlp_adds_one_vector_at_every_position():
    scene = step_with(odd("post-norm, relu"), "stream", stream="MLP").scene
    units = hidden_units(*in_view(BIBLE)[::4], 0)
    question = off_question(scene, units, -1)
    assert "the same vector" in question.mistakes[question.options.index(percent(1.0))]


def test_the_length_of_a_sum_can_be_checked_on_a_pocket_calculator():
    for label in ("Toy English", BIBLE):
        question = show(model=label).question("written")
        before, added = (float(text) for text in re.findall(r"√\(([\d.]+)² \+ ([\d.]+)²", question.why)[0])
        cosine = float(re.search(r"· \(?(−?[\d.]+)\)?\) =", question.why)[1].replace("−", "-"))
        length = (before**2 + added**2 + 2 * before * added * cosine) ** 0.5
        assert f"= {number(length)}." in question.why
        assert length == pytest.approx(question.right, abs=0.01)


def test_after_a_post_norm_the_length_is_the_root_of_the_width_before_gain_and_bias():
    own = odd("post-norm, attention alone")
    seen = step_with(own, "stream")
    gain = own.models[-1].parameters.blocks[0].norm1.gain
    assert np.ptp(gain) == 0
    assert number(12**0.5) in seen.question("written").why
    assert seen.question("written").right == pytest.approx(gain[0] * 12**0.5, rel=1e-3)


@each_view
@each_kind
def test_a_model_of_ones_own_is_opened_too(kind, view):
    own = odd(kind)
    labels = step_with(own, "stream").scene.labels
    for at in (labels[0], labels[-1]):
        seen = step_with(own, "stream", stream=view, at=at, block=f"layer {own.models[0].config.n_layers}")
        text = "".join(html_of(seen))
        assert "<b>bold</b>" not in text
        assert "<b>zq</b>" not in text
        assert "nan" not in text.lower()


@each_view
@pytest.mark.parametrize(
    ("label", "text", "n_tokens"),
    first(
        1, [(BIBLE, {"verse": "x" * 60}, 48), (BIBLE, {"verse": "A"}, 1), ("Toy English", {"text": "the " * 30}, 24)]
    ),
)
def test_prompts_of_any_length_are_drawn_whole(view, label, text, n_tokens):
    seen = show(stream=view, model=label, **text)
    assert len(seen.scene.tokens) == n_tokens
    for chart in charts(seen):
        assert chart.alt
        for column in {"value", "probability"} & set(chart.data.columns):
            assert np.isfinite(chart.data[column]).all()


@each_view
def test_what_a_link_cannot_say_falls_back(view):
    nonsense = dict(
        zip(("at", "adds", "block", "which", "scale", "shift", "d"), cycle(("1e309", "<script>", "layer 9")))
    )
    assert [one.alt for one in charts(show(stream=view, **nonsense))] == [one.alt for one in charts(show(stream=view))]


@pytest.mark.parametrize("view", first(1, VIEWS))
def test_the_script_prints_the_numbers_of_the_view(view):
    assert_script_prints_the_numbers(show(stream=view, model="Copy task"))
