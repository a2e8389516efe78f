"""heads: what every head does over many texts, untrained and trained, and its name."""

import re
from functools import partial

import numpy as np
import pytest

from attention_core.experiments.inside.head_patterns import generate_rows, patterns, uniform_patterns
from attention_core.experiments.language.story_links import linked_stories, story_link_weights
from attention_core.experiments.multi_head.english_heads import link_weights, uniform_link_weights
from attention_core.model.config import Config
from attention_core.model.forward import attention_weights
from attention_core.model.parameters import init_model
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import source_of
from pages.look.html import number
from pages.tiny_lm.heads.over_texts import UNIFORM
from pages.tiny_lm.heads_view import LONG, SHORT
from pages.tiny_lm.model_in_view import NAMES, WHEN, Own, stops_of
from tests.app.own_models import visit_own
from tests.app.steps import step
from tests.app.tiny_lm.models import (
    assert_script_prints_the_numbers,
    close,
    each_kind,
    each_model,
    in_view,
    named,
    odd,
    step_with,
)
from tests.app.visits import charts, heatmap, html_of, said
from tests.tiers import first

show = partial(step, "tiny_lm", "heads")


def rows_of(name):
    """Return the rows over which the heads of a model that ships are measured."""
    length = MODELS[name].plan.config.max_len
    return source_of(MODELS[name].source).held_out(length).rows[: max(8, min(64, 2048 // length)), :-1]


@each_model
@pytest.mark.parametrize("when", ["untrained", "trained"])
@pytest.mark.promise("tutorial 17")
def test_patterns_before_and_after_are_measured_over_many_texts(label, when):
    name = NAMES[label]
    at, rows = stops_of(name)[WHEN.index(when)], rows_of(name)
    maps = [one for one in charts(show(model=label, when=when)) if one.alt.startswith("Largest apart from")]
    for one, moment in zip(maps, (0, at), strict=True):
        found = heatmap(one)
        expected = np.stack([field.ravel() for field in patterns(model_at(name, moment), rows)], axis=1)
        close(found.values[:-1], expected)
        close(found.values[-1], np.stack(uniform_patterns(model_at(name, moment), rows)).ravel())
        assert found.rows[-1] == UNIFORM
        moved = one.data["moved"].to_numpy().reshape(found.values.shape)
        assert (moved[:-1] == (expected == expected.max(axis=0))).all()
        assert not moved[-1].any()


@pytest.mark.parametrize("pattern", first(2, SHORT.values()))
def test_the_best_head_of_a_pattern_is_drawn_on_the_prompt(pattern):
    place = list(SHORT.values()).index(pattern)
    head = int(patterns(model_at("recall"), rows_of("recall"))[place].argmax())
    found = named(show(model="Copy task", pattern=pattern), f"Head {head // 4 + 1}.{head % 4 + 1} on the prompt")
    model, _, tokens, _, _ = in_view("Copy task")
    close(heatmap(found).values, attention_weights(model, tokens)[head // 4, head % 4])


def test_names_follow_from_numbers():
    text = said(show(model="Copy task"))
    assert re.search(rf"1\.1\s*{LONG['previous']}", text)
    assert re.search(rf"2\.4\s*{LONG['induction']}", text)
    assert len(re.findall(r"head \dnone of these patterns", said(show(when="untrained")))) == 4


@pytest.mark.parametrize("label", ["Toy English", "Pronouns"])
def test_links_of_the_grammar_are_measured_before_and_after(label):
    name = NAMES[label]
    maps = [one for one in charts(show(model=label)) if one.alt.startswith("Largest:")]
    for one, at in zip(maps, (0, MODELS[name].stops[-1]), strict=True):
        close(heatmap(one).values[:-1], np.stack([field.ravel() for field in link_weights(model_at(name, at))], axis=1))


def test_heads_are_named_by_the_links_that_they_score_on():
    text = said(show())
    for head, link in ((1, "from the verb to its animal"), (2, "from is or are to the noun"), (3, "no clear link")):
        assert re.search(rf"head {head}\s*{link}", text)
    found, even = link_weights(model_at("english")), uniform_link_weights()
    now, base = number(float(found.pronoun[0, 3])), number(float(even.pronoun[0, 0]))
    row = rf"head 4\s*from it or they to the noun\s*{now}\s*{base}\s*{number(float(now) - float(base))}"
    assert re.search(row, text)
    assert len(re.findall(r"head \dno clear link", said(show(when="untrained")))) == 4
    assert "clear link" not in said(show(model="Copy task"))


def test_heads_of_the_stories_are_named_by_their_links_and_what_is_not_learned_is_said():
    app = show(model="Small Stories")
    told, text = linked_stories(20, 256), said(app)
    found = story_link_weights(model_at("stories"), told)
    _, drawn = [one for one in charts(app) if one.alt.startswith("Largest:")]
    close(heatmap(drawn).values[:-1], np.stack([field.ravel() for field in found], axis=1))
    assert re.search(rf"2\.4\s*before a colour, to its mentions\s*{found.colour[1, 3]:.2f}", text)
    assert re.search(r"the other 11\s*no clear link", text)
    assert "It was there before training." in text


def test_a_plan_that_draws_heads_to_what_is_near_is_told():
    assert "have a penalty on distance" in said(show(model="Copy task"))
    assert "have a penalty on distance" not in said(show())


def test_the_pattern_that_grew_most_is_predicted_before_the_maps():
    asked = show(unanswered="all")
    assert (asked.ready, charts(asked)) == (False, [])
    question = asked.question("grown")
    gained = {
        field: getattr(patterns(model_at("english"), rows_of("english")), field).max()
        - getattr(patterns(model_at("english", 0), rows_of("english")), field).max()
        for field in LONG
        if field != "spread"
    }
    assert [question.options[option] for option in question.right] == [LONG[max(gained, key=gained.get)]]


def test_uniform_attention_is_worked_out_before_the_names():
    asked = show(unanswered=("even",))
    assert asked.ready
    assert len(charts(asked)) == 2
    question = asked.question("even")
    assert question.right == pytest.approx(np.mean([1 / n for n in range(2, 33)]))
    assert [mistake.value for mistake in question.mistakes] == [1 / 32]
    assert not question.judge(1 / 32).right
    assert question.mistakes[0].text in question.judge(1 / 32).text


@each_kind
def test_any_model_of_ones_own_is_shown(kind):
    for when in ("untrained", "trained"):
        seen = step_with(odd(kind), "heads", when=when)
        assert charts(seen)
        assert "<b>zq</b>" not in " ".join(html_of(seen))


def test_an_own_model_is_measured_over_what_it_wrote_itself():
    own = odd("four layers of eight", n_models=3)
    seen = step_with(own, "heads")
    rows = generate_rows(own.models[-1], 8, 24)
    after = heatmap([one for one in charts(seen) if one.alt.startswith("Largest apart from")][1])
    close(after.values[:-1], np.stack([field.ravel() for field in patterns(own.models[-1], rows)], axis=1))
    assert "8 texts that your model generated" in said(seen)


def test_an_own_model_of_the_small_english_is_measured_along_its_links():
    models = tuple(init_model(Config(113, 8, 2, 2, 24, positions="none"), seed) for seed in range(2))
    own = Own(models, (0, 9), source_of("english").vocabulary, "word", "zq", "the cat")
    maps = [one for one in charts(step_with(own, "heads")) if one.alt.startswith("Largest:")]
    assert len(maps) == 2
    close(heatmap(maps[1]).values[:-1], np.stack([field.ravel() for field in link_weights(models[-1])], axis=1))


@pytest.mark.parametrize("label", first(1, NAMES))
def test_the_script_prints_the_numbers_of_the_view(label):
    assert_script_prints_the_numbers(show(model=label))


def test_a_model_from_a_file_has_no_steps_and_no_untrained_self():
    own = Own(odd("alibi, dropout").models[-1:], (1,), odd("alibi, dropout").vocabulary, "word", "", "a", brought=True)
    seen = step_with(own, "heads")
    assert len([one for one in charts(seen) if one.alt.startswith("Largest apart from")]) == 1
    assert "grown" not in [question.name for question in seen.page.asked]
    heads = [heading.value for heading in visit_own(own, step="heads").subheader]
    assert "The model of your file" in heads
    assert not [heading for heading in heads if heading.startswith("Step")]


def test_what_is_above_uniform_can_be_subtracted_by_hand():
    (table,) = [block for block in html_of(show()) if "attends most clearly to" in block]
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", table)[1:]
    cells = [[float(cell) for cell in re.findall(r">(\d\.\d\d)<", row)] for row in rows]
    named_heads = [row for row in cells if len(row) == 4]
    assert named_heads
    for now, _, base, above in named_heads:
        assert above == pytest.approx(now - base, abs=1e-9)
