"""Generation: how a token is chosen, and that the cache changes nothing but the work."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention_core as core
from attention_core.experiments.language.next_token import decisions
from attention_core.model.generate import choose
from tests.core.gradients import moved_model

V, D, H, L, M, F = 11, 12, 3, 2, 7, 13
POSITIONS = ["sinusoidal", "learned", "rope", "alibi", "none"]
SHARES = [0.15, 0.5, 0.05, 0.3]  # likeliest first: 1, 3, 0, 2; running sums .5, .8, .95, 1


def made(**kind):
    return moved_model(core.Config(V, D, H, L, M, **{"d_ff": F} | kind), np.float32)


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p", "drawn", "token", "n_kept"),
    [
        (1.0, None, None, 0.49, 1, 4),
        (1.0, None, None, 0.51, 3, 4),
        (0.5, None, None, 0.68, 1, 4),  # squares .25 .09 .0225 .0025, of .365 together: sums .685, .932, .993, 1
        (0.5, None, None, 0.69, 3, 4),
        (1.0, 2, None, 0.62, 1, 2),  # 5/8 and 3/8
        (1.0, 2, None, 0.63, 3, 2),
        (1.0, 99, None, 0.96, 2, 4),
        (1.0, None, 0.85, 0.83, 3, 3),  # 10/19, 6/19 and 3/19: sums .526, .842, 1
        (1.0, None, 0.85, 0.85, 0, 3),
        (1.0, 3, 0.82, 0.9999, 3, 2),  # of three, two reach .842; of all four they would reach .8 only
        (0.0, 3, 0.9, 0.9999, 1, 1),
    ],
)
def test_choices_worked_by_hand(temperature, top_k, top_p, drawn, token, n_kept):
    choice = choose(np.log(SHARES), temperature, top_k, top_p, drawn, n_computed=5)
    assert choice.token == token
    assert choice.n_kept == n_kept
    assert choice.order.tolist() == [1, 3, 0, 2]
    assert choice.drawn == (None if temperature == 0 else drawn)
    assert choice.n_computed == 5
    kept = np.isin(range(4), [1, 3, 0, 2][:n_kept]) * np.array(SHARES) ** (1 / (temperature or 1))
    np.testing.assert_allclose(choice.probabilities, kept / kept.sum())


@given(
    logits=st.lists(st.floats(-30, 30), min_size=1, max_size=13).map(np.array),
    temperature=st.floats(0.05, 20),
    top_k=st.none() | st.integers(1, 17),
    top_p=st.none() | st.floats(0, 1, exclude_min=True),
    drawn=st.floats(0, 1, exclude_max=True),
)
def test_every_choice_is_drawn_from_shares_of_the_likeliest(logits, temperature, top_k, top_p, drawn):
    choice = choose(logits, temperature, top_k, top_p, drawn, 1)
    shares, order = choice.probabilities, choice.order
    assert shares.sum() == pytest.approx(1, rel=1e-12)
    assert not shares[order[choice.n_kept :]].any()
    assert 1 <= choice.n_kept <= min(top_k or 17, len(logits))
    assert sorted(order) == list(range(len(logits)))
    assert np.all(np.diff(choice.scaled[order]) <= 0)
    np.testing.assert_allclose(choice.scaled, logits / temperature)
    rank = order.tolist().index(choice.token)
    assert rank < choice.n_kept
    assert shares[order[:rank]].sum() <= drawn + 1e-12
    assert shares[order[: rank + 1]].sum() >= drawn - 1e-12
    if top_p is not None:  # one token fewer would not have been enough
        kept = shares[order[: choice.n_kept - 1]].sum() * core.softmax(choice.scaled)[order[: choice.n_kept]].sum()
        among = core.softmax(choice.scaled)[order[:top_k]].sum()
        assert kept / among < top_p + 1e-12


@pytest.mark.parametrize("kind", [{}, {"norm": "post", "activation": "relu"}, {"causal": False}, {"d_ff": 0}], ids=str)
@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("length", [1, 3, M - 1, M, M + 6])
def test_the_cache_changes_no_token_within_max_len_nor_past_it(positions, kind, length):
    model, prompt = made(positions=positions, **kind), np.random.default_rng(length).integers(V, size=length)
    for seed, temperature in enumerate([0.0, 0.7, 1.5]):
        on, off = (core.generate(model, prompt, 13, temperature, seed=seed, cache=cache) for cache in (True, False))
        assert on == off
        assert len(on) == 13


@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize("causal", [True, False])
def test_each_record_holds_the_logits_of_its_own_context(cache, causal):
    model, context = made(causal=causal), [3, 1, 4]
    for choice in core.choices(model, context, 9, temperature=0.8, top_k=5, top_p=0.9, cache=cache):
        np.testing.assert_allclose(choice.logits, core.logits(model, context[-M:])[-1], rtol=1e-4, atol=1e-4)
        expected = choose(choice.logits, 0.8, 5, 0.9, choice.drawn, choice.n_computed)
        assert choice.token == expected.token
        assert np.array_equal(choice.probabilities, expected.probabilities)
        assert 0 <= choice.drawn < 1
        context.append(choice.token)
    assert context[3:] == core.generate(model, [3, 1, 4], 9, 0.8, 5, 0.9, cache=cache)


def test_with_the_cache_one_position_is_computed_for_each_token_while_the_context_fits():
    work = {cache: [c.n_computed for c in core.choices(made(), [3, 1, 4], 8, cache=cache)] for cache in (True, False)}
    assert work[True] == [3, 1, 1, 1, 1, 7, 7, 7]  # contexts of 3 to 10 tokens, of which 7 fit
    assert work[False] == [3, 4, 5, 6, 7, 7, 7, 7]
    looks_ahead = core.choices(made(causal=False), [3, 1, 4], 8)
    assert [c.n_computed for c in looks_ahead] == work[False]


def test_a_seed_decides_the_tokens():
    first, again, other = (core.generate(made(), [3], 17, temperature=2.0, seed=seed) for seed in (5, 5, 6))
    assert first == again
    assert first != other
    assert {type(token) for token in first} == {int}


def test_only_the_last_max_len_tokens_of_a_prompt_count():
    model, prompt = made(), np.random.default_rng(0).integers(V, size=M + 13)
    assert core.generate(model, prompt, 9) == core.generate(model, prompt[-M:], 9)


@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize(
    "settings",
    [{}, {"temperature": 0.0}, {"temperature": 0.7, "top_k": 5, "top_p": 0.9}, {"top_k": 1}, {"temperature": 1e-300}],
    ids=str,
)
def test_decisions_are_the_choices_row_by_row(settings, cache):
    model, prompt = made(), [3, 1, 4]
    table = decisions(model, prompt, 9, seed=5, cache=cache, **settings)
    found = list(core.choices(model, prompt, 9, seed=5, cache=cache, **settings))
    assert table.logits.shape == table.bets.shape == table.probabilities.shape == (9, V)
    assert len(found) == 9
    for row, choice in enumerate(found):
        assert table.tokens[row] == choice.token
        assert table.n_kept[row] == choice.n_kept
        assert table.n_computed[row] == choice.n_computed
        np.testing.assert_array_equal(table.logits[row], choice.logits)
        np.testing.assert_array_equal(table.probabilities[row], choice.probabilities)
        np.testing.assert_allclose(table.bets[row], core.softmax(choice.logits), rtol=1e-6)
        np.testing.assert_array_equal(table.drawn[row], np.nan if choice.drawn is None else choice.drawn)
    assert table.tokens.tolist() == core.generate(model, prompt, 9, seed=5, cache=cache, **settings)
