"""The time machine, copying and the names of heads: every number in every chart is the core's, for every model."""

import re
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_core.equations.softmax import softmax
from attention_core.experiments.compare_models import assess
from attention_core.experiments.english_heads import link_weights
from attention_core.experiments.head_patterns import generate_rows, patterns, uniform_patterns
from attention_core.experiments.induction import (
    accuracy_by_ablated_head,
    accuracy_without_heads,
    copy_scores,
    recall_rows,
)
from attention_core.model.activations import insides
from attention_core.model.config import Config
from attention_core.model.forward import attention_weights, logits
from attention_core.model.generate import generate
from attention_core.model.parameters import init_model
from attention_core.shipped.models import MODELS, curve_of, model_at
from attention_core.shipped.runs import loss_of_rows
from attention_core.text.corpora import HELD_OUT, source_of, uniform_loss, unigram_loss
from attention_core.text.recall_task import recall_targets
from attention_core.text.vocabulary import Vocabulary
from pages.look.html import number
from pages.page import page as frame
from pages.page.course import LESSONS
from pages.reproduce.script import script
from pages.server.model_cache import KEPT, MOST, is_kept, kept
from pages.tiny_lm.checkpoints import baselines
from pages.tiny_lm.copy import LOOKS as COPY_LOOKS
from pages.tiny_lm.model_in_view import NAMES, OWN, PROMPTS, WHEN, Own
from pages.tiny_lm.time import LOOKS as TIME_LOOKS
from tests.app import visits
from tests.app.bare import printed, run_bare
from tests.app.visits import FILES, ROOT, charts, components, heatmap, html_of, press, rerun, reveal, said, set_to

visit = partial(visits.visit, "tiny_lm")
TWINS = {"step": "time", "time_look": "without a part"}
SINCE = {"step": "copy", "copy_look": "since when"}
WITHOUT = {"step": "copy", "copy_look": "without a head"}
VIEWS = ({"step": "time"}, TWINS, {"step": "copy"}, SINCE, WITHOUT, {"step": "heads"})
each_model = pytest.mark.parametrize("label", NAMES)
each_view = pytest.mark.parametrize("view", VIEWS, ids=lambda view: " ".join(view.values()))
RECALL = recall_rows(64, 32, HELD_OUT)


def shown(**link):
    """Return a page without its questions."""
    return visit(ask="no", **link)


def chart(app, part):
    """Return the chart whose data or sentence hold some text."""
    (found,) = [one for one in charts(app) if part in one.alt]
    return found


def line(found, series):
    """Return the points of one line."""
    own = found.data[(found.data["kind"] == "line") & (found.data["series"] == series)]
    return own["x"].to_numpy(), own["value"].to_numpy()


def prompt_of(name):
    """Return the usual prompt of a model in its own numbers."""
    source = source_of(MODELS[name].source)
    text = PROMPTS[name][1]
    return source.vocabulary.encode(text.split() if source.unit == "word" else list(text))


def close(seen, expected):
    np.testing.assert_allclose(seen, expected, rtol=1e-6, atol=1e-9)


# The time machine


@each_model
def test_the_curve_is_the_record_of_the_run(label):
    name = NAMES[label]
    found, curve = chart(shown(step="time", model=label), "The loss on texts held out"), curve_of(name)
    for series, values in (("learned", curve.learned), ("held out", curve.tested)):
        x, y = line(found, series)
        close(x, curve.steps)
        close(y, values)
    ends = found.data[found.data["kind"] == "end"].set_index("series")["value"]
    source, config = source_of(MODELS[name].source), MODELS[name].plan.config
    close(ends["uniform"], uniform_loss(source))
    close(ends["unigram"], unigram_loss(source, config.max_len))


@pytest.mark.parametrize("when", WHEN)
@pytest.mark.promise("tiny_lm 6")
def test_the_marker_text_bet_and_maps_are_those_of_the_moment(when):
    step = MODELS["english"].stops[WHEN.index(when)]
    app = shown(step="time", when=when)
    model, prompt = model_at("english", step), prompt_of("english")
    curve = chart(app, "The loss on texts held out")
    assert curve.data.loc[curve.data["kind"] == "here", "x"].tolist() == [max(1, step)]
    words = source_of("english").vocabulary.decode(np.array(generate(model, prompt, 12, 0.8, seed=3)))
    assert " ".join(words) in said(app)
    bets = chart(app, "The model bets most on").data["value"]
    close(bets, np.sort(softmax(logits(model, prompt)[-1]))[::-1][:8])
    weights = attention_weights(model, prompt)[0]
    for head in range(4):
        close(heatmap(chart(app, f"map, head {head + 1}")).values, weights[head])


@each_model
def test_the_table_says_of_each_moment_what_it_is(label):
    name = NAMES[label]
    source, plan = source_of(MODELS[name].source), MODELS[name].plan
    (block,) = [block for block in html_of(shown(step="time", model=label)) if ">what it writes</th>" in block]
    rows = re.findall(r"<tr[^>]*><td>(.*?)</tr>", block)
    held = source.held_out(plan.config.max_len)
    for step, row in zip(MODELS[name].stops, rows, strict=True):
        model = model_at(name, step)
        looks = attention_weights(model, prompt_of(name))[:, :, -1]
        assert f">{step:,}<" in row
        assert f">{number(loss_of_rows(model, *held))}<" in row
        assert number(float(looks.max())) in row


def test_a_button_goes_to_a_moment_as_the_sidebar_does():
    app = press(shown(step="time"), "early · 100")
    assert app.select_slider(key="tiny_lm_when").value == "early"
    assert "After 100 steps, loss" in said(app)
    assert visits.shared(app) == {"tiny_lm_step": "time", "tiny_lm_ask": "no", "tiny_lm_when": "early"}
    locked = shown(step="time", lock="when")
    assert all(locked.button(key=f"tiny_lm_when_{place}").disabled for place in range(5))


def test_greedy_text_is_what_the_model_finds_likeliest():
    app = shown(step="time", greedy="true", when="late")
    words = source_of("english").vocabulary.decode(
        np.array(generate(model_at("english", 400), prompt_of("english"), 12, 0))
    )
    assert " ".join(words) in said(app)


# Twins


@pytest.mark.parametrize("label", ["small English", "letters and digits"])
@pytest.mark.parametrize("part", ["no mask", "no positions", "one head", "one layer"])
@pytest.mark.promise("tiny_lm 6")
def test_a_twin_stands_beside_the_complete_model_with_its_own_numbers(label, part):
    name = NAMES[label]
    twin = f"{name}-{part.replace(' ', '-')}"
    app = shown(**TWINS, model=label, twin=part)
    if twin not in MODELS:
        assert "Go to letters and digits" in [button.label for button in app.button]
        return
    found = chart(app, f"complete {curve_of(name).tested[-1]:.2f}")
    close(line(found, "complete")[1], curve_of(name).tested)
    close(line(found, part)[1], curve_of(twin).tested)
    plan = MODELS[name].plan
    held = source_of(MODELS[name].source).held_out(plan.config.max_len)
    (block,) = [block for block in html_of(app) if "measured over rows held out" in block]
    for one in (assess(model_at(name), *held), assess(model_at(twin), *held)):
        for value in (
            number(one.loss),
            number(one.cut_loss),
            f"{100 * one.cut_accuracy:.0f} %",
            f"{100 * one.order:.0f} %",
        ):
            assert f">{value}<" in block


def test_what_has_no_twin_says_so_and_leads_to_one():
    app = press(shown(**TWINS, model="it and the animal"), "Go to small English")
    assert "measured over rows held out" in said(app)


def test_without_a_mask_the_answer_is_looked_at_and_the_writing_is_rubbish():
    app = shown(**TWINS, twin="no mask")
    assert "it it it it it" in said(app)
    assert "no mask" in said(app)


# Copying


@pytest.mark.parametrize("when", ["untrained", "late", "trained"])
@pytest.mark.promise("tiny_lm 7")
def test_the_two_heads_are_chosen_by_their_scores_and_drawn(when):
    app = shown(step="copy", when=when, letters="a3c7b1e4a")
    step = MODELS["recall"].stops[WHEN.index(when)]
    finished = copy_scores(model_at("recall"), RECALL)
    prompt = prompt_of("recall")
    for field, score in (("letter", finished.letter), ("answer", finished.answer)):
        head = int(score.argmax())
        maps = [one for one in charts(app) if one.alt.startswith(f"Head {head // 4 + 1}.{head % 4 + 1}:")]
        (one,) = maps
        close(heatmap(one).values, attention_weights(model_at("recall", step), prompt)[head // 4, head % 4])
        for at in {0, step}:
            value = getattr(copy_scores(model_at("recall", at), RECALL), field).ravel()[head]
            assert number(float(value)) in said(app)


def test_the_story_is_that_of_the_scores():
    app = shown(**SINCE)
    scores = [copy_scores(model_at("recall", step), RECALL) for step in MODELS["recall"].stops]
    found = chart(app, "The best head’s look at the answer")
    close(line(found, "right")[1], [score.accuracy for score in scores])
    close(line(found, "on the answer")[1], [score.answer.max() for score in scores])
    close(line(found, "on the letter")[1], [score.letter.max() for score in scores])
    ends = found.data[found.data["kind"] == "end"].set_index("series")["value"]
    close(ends["one layer"], copy_scores(model_at("recall-one-layer"), RECALL).accuracy)
    tables = [one for one in charts(app) if one.alt.startswith("Most: head")]
    for one, field in zip(tables, ("answer", "letter"), strict=True):
        close(heatmap(one).values, np.array([getattr(score, field).ravel() for score in scores]).T)


@pytest.mark.parametrize("when", ["late", "trained"])
@pytest.mark.promise("tiny_lm 7")
def test_heads_are_switched_off_in_truth(when):
    model = model_at("recall", MODELS["recall"].stops[WHEN.index(when)])
    app = shown(**WITHOUT, when=when, off="7.8")
    values = chart(app, "All heads:").data["value"].to_numpy()
    close(values[0], copy_scores(model, RECALL).accuracy)
    close(values[1:9], accuracy_by_ablated_head(model, RECALL).ravel())
    close(values[9], accuracy_without_heads(model, RECALL, [6, 7]))
    press(app, "tiny_lm_put_off_1")
    close(chart(app, "All heads:").data["value"].to_numpy()[9], accuracy_without_heads(model, RECALL, [0, 6, 7]))


def test_from_each_token_the_looks_and_the_bet_are_shown():
    app = shown(step="copy", letters="a3c7b1e4a")
    prompt = prompt_of("recall")
    inside = insides(model_at("recall"), prompt)
    for label, row in (("a₉", 8), ("c", 2)):
        set_to(app, tiny_lm_from=label)
        close(chart(app, "Each head’s largest weight").data["value"], inside.weights[:, :, row].max(axis=-1).ravel())
        bets = chart(app, "The model bets most on").data["value"]
        close(bets, np.sort(softmax(inside.logits[row]))[::-1][:8])


def test_another_row_is_written_into_the_field():
    app = shown(step="copy")
    seen = set()
    for _ in range(3):
        press(app, "Another row")
        text = app.text_input(key="tiny_lm_letters").value
        row = source_of("recall").vocabulary.encode(list(text))
        assert recall_targets(row).answerable[-1]
        seen.add(text)
    assert len(seen) == 3
    assert visits.shared(app)["tiny_lm_letters"] == text
    assert shown(step="copy", lock="letters").button(key="tiny_lm_put_row").disabled


@pytest.mark.parametrize("letters", ["a", "3", "33333", "abc", "a3", "a3c7", "a3a", "<b>a3</b>", "a3c7" * 20])
def test_any_row_is_taken(letters):
    for when in ("untrained", "trained"):
        reveal(visit(step="copy", letters=letters, when=when))


@each_model
def test_copying_is_shown_whatever_the_sidebar_names(label):
    app = shown(step="copy", model=label)
    assert app.text_input(key="tiny_lm_letters").value == "a3c7b1e4a"
    assert charts(app)[0].alt == charts(shown(step="copy"))[0].alt


# Names of heads


@each_model
@pytest.mark.parametrize("when", ["untrained", "trained"])
@pytest.mark.promise("tutorial 17")
def test_patterns_before_and_after_are_measured_over_many_texts(label, when):
    name = NAMES[label]
    length = MODELS[name].plan.config.max_len
    rows = source_of(MODELS[name].source).held_out(length).rows[: max(8, min(64, 2048 // length)), :-1]
    step = MODELS[name].stops[WHEN.index(when)]
    tables = [one for one in charts(shown(step="heads", model=label, when=when)) if one.alt.startswith("Apart from")]
    for one, at in zip(tables, (0, step), strict=True):
        found = heatmap(one)
        expected = np.stack([field.ravel() for field in patterns(model_at(name, at), rows)], axis=1)
        close(found.values[:-1], expected)
        close(found.values[-1], np.stack(uniform_patterns(model_at(name, at), rows)).ravel())
        assert found.rows[-1] == "even look"
        moved = one.data["moved"].to_numpy().reshape(found.values.shape)
        assert (moved[:-1] == (expected == expected.max(axis=0))).all()
        assert not moved[-1].any()


@pytest.mark.parametrize("pattern", ["before", "same", "first", "itself", "induction", "entropy"])
def test_the_best_head_of_a_pattern_is_drawn_on_the_prompt(pattern):
    app = shown(step="heads", model="letters and digits", pattern=pattern)
    place = ["before", "same", "first", "itself", "induction", "entropy"].index(pattern)
    rows = source_of("recall").held_out(32).rows[:, :-1]
    head = int(patterns(model_at("recall"), rows)[place].argmax())
    found = chart(app, "on the prompt:")
    assert found.alt.startswith(f"{head // 4 + 1}.{head % 4 + 1} on the prompt")
    close(heatmap(found).values, attention_weights(model_at("recall"), prompt_of("recall"))[head // 4, head % 4])


def test_names_follow_from_numbers():
    text = said(shown(step="heads", model="letters and digits"))
    assert re.search(r"1\.1\s*the token before", text)
    assert re.search(r"2\.4\s*what followed the same token earlier", text)
    text = said(shown(step="heads", when="untrained"))
    assert len(re.findall(r"head \dnothing that these measures know", text)) == 4


@pytest.mark.parametrize("label", ["small English", "it and the animal"])
def test_links_of_the_grammar_are_measured_before_and_after(label):
    name = NAMES[label]
    tables = [one for one in charts(shown(step="heads", model=label)) if one.alt.startswith("Most:")]
    for one, at in zip(tables, (0, MODELS[name].stops[-1]), strict=True):
        close(heatmap(one).values[:-1], np.stack([field.ravel() for field in link_weights(model_at(name, at))], axis=1))


def test_a_plan_that_draws_heads_to_what_is_near_is_told():
    assert "penalty on distance" in said(shown(step="heads", model="letters and digits"))
    assert "penalty on distance" not in said(shown(step="heads"))


# What to look at


@pytest.mark.parametrize(("step", "looks"), [("time", TIME_LOOKS), ("copy", COPY_LOOKS)])
def test_only_the_chosen_part_is_drawn_and_computed(step, looks):
    key = f"tiny_lm_{step}_look"
    app = shown(step=step)
    assert app.segmented_control(key=key).value == looks[0]
    seen = []
    for look in looks:
        set_to(app, **{key: look})
        app.session_state["tiny_lm_code"] = True
        calls = rerun(app).code[0].value
        app.session_state["tiny_lm_code"] = False
        seen.append((frozenset(one.alt for one in charts(app)), frozenset(re.findall(r"= (\w+)\(", calls))))
        assert visits.shared(app).get(key, looks[0]) == look
    assert all(not one & other for (one, _), (other, _) in combinations(seen, 2))
    assert len({calls for _, calls in seen}) == len(looks)
    assert shown(step=step, lock=f"{step}_look").segmented_control(key=key).disabled


def test_the_question_of_a_part_stands_before_that_part_alone():
    app = visit(step="copy")
    assert not charts(app)
    set_to(app, tiny_lm_copy_look="since when")
    assert charts(app)
    set_to(app, tiny_lm_copy_look="without a head")
    assert not charts(app)


# Questions


ASKED = (({"step": "time"}, "way"), (TWINS, "twin"), (WITHOUT, "off"), ({"step": "heads"}, "grown"))


@pytest.mark.parametrize(("view", "name"), ASKED, ids=[name for _, name in ASKED])
def test_a_question_stands_before_the_pictures(view, name):
    app = visit(**view)
    assert not charts(app)
    (radio,) = [radio for radio in app.radio if radio.key == f"tiny_lm_{name}_given"]
    verdicts = []
    for option in range(len(radio.options)):
        app = visit(**view)
        app.radio(key=f"tiny_lm_{name}_given").set_value(option)
        press(app, "Check")
        verdicts.append("✓ You predicted" in said(app))
        assert charts(app) or "Check" in [button.label for button in app.button]
    assert sum(verdicts) == 1


def test_where_little_changes_a_wrong_answer_is_told_so():
    app = visit(**TWINS, twin="no positions")
    field = app.radio(key="tiny_lm_twin_given")
    field.set_value(field.options.index("Its loss is lower, yet it writes worse"))
    assert "Neither changes by much. Loss 1.47 against 1.37" in said(press(app, "Check"))


def test_the_cell_that_copies_is_asked_for():
    app = visit(step="copy")
    assert not charts(app)
    app.selectbox(key="tiny_lm_copy_row").set_value(8)
    app.selectbox(key="tiny_lm_copy_column").set_value(1)
    press(app, "Check")
    assert "✓ Yes: row “a₉”, column “3”" in said(app)
    swapped = visit(step="copy")
    swapped.selectbox(key="tiny_lm_copy_row").set_value(1)
    swapped.selectbox(key="tiny_lm_copy_column").set_value(8)
    press(swapped, "Check")
    assert "swapped" in said(swapped)


def test_an_even_look_is_worked_out():
    app = visit(step="heads")
    press(app, "Just show me")
    right = np.mean([1 / n for n in range(2, 33)])
    app.number_input(key="tiny_lm_even_given").set_value(round(right, 2))
    press(app, "Check")
    assert "it is." in said(app)
    again = visit(step="heads")
    press(again, "Just show me")
    again.number_input(key="tiny_lm_even_given").set_value(0.03)
    press(again, "Check")
    assert "is what the last token gives it" in said(again)


@pytest.mark.promise("page 2")
def test_every_question_is_counted():
    (lesson,) = [lesson for lesson in LESSONS if lesson.name == "tiny_lm"]
    asked = {"way", "twin", "copy", "off", "grown", "even"}
    assert asked <= set(lesson.questions)
    apps = [reveal(visit(**view)) for view in VIEWS if view != SINCE]
    assert {key.removeprefix("tiny_lm_") for app in apps for key in app.session_state["answers"]} == asked


# Models of a student's own


def own(config, n_models, tokens, unit="word", prompt="", curve=None):
    models = tuple(init_model(config, seed) for seed in range(n_models))
    return Own(models, tuple(10 * i for i in range(n_models)), Vocabulary(tokens), unit, "x <b>y</b>", prompt, curve)


HOSTILE = ["<b>", "a", "{0}", "$x$", "the", "*z*"]
ENGLISH = source_of("english").vocabulary.tokens
LETTERS = source_of("recall").vocabulary.tokens
ODD = {
    "one token, one model": own(Config(6, 2, 1, 1, 1, d_ff=0), 1, HOSTILE),
    "two tokens": own(Config(6, 4, 2, 1, 2), 2, HOSTILE, prompt="<b> {0}"),
    "looks ahead": own(
        Config(6, 16, 8, 4, 40, norm="post", causal=False, positions="rope"), 7, HOSTILE, prompt="a the a"
    ),
    "recalls": own(Config(20, 8, 2, 3, 32, positions="alibi"), 3, LETTERS, "character", "a1b2a"),
    "recalls ahead": own(Config(20, 8, 1, 1, 48, causal=False), 5, LETTERS, "character", "a1b2a"),
    "knows the grammar": own(
        Config(113, 8, 2, 2, 24, positions="none"), 4, ENGLISH, "word", "the cat", curve_of("english")
    ),
}


def opened_with(model, **link):
    app = AppTest.from_file(ROOT / FILES["tiny_lm"], default_timeout=60)
    app._bidi_component_manager = components()
    app.session_state["tiny_lm_own"] = model
    app.query_params = {f"tiny_lm_{key}": value for key, value in {"model": OWN, **link}.items()}
    return rerun(app)


@each_view
@pytest.mark.parametrize("name", ODD)
def test_any_model_of_ones_own_is_shown(name, view):
    for when in ("untrained", "early", "trained"):
        app = opened_with(ODD[name], **view, when=when)
        reveal(app)
        assert charts(app) or "Twins were trained of" in said(app)
        assert not any("<b>y</b>" in block for block in html_of(app))


def test_an_own_model_is_measured_over_what_it_wrote_itself():
    model = ODD["looks ahead"]
    app = reveal(opened_with(model, step="heads"))
    rows = generate_rows(model.models[-1], 8, 24)
    after = heatmap([one for one in charts(app) if one.alt.startswith("Apart from")][1])
    close(after.values[:-1], np.stack([field.ravel() for field in patterns(model.models[-1], rows)], axis=1))
    assert "8 texts that the trained model wrote itself" in said(app)


def test_an_own_model_that_recalls_is_the_one_that_copies():
    model = ODD["recalls"].models[-1]
    app = reveal(opened_with(ODD["recalls"], **WITHOUT))
    values = chart(app, "All heads:").data["value"].to_numpy()
    close(values[1:7], accuracy_by_ablated_head(model, RECALL).ravel())
    other = reveal(opened_with(ODD["knows the grammar"], **WITHOUT))
    close(
        chart(other, "All heads:").data["value"].to_numpy()[1:9],
        accuracy_by_ablated_head(model_at("recall"), RECALL).ravel(),
    )


def test_an_own_curve_is_drawn_if_there_is_one():
    curve = curve_of("english")
    app = reveal(opened_with(ODD["knows the grammar"], step="time"))
    close(line(chart(app, "The loss on texts held out"), "held out")[1], curve.tested)
    assert "not written down" in said(reveal(opened_with(ODD["two tokens"], step="time")))


# Scripts, and what is kept


@each_view
@each_model
def test_the_script_prints_the_numbers_of_the_view(label, view, monkeypatch):
    made = {}

    def keep(recipe, *arguments):
        made["arrays"], made["script"] = recipe.arrays(), script(recipe, *arguments)

    monkeypatch.setattr(frame, "script", keep)
    monkeypatch.setattr(frame.Page, "download", lambda page, name, make, *rest: make() if name == "Script" else None)
    app = shown(**view, model=label)
    app.session_state["tiny_lm_keep"] = True
    rerun(app)
    seen = printed(run_bare(made["script"]))
    assert seen.keys() == made["arrays"].keys()
    for name, array in made["arrays"].items():
        np.testing.assert_allclose(seen[name], np.asarray(array, float), rtol=1e-6, atol=1e-6, err_msg=name)


def test_results_are_kept_as_long_as_their_model():
    calls = []

    def costly(model, rows, more=0):
        calls.append(more)
        return rows + more

    model = init_model(Config(3, 2, 1, 1, 4))
    first = kept(costly, model, np.arange(3), 1)
    assert kept(costly, model, np.arange(3), 1) is first
    assert not first.flags.writeable
    assert not is_kept(costly, model, np.arange(3), 1.0)  # another kind of number
    assert not is_kept(costly, model, np.arange(3.0), 1)
    for more in range(2, MOST + 2):
        kept(costly, model, np.arange(3), more)
    assert not is_kept(costly, model, np.arange(3), 1)
    assert calls == list(range(1, MOST + 2))
    assert model in KEPT
    assert all(np.arange(3).tobytes() not in asked[0] for asked in KEPT[model][costly])  # it may have been typed
    before = len(KEPT)
    del model
    assert len(KEPT) == before - 1


def test_baselines_are_the_same_for_everybody():
    assert baselines("recall") is baselines("recall")
