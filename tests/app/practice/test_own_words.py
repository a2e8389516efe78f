"""A student's code runs on the student's own words, and draws what it finds."""

import numpy as np
import pytest

from attention_core.experiments.multi_head.english_heads import grammar_model
from attention_core.model.forward import logits
from attention_core.model.generate import choose
from attention_core.text.word_vectors import word_vectors
from pages.exercises.catalogue import EXERCISES
from pages.exercises.continuation import N_NEW, SEED, TEMPERATURE, TOP_K, write_on
from tests.app.practice.exercising import at, solve, typed
from tests.app.visits import charts, heatmap, press, said
from tests.tiers import first


def test_the_practice_exercise_draws_every_head_of_a_students_words():
    app = at("causal_mask", "multi_head", own_words="one two three", own_heads="4")
    solve(app, "multi_head")
    heads = [shown for shown in charts(app) if set(shown.data.columns) == {"query", "key", "weight", "i", "j"}]
    own = [shown for shown in heads if "your code returned" in shown.alt]
    assert len(own) == 4
    for shown in own:
        weights = shown.data.pivot_table(index="i", columns="j", values="weight").to_numpy()
        assert weights.shape == (3, 3)
        assert abs(weights.sum(axis=1) - 1).max() < 1e-9


@pytest.mark.parametrize(
    "name",
    [
        *("attention_weights", "kv_cache", "causal_mask"),
        *first(0, ("attention", "softmax", "scores", "causal_attention", "rope", "induction_head")),
    ],
)
def test_a_students_function_draws_its_map_of_the_students_own_sentence(name):
    exercise = EXERCISES[name]
    words = "the cat saw a dog and it slept"
    app = solve(at(exercise.lesson, name, own_words=words), name)
    own = exercise.own(words.split(), 8, 2)
    shown = heatmap(charts(app)[-1])
    assert shown.rows == [*own.rows]
    assert shown.columns == [*own.columns] or not own.columns
    assert own.axes in ((), tuple(charts(app)[-1].data.columns[:3]))  # a mask is not called weights
    assert (own.told or "?") in said(app)  # whose numbers these are
    right = exercise.reference(*own.arguments)
    right = right[1] if isinstance(right, tuple) else right
    np.testing.assert_allclose(shown.values, np.asarray(right, dtype=float).reshape(shown.values.shape), atol=1e-9)


def test_the_loss_of_ones_own_words_is_said():
    words = ["the", "cat", "saw", "a", "dog"]
    app = solve(at("tiny_lm", "cross_entropy", step="loss", own_words=" ".join(words)), "cross_entropy")
    model, vocabulary = grammar_model()
    ids = vocabulary.encode(words)
    rows = logits(model, ids[:-1]).astype(float)
    loss = np.mean(np.log(np.exp(rows).sum(axis=-1)) - rows[np.arange(4), ids[1:]])
    assert f"Your function returned {loss:.4f}." in said(app)


@pytest.mark.parametrize("name", ["split_heads", "join_heads"])
def test_the_vectors_of_ones_own_words_are_split_and_joined(name):
    app = solve(at("multi_head", name, own_words="one two three", own_width="12", own_heads="3"), name)
    whole = word_vectors(["one", "two", "three"], 12, 0)
    maps = [heatmap(shown) for shown in charts(app) if "i" in shown.data.columns]
    drawn = [shown for shown in maps if shown.rows == ["one", "two", "three"]]
    pieces = [whole] if name == "join_heads" else [whole[:, start : start + 4] for start in (0, 4, 8)]
    for shown, piece in zip(drawn, pieces, strict=True):
        np.testing.assert_allclose(shown.values, piece, atol=1e-9)
        assert ("counted from 0" in said(app), shown.columns[0]) == (name == "split_heads", "0")


def test_a_model_writes_with_a_students_own_sampler():
    app = at("tiny_lm", "next_token", own_words="the cat saw")
    typed(app, "next_token", "def next_token(logits, temperature, top_k, u):\n    return np.argmax(logits)\n")
    assert "writes with your code" not in said(press(app, "Run"))
    solve(app, "next_token")
    written = app.session_state["exercises"]["next_token"].wrote
    model, vocabulary = grammar_model()
    tokens, rng = list(vocabulary.encode(["the", "cat", "saw"])), np.random.default_rng(SEED)
    for word in written.new:
        last = logits(model, np.array(tokens))[-1].astype(float)
        token = choose(last, TEMPERATURE, TOP_K, None, float(rng.random()), 0).token
        assert vocabulary.decode([token]) == [word]
        tokens.append(token)
    assert len(written.new) == N_NEW
    assert " ".join(written.new) in said(app)


def test_what_a_sampler_returns_outside_of_the_vocabulary_ends_the_text():
    for returned in ("-1", "len(logits)", "0.5", "float('nan')", "None", "'a'", "np.zeros(3)"):
        source = f"import numpy as np\ndef next_token(logits, *_):\n    return {returned}\n"
        assert write_on(source, "next_token", ["the", "cat"]) is None, returned


def test_widths_that_heads_do_not_divide_are_said_and_run_all_the_same():
    app = at("causal_mask", "multi_head", own_heads="3")
    solve(app, "multi_head")
    assert "is no multiple of 3 heads" in said(app)
    assert "All tests pass" in said(app)
