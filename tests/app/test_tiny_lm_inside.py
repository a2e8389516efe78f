"""Lesson 6, inside: the lens, the pushes and the stream show the numbers of the core, for every model that there is."""

import html
import re
from functools import partial

import numpy as np
import pytest

import attention_core as core
from attention_core.equations.softmax import softmax
from attention_core.experiments.ablation import logit_drops, logits_without_heads, logits_without_parts
from attention_core.experiments.logit_lens import attribute_logit, attribution_difference, logit_lens, token_path
from attention_core.experiments.residual_stream import addition, hidden_units, measure_writes, norm_steps, stream_shares
from attention_core.model.parameters import Model
from attention_core.shipped.models import MODELS, model_at
from attention_core.text.corpora import source_of, split
from attention_core.text.vocabulary import Vocabulary
from attention_core.text.word_vectors import position_labels
from pages.look.html import number
from pages.page import page as frame
from pages.tiny_lm.model_in_view import NAMES, PROMPTS, WHEN, Own, visible
from tests.app import visits
from tests.app.bare import printed, run_bare
from tests.app.visits import charts, click, controls, domain, heatmap, html_of, main, press, rerun, reveal, said, shared

LENS = ["layer by layer", "part by part", "a head taken out"]
STREAM = ["what is added", "whose it is", "a norm", "feed-forward", "left out"]
VIEWS = [("lens", look) for look in LENS] + [("stream", look) for look in STREAM]
each_model = pytest.mark.parametrize("label", NAMES)
each_view = pytest.mark.parametrize(("step", "look"), VIEWS)
ODD = {
    "post-norm, relu": {"norm": "post", "activation": "relu", "n_layers": 2, "n_heads": 3, "d_ff": 20},
    "four layers of eight": {"n_layers": 4, "n_heads": 8, "d_model": 16, "positions": "rope", "d_ff": 0},
    "looks ahead": {"causal": False, "n_layers": 1, "n_heads": 1, "positions": "none", "d_ff": 0},
    "alibi": {"positions": "alibi", "n_layers": 3, "n_heads": 2, "activation": "relu"},
    "post-norm, attention alone": {"norm": "post", "n_layers": 1, "n_heads": 2, "positions": "sinusoidal", "d_ff": 0},
}
TOKENS = ("<b>bold</b>", "␣", " ", "`$x$`", "\n", "a" * 40, "獅子", "]")

visit = partial(visits.visit, "tiny_lm")


def shown(**link):
    """Return a page whose questions were waved away, so that its pictures stand."""
    return reveal(visit(**link))


def set_to(app, **values):
    return visits.set_to(app, **{f"tiny_lm_{name}": value for name, value in values.items()})


def scene(label="small English", when="trained", text=None):
    """Return the model, the tokens, their labels and the insides of a link, in the core's functions alone."""
    name = NAMES[label]
    source, step = source_of(MODELS[name].source), MODELS[name].stops[WHEN.index(when)]
    words = split(text or PROMPTS[name][1], source.unit)
    model, tokens = model_at(name, step), source.vocabulary.encode(words)
    labels = position_labels([visible(word) for word in words])
    return model, tokens, labels, core.insides(model, tokens), source.vocabulary.tokens


def own(kind, when="trained", prompt="", n_models=1):
    """Return the state of a student who has a model of their own, on a page with it."""
    config = core.Config(len(TOKENS), **{"d_model": 12, "max_len": 9} | ODD[kind])
    models = tuple(core.init_model(config, seed=5 + i) for i in range(n_models))
    return Own(models, tuple(range(n_models)), Vocabulary(TOKENS, None), "character", "a text", prompt or " ]\n] ")


def of_own(kind, step, look, **own_options):
    """Return a page on a student's own model."""
    app = visit(step=step, **({step: look} if look else {}))
    app.session_state["tiny_lm_own"] = own(kind, **own_options)
    return reveal(set_to(app, model="your own"))


def without_head(model, layer, head):
    """Return the model with the head's rows of W_O set to zero."""
    copy = Model.of(model.config, model.flat.copy())
    width = model.config.d_head
    copy.parameters.blocks[layer].attention.w_o[head * width : (head + 1) * width] = 0
    return copy


def close(seen, expected, rtol=1e-6):
    """Compare numbers; those computed on two ways, which round differently, with a larger tolerance."""
    np.testing.assert_allclose(np.asarray(seen, float), np.asarray(expected, float), rtol=rtol, atol=rtol / 2)


def named(app, name):
    """Return the chart whose sentence begins so."""
    (found,) = [chart for chart in charts(app) if chart.alt.startswith(name)]
    return found


def values(chart):
    return chart.data["value"].tolist()


# One weight of one head


def card(app):
    """Return the derivation of a weight as a reader reads it."""
    (block,) = [block for block in html_of(app) if "How <b" in block]
    return html.unescape(re.sub("<[^>]*>", " ", block))


@pytest.mark.parametrize(("label", "head"), [("small English", "1.4"), ("letters and digits", "2.4")])
def test_a_head_is_enlarged_and_each_of_its_weights_explained(label, head):
    _, tokens, labels, inside, _ = scene(label)
    layer, place = (int(part) - 1 for part in head.split("."))
    weights = inside.weights[layer, place]
    app = press(shown(model=label), f"tiny_lm_put_head_{head}")
    assert shared(app)["tiny_lm_head"] == head
    row, key = len(tokens) - 1, int(weights[-1].argmax())
    found = heatmap(next(one for one in charts(app) if one.alt.startswith(("Head", "Layer"))))
    assert found.rows == found.columns == labels
    np.testing.assert_allclose(found.values, weights, atol=1e-6)
    for i, j in ((row, key), (row, 0), (2, 1)):
        set_to(app, q=labels[i], k=labels[j])
        q, k = inside.queries[layer, place, i], inside.keys[layer, place, j]
        text = card(app)
        assert f"{labels[i]}  →  {labels[j]}  became {weights[i, j]:.2f}" in text
        assert f"q · k {number(float(q @ k))}" in re.sub(r"\s+", " ", text)
    set_to(app, q=labels[1], k=labels[row])
    assert "this key may not be seen" in card(app)
    app = press(app, "All heads")
    assert "tiny_lm_head" not in shared(app)


def test_a_penalty_on_distance_is_a_line_of_the_derivation():
    assert "for the distance" in card(shown(model="it and the animal", head="1.1", k="hat"))
    assert "for the distance" not in card(shown(model="it and the animal", head="1.2", k="hat"))


@pytest.mark.parametrize("head", ["1.9", "3.1", "0.0", "one", "1.1.1", "²"])
def test_of_a_head_that_there_is_not_all_are_shown(head):
    app = shown(head=head)
    assert len([one for one in charts(app) if one.alt.startswith("Head")]) == 4


@pytest.mark.parametrize("kind", ODD)
def test_heads_of_any_model_can_be_enlarged(kind):
    app = of_own(kind, "bet", None)
    assert "How" in card(press(app, "tiny_lm_put_head_1.1"))


# Layer by layer


@each_model
@pytest.mark.parametrize("when", [WHEN[0], WHEN[2], WHEN[4]])
@pytest.mark.promise("tiny_lm 8")
def test_the_lens_shows_every_reading(label, when):
    _, tokens, labels, inside, names = scene(label, when)
    lens = logit_lens(inside)
    app = shown(step="lens", model=label, when=when)
    found = main(app)
    seen = heatmap(found)
    close(seen.values, lens.shares.T)
    assert seen.rows == labels
    assert seen.columns == ["embedding", *(f"layer {i + 1}" for i in range(len(inside.stream) - 1))]
    assert domain(found) == [0, 1]
    texts = [visible(names[token]) for token in lens.likeliest.T.ravel()]
    assert found.data["text"].tolist() == [text if len(text) <= 11 else text[:10] + "…" for text in texts]
    agrees = (lens.likeliest == lens.likeliest[-1]).T
    agrees[:, -1] = False
    assert found.data["moved"].tolist() == agrees.ravel().tolist()
    order = np.argsort(-lens.bets[0, -1], kind="stable")[:8]
    reading = named(app, "The likeliest tokens of the chosen reading")
    close(values(reading), lens.bets[0, -1][order])
    assert reading.data["label"].tolist() == [visible(names[token]) for token in order]
    path = token_path(lens, len(tokens) - 1, int(lens.likeliest[-1, -1]))
    for start, line in (("The share of", path.shares), ("Its rank", path.ranks)):
        data = named(app, start).data
        close(data[data["kind"] == "line"]["value"], line)


def test_a_click_chooses_position_and_layer_and_keeps_every_sentence():
    app = shown(step="lens", model="King James Bible")
    before = [chart.alt for chart in charts(app)]
    click(app, 4, 2)
    assert [chart.alt for chart in charts(app)] == before
    assert shared(app) == {
        "tiny_lm_step": "lens", "tiny_lm_model": "King James Bible", "tiny_lm_at": "G", "tiny_lm_layer": "layer 2",
    }  # fmt: skip
    _, _, _, inside, _ = scene("King James Bible")
    bets = logit_lens(inside).bets[2, 4]
    close(values(named(app, "The likeliest tokens of the chosen")), np.sort(bets)[::-1][:8])


# Pushes


@each_model
@pytest.mark.promise("tiny_lm 8")
def test_pushes_sum_to_the_logit(label):
    model, tokens, labels, inside, _ = scene(label)
    last, best = len(tokens) - 1, int(inside.logits[-1].argmax())
    pushes = attribute_logit(model, inside, last, best)
    app = shown(step="lens", lens="part by part", model=label)
    data = named(app, "What every part pushes").data
    heads = data[data["label"].str.match(r"\d\.\d → ")]
    close(heads["value"], pushes.heads.ravel())
    looks = inside.weights[:, :, last].reshape(-1, len(tokens))
    ends = [f"→ {labels[row.argmax()]} {row.max():.2f}" for row in looks]
    assert all(text.endswith(end) for text, end in zip(heads["label"], ends, strict=True))
    rest, total = data["value"].tolist()[:-1], data["value"].tolist()[-1]
    close(sum(rest), total)
    close(total, inside.logits[-1, best], 1e-5)
    four = f"{inside.logits[-1, best]:.4f}"
    assert sum(four in block for block in html_of(app)) == 1
    assert (len(data) == pushes.heads.size + 3) == (model.config.d_hidden == 0)


def test_the_lead_of_one_token_over_another_decides():
    model, tokens, _, inside, names = scene()
    meowed, barked = names.index("meowed"), names.index("barked")
    apart = attribution_difference(
        *(attribute_logit(model, inside, len(tokens) - 1, token) for token in (meowed, barked))
    )
    app = set_to(shown(step="lens", lens="part by part"), against="barked")
    data = named(app, "What every part pushes").data
    close(data["value"], [apart.embedding, *apart.heads[0], apart.final_bias, apart.total])
    bets = softmax(inside.logits[-1])
    times = f"{bets[meowed] / bets[barked]:,.2f}".replace(",", "\u202f")
    assert f"is {times}: the first is so many times as likely" in said(app)
    assert "The lead of meowed over barked" in said(app)


def test_a_model_that_norms_the_stream_has_no_pushes_and_is_told_so_kindly():
    for step, look in (("lens", "part by part"), ("stream", "whose it is")):
        app = of_own("post-norm, relu", step, look)
        assert not charts(app)
        assert "post-norm" in said(app)
    app = of_own("post-norm, relu", "lens", "a head taken out")
    assert next(chart.alt for chart in charts(app)).startswith("How far the number falls")


# A head taken out


@each_model
def test_falls_are_those_of_the_model_without_the_head(label):
    model, tokens, _, inside, _ = scene(label)
    last, best = len(tokens) - 1, int(inside.logits[-1].argmax())
    app = shown(step="lens", lens="a head taken out", model=label)
    expected = [
        inside.logits[-1, best] - core.logits(without_head(model, layer, head), tokens)[-1, best]
        for layer in range(model.config.n_layers)
        for head in range(model.config.n_heads)
    ]
    close(values(named(app, "How far the number falls")), expected, 1e-5)
    close(values(named(app, "What each head pushes")), attribute_logit(model, inside, last, best).heads.ravel())
    last_head = without_head(model, model.config.n_layers - 1, model.config.n_heads - 1)
    after, before = softmax(core.logits(last_head, tokens)[-1]), softmax(inside.logits[-1])
    order = np.argsort(-np.maximum(before, after), kind="stable")[:8]
    close(values(named(app, "With all heads")), before[order])
    close(values(named(app, "Without the head")), after[order])


def test_a_push_is_not_the_whole_effect():
    """In the trained models that ship there are heads without a push of their own that are missed all the same."""
    model, tokens, _, inside, _ = scene("letters and digits")
    best = int(inside.logits[-1].argmax())
    push = attribute_logit(model, inside, len(tokens) - 1, best).heads
    fell = logit_drops(inside.logits[-1], logits_without_heads(model, inside, len(tokens) - 1), best)
    assert abs(push[0, 3]) < 0.1
    assert fell[0, 3] > 0.5


def test_position_token_and_head_can_be_chosen():
    model, _, _, inside, names = scene()
    app = shown(step="lens", lens="a head taken out")
    set_to(app, at="cat", less="1.2")
    logits = inside.logits[2]
    token, other = np.argsort(-logits, kind="stable")[[3, 1]]
    set_to(app, token=visible(names[token]), against=visible(names[other]))
    without = logits_without_heads(model, inside, 2)
    close(values(named(app, "How far the number falls")), logit_drops(logits, without, token, other).ravel(), 1e-5)
    assert "The bet without head 1.2" in [heading.value for heading in app.subheader]


# The stream


@each_model
def test_lengths_and_directions_are_measured(label):
    model, _, _, inside, _ = scene(label)
    found = measure_writes(inside)
    app = shown(step="stream", model=label)
    data = named(app, "How long the stream is").data
    assert data["value"].iloc[0] == pytest.approx(found.before[0, -1])
    assert data["value"].iloc[-1] == pytest.approx(found.after[-1, -1])
    close(data[data["label"].str.startswith("+ attention")]["value"], found.attention[:, -1])
    turns = named(app, "Which way each addition points").data
    close(turns[turns["label"].str.startswith("attention")]["value"], found.attention_cosine[:, -1])
    if model.config.d_hidden:
        close(data[data["label"].str.startswith("+ feed-forward")]["value"], found.feed_forward[:, -1])
        close(turns[turns["label"].str.startswith("feed")]["value"], found.feed_forward_cosine[:, -1])
        set_to(app, adds="feed-forward 2")
        arrows = named(app, "The stream, what is added").data
        close(arrows[["x", "y"]], addition(found, 1, 1, -1 % len(inside.tokens)))
    else:
        arrows = named(app, "The stream, what is added").data
        close(arrows[["x", "y"]], addition(found, 0, 0, len(inside.tokens) - 1))
    if model.config.n_layers > 1:
        set_to(app, block=f"layer {model.config.n_layers}")
    lines = named(app, "The length of the stream before and after").data
    for name, expected in (("before", found.before), ("after", found.after), ("attention adds", found.attention)):
        close(lines[(lines["kind"] == "line") & (lines["series"] == name)]["value"], expected[-1])


@each_model
@pytest.mark.promise("tiny_lm 8")
def test_shares_of_the_stream_sum_to_one(label):
    model, tokens, _, inside, _ = scene(label)
    shares = stream_shares(model, inside, len(tokens) - 1)
    app = shown(step="stream", stream="whose it is", model=label)
    data = named(app, "What each part has of the last stream").data
    close(data["value"].iloc[:2], [shares.token, shares.place])
    close(data[data["label"].str.startswith("head")]["value"], shares.heads.ravel())
    close([data["value"].iloc[:-1].sum(), data["value"].iloc[-1]], [1, 1])


def test_a_norm_is_shown_number_by_number_and_forgets_length_and_height():
    model, tokens, _, inside, _ = scene("King James Bible")
    app = shown(step="stream", stream="a norm", model="King James Bible")
    steps = norm_steps(model, inside, 0, len(tokens) - 1)
    seen = heatmap(charts(app)[0]).values
    rows = np.stack([steps.x, steps.centred, steps.normal, steps.normal * steps.gain, steps.out])
    close(seen, rows[:, :24])
    names = controls(app)["tiny_lm_which"].options
    assert names[0] == "before attention 1"
    assert names[-1] == "the last norm"
    assert len(names) == 7
    set_to(app, which="the last norm", scale="10", shift=3.0)
    steps = norm_steps(model, inside, 6, len(tokens) - 1, 10.0, 3.0)
    seen = heatmap(charts(app)[0]).values
    close(seen[0], inside.stream[-1, -1, :24] * 10 + 3)
    close(seen[4], steps.out[:24])
    np.testing.assert_allclose(steps.out, norm_steps(model, inside, 6, len(tokens) - 1).out, atol=1e-4)
    set_to(app, d=float(controls(app)["tiny_lm_d"].max))
    seen = heatmap(charts(app)[0])
    close(seen.values[4], steps.out[-24:])
    assert seen.columns[-1] == "88"
    assert ">88</td>" in "".join(html_of(app))


@pytest.mark.promise("tutorial 25")
def test_hidden_units_are_shown_before_and_after_the_bend():
    model, _, _, inside, _ = scene("King James Bible")
    app = shown(step="stream", stream="feed-forward", model="King James Bible")
    for layer in range(3):
        set_to(app, block=f"layer {layer + 1}")
        units = hidden_units(model, inside, layer)
        for start, expected in (("What goes into", units.before), ("What GELU lets", units.after)):
            data = named(app, start).data
            low, high = data["start"].iloc[0], data["end"].iloc[-1]
            counts, _ = np.histogram(np.clip(expected[-1], low, high), np.linspace(low, high, len(data) + 1))
            close(data["share"], counts / expected.shape[-1])
        lines = named(app, "The share of hidden units").data
        close(lines[lines["kind"] == "line"]["value"], units.off)
        assert f"{100 * units.off[-1]:.0f} %" in said(app)


def test_a_model_without_feed_forward_says_so_and_leads_to_one_that_has_it():
    app = visit(step="stream", stream="feed-forward")
    assert not charts(app)
    assert "no feed-forward" in said(app)
    reveal(press(app, "Open the King James Bible"))
    assert controls(app)["tiny_lm_model"].value == "King James Bible"
    assert len(charts(app)) == 3


@each_model
def test_bets_without_a_part(label):
    _, tokens, _, inside, names = scene(label)
    model = scene(label)[0]
    without = softmax(logits_without_parts(model, inside, len(tokens) - 1)).reshape(-1, len(names))
    whole = softmax(inside.logits[-1])
    app = shown(step="stream", stream="left out", model=label)
    close(values(charts(app)[0]), [whole[whole.argmax()], *without[:, whole.argmax()]], 1e-5)
    table = "".join(html_of(app))
    for own_bets in without:
        assert f"{own_bets.max():.2f}" in table
    assert charts(app)[0].spec["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0, 1]


# Questions

ASKED = {
    "lens": ("lens", "layer by layer"),
    "push": ("lens", "part by part"),
    "missed": ("lens", "a head taken out"),
    "written": ("stream", "what is added"),
    "whose": ("stream", "whose it is"),
    "norm": ("stream", "a norm"),
    "silent": ("stream", "feed-forward"),
    "left_out": ("stream", "left out"),
}


@each_model
@pytest.mark.parametrize("name", ASKED)
def test_a_question_stands_before_its_picture_and_every_option_is_judged(name, label):
    step, look = ASKED[name]
    model = scene(label)[0]
    app = visit(step=step, model=label, **{step: look})
    if name == "silent" and not model.config.d_hidden:
        return
    assert not charts(app)
    key = f"tiny_lm_{name}_given"
    if name in ("written", "norm"):
        app.number_input(key=key).set_value(1e6)
        assert "✕" in said(press(app, "Check"))
        assert charts(app)
        return
    options = app.radio(key=key).options
    assert len(set(options)) == len(options) > 1
    verdicts = []
    for option in range(len(options)):
        one = visit(step=step, model=label, **{step: look})
        one.radio(key=key).set_value(option)
        verdicts.append("✓" in said(press(one, "Check")))
        assert charts(one)
    assert any(verdicts)
    assert not all(verdicts)


@pytest.mark.parametrize("name", ["lens", "push", "missed", "whose", "left_out", "written", "norm"])
def test_another_question_is_about_another_position(name):
    step, look = ASKED[name]
    app = shown(step=step, **{step: look})
    asked = set()
    for _ in range(13):  # one more than there are positions
        press(app, f"tiny_lm_{name}_again")
        asked.add(next(block for block in html_of(app) if 'class="course ask"' in block))
        press(app, "Just show me")
    assert len(asked) >= 12


def test_the_right_numbers_are_those_of_the_core():
    model, tokens, _, inside, _ = scene()
    app = visit(step="stream")
    app.number_input(key="tiny_lm_written_given").set_value(float(measure_writes(inside).middle[0, -1]))
    assert "✓" in said(press(app, "Check"))
    steps = norm_steps(model, inside, 0, len(tokens) - 1)
    app = visit(step="stream", stream="a norm")
    place = int(re.search(r"number (\d+) of the row", said(app)).group(1)) - 1
    app.number_input(key="tiny_lm_norm_given").set_value(float(steps.normal[place]))
    assert "✓" in said(press(app, "Check"))
    app = visit(step="stream", stream="a norm")
    app.number_input(key="tiny_lm_norm_given").set_value(float(steps.x[place] / steps.deviation) - 1)
    assert "✕" in said(press(app, "Check"))


# Anything that may come along


@each_view
@pytest.mark.parametrize("kind", ODD)
def test_a_model_of_ones_own_is_opened_too(kind, step, look):
    app = of_own(kind, step, look)
    text = "".join(html_of(app))
    assert "<b>bold</b>" not in text.replace("&lt;b&gt;", "")
    assert "nan" not in text.lower()
    for widget in list(controls(app).values()):
        if widget.type == "selectbox" and widget.key != "tiny_lm_model":
            for value in (widget.options[0], widget.options[-1]):
                set_to(app, **{widget.key.removeprefix("tiny_lm_"): value})


@each_view
@pytest.mark.parametrize("label", NAMES)
@pytest.mark.parametrize("when", [WHEN[0], WHEN[1]])
def test_every_moment_of_training_and_a_prompt_of_one_token(label, when, step, look):
    field = PROMPTS[NAMES[label]][0]
    first = split(PROMPTS[NAMES[label]][1], source_of(MODELS[NAMES[label]].source).unit)[0]
    app = shown(step=step, model=label, when=when, **{step: look, field: first})
    for chart in charts(app):
        assert chart.alt
        for column in ("value", "share"):
            if column in chart.data:
                assert np.isfinite(chart.data[column]).all()


@each_view
def test_the_longest_prompts_are_drawn_whole(step, look):
    text = "the big cat saw a red ball near the hat and it " * 3
    app = shown(step=step, text=text, **{step: look})
    found = main(app)
    assert found is None or len(heatmap(found).rows) == 24
    app = shown(
        step=step,
        model="King James Bible",
        verse="In the beginning God created the heaven and the earth",
        **{step: look},
    )
    found = main(app)
    assert found is None or len(heatmap(found).rows) == 48


@each_view
def test_hostile_words_in_a_link_fall_back(step, look):
    for nonsense in ("1e309", "<script>", "layer 9"):
        names = ("at", "layer", "token", "against", "less", "adds", "block", "which", "scale", "shift", "d")
        assert rerun(shown(step=step, **{step: look} | dict.fromkeys(names, nonsense)))
    shown(step=step, **{step: "nonsense"})


@each_view
def test_another_prompt_keeps_the_page_whole(step, look):
    app = shown(step=step, **{step: look, "at": "ball"})
    for text in ("a dog", "zzz", "", "the the the the", "it"):
        reveal(set_to(app, text=text))
    for label in NAMES:
        reveal(set_to(app, model=label))


@each_view
def test_the_script_prints_the_numbers_of_the_view(step, look, monkeypatch):
    kept = []
    monkeypatch.setattr(frame.Page, "offer_files", lambda page, weights: kept.append((page.recipe, weights)))
    shown(step=step, model="letters and digits", **{step: look})
    recipe, weights = kept[-1]
    numbers = printed(run_bare(frame.script(recipe, "title", "link", weights)))
    for name, array in recipe.arrays().items():
        np.testing.assert_allclose(numbers[name], array, rtol=1e-4, atol=1e-5, err_msg=name)
