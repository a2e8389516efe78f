"""Training: it learns, it repeats itself exactly, and it can be stopped and taken up again at any record."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention_core as core
from attention_core.model.train import PART, sample_rows

V, M, N = 11, 7, 97
CONFIG = {"vocab_size": V, "d_model": 12, "n_heads": 3, "n_layers": 2, "max_len": M, "d_ff": 13, "positions": "learned"}
TEXT = np.random.default_rng(0).integers(V, size=N)
SOME_ROWS = np.random.default_rng(1).integers(V, size=(17, 6))


def made(dtype=np.float32, **kind):
    return core.init_model(core.Config(**CONFIG | kind), dtype=dtype)


def fresh_rows(rng):
    return rng.integers(V, size=(5, 4))


def fresh_batch(rng):
    return core.Batch(rng.integers(V, size=(5, 4)), rng.random((5, 3)) < 0.5)


def many_rows(rng):
    """Draw more rows than are computed at a time, so that the batch falls into three parts of 204 rows at most."""
    return rng.integers(V, size=(499, 6))


SOURCES = {"text": TEXT, "rows": SOME_ROWS, "task": fresh_rows, "counted task": fresh_batch, "many parts": many_rows}
any_source = pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
any_dropout = pytest.mark.parametrize("dropout", [0.0, 0.25])


def test_five_losses_that_were_written_down():
    records = list(core.train(made(), TEXT, 5, batch_size=5, learning_rate=0.01))
    losses, norms = [r.loss for r in records], [r.gradient_norm for r in records]
    assert losses == pytest.approx([2.8860429, 2.5320332, 2.7134468, 2.5223777, 2.5448756], rel=1e-5)
    assert norms == pytest.approx([2.0313635, 1.4335211, 1.6647597, 1.6529812, 1.4170734], rel=1e-5)
    assert [r.step for r in records] == [1, 2, 3, 4, 5]


def test_only_targets_that_count_are_learned():
    model, rows = made(np.float64), fresh_rows(np.random.default_rng(0))
    counted = np.array([[True, False, True]] + 4 * [[False] * 3])
    share = np.exp(core.logits(model, rows[0, :-1]))
    share /= share.sum(axis=-1, keepdims=True)
    record = next(core.train(model, lambda rng: core.Batch(rows, counted), 1))
    assert record.loss == pytest.approx(-np.log(share[[0, 2], rows[0, [1, 3]]]).mean(), rel=1e-12)


def test_the_rate_warms_up_for_a_twentieth_of_the_steps_unless_it_is_said():
    rates = [record.learning_rate for record in core.train(made(), TEXT, 40, learning_rate=0.01)]
    assert rates[:2] == [0.005, 0.01]
    assert rates[-1] == pytest.approx(0.001)
    rates = [record.learning_rate for record in core.train(made(), TEXT, 10, learning_rate=0.01, warmup=5)]
    assert rates[:5] == pytest.approx([0.002, 0.004, 0.006, 0.008, 0.01])


@pytest.mark.parametrize(("clip", "kept"), [(0.1, 0.1), (1e6, None)])
def test_clipping_shortens_a_gradient_that_is_too_long(clip, kept):
    model, state = made(), core.AdamW.of(made())
    record = next(core.train(model, TEXT, 3, clip=clip, optimizer=state))
    assert record.gradient_norm > 1
    assert np.linalg.norm(state.mean) == pytest.approx(0.1 * (kept or record.gradient_norm), rel=1e-5)


@pytest.mark.parametrize("beta2", [0.95, 0.999])
def test_the_mean_squared_gradient_keeps_what_beta2_says(beta2):
    model, state = made(np.float64), core.AdamW.of(made(np.float64))
    (record,) = islice(core.train(model, TEXT, 3, clip=1e6, beta2=beta2, optimizer=state), 1)
    assert state.square.sum() == pytest.approx((1 - beta2) * record.gradient_norm**2, rel=1e-9)


@given(length=st.integers(1, 30), seed=st.integers(0, 2**32 - 1))
def test_a_batch_from_a_text_is_windows_of_it(length, seed):
    text = np.arange(31)
    rows, counted = sample_rows(text, 13, length, np.random.default_rng(seed))
    assert rows.shape == (13, length + 1)
    assert np.array_equal(rows, rows[:, :1] + np.arange(length + 1))
    assert counted is None


def losses_and_model(source, seed=0, workers=1, **kind):
    model = made(**kind)
    return [record.loss for record in core.train(model, source, 4, seed=seed, workers=workers)], model.flat


@any_source
@any_dropout
def test_a_seed_decides_everything(source, dropout):
    losses, flat = losses_and_model(source, dropout=dropout)
    again, same = losses_and_model(source, dropout=dropout)
    other, _ = losses_and_model(source, seed=1, dropout=dropout)
    assert losses == again
    assert np.array_equal(flat, same)
    assert losses[0] != other[0]


@any_source
@any_dropout
def test_the_numbers_do_not_depend_on_how_many_threads_share_the_work(source, dropout):
    losses, flat = losses_and_model(source, dropout=dropout)
    for workers in (2, 3, 7):
        shared, same = losses_and_model(source, dropout=dropout, workers=workers)
        assert losses == shared
        assert np.array_equal(flat, same)


def test_a_large_batch_computed_in_parts_has_the_gradient_of_the_whole():
    rows = many_rows(np.random.default_rng(0))
    assert rows[:, 1:].size > 2 * PART
    model, state = made(np.float64), core.AdamW.of(made(np.float64))
    loss, gradients = core.loss_and_gradients(model, rows[:, :-1], rows[:, 1:])
    record = next(core.train(model, lambda rng: rows, 1, clip=1e9, optimizer=state))
    assert record.loss == pytest.approx(loss, rel=1e-12)
    for name, mean in core.named_arrays(core.Model.of(model.config, state.mean)).items():
        np.testing.assert_allclose(mean, 0.1 * gradients[name], atol=1e-12, err_msg=name)


def test_a_run_that_is_closed_leaves_a_model_at_work():
    model, state = made(), core.AdamW.of(made())
    records = core.train(model, TEXT, 50, optimizer=state)
    for _ in range(3):
        last = next(records)
    before = model.flat.copy()
    records.close()
    assert next(records, None) is None
    assert np.array_equal(model.flat, before)
    assert state.step == last.step == 3
    assert all(np.shares_memory(array, model.flat) for array in core.named_arrays(model).values())
    assert len(core.generate(model, [1], 3)) == 3
