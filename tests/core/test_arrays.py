"""The memory and the products that all other modules share."""

import sys
from threading import Barrier, Thread, current_thread

import numpy as np
import pytest

from attention_core.arrays import column_sums, project, project_backward, row_sums
from attention_core.checks import floats
from attention_core.threads import in_threads
from tests.core.gradients import BATCHES, assert_all_float32, assert_gradient, drawer

T, D, F = 5, 3, 7


def test_a_product_and_its_gradient_worked_by_hand():
    x, w = np.array([[1.0, 2]]), np.array([[3.0, 5], [7, 11]])
    np.testing.assert_array_equal(project(x, w), [[17, 27]])
    dx, dw = project_backward(np.array([[1.0, 10]]), x, w)
    np.testing.assert_array_equal(dx, [[53, 117]])
    np.testing.assert_array_equal(dw, [[1, 10], [2, 20]])


@pytest.mark.parametrize("batch", BATCHES)
def test_sums_and_products_take_any_batch_axes(batch):
    draw = drawer()
    x, w = draw(*batch, T, D), draw(D, F)
    np.testing.assert_allclose(row_sums(x), x.sum(axis=-1, keepdims=True))
    np.testing.assert_allclose(column_sums(x), x.reshape(-1, D).sum(axis=0))
    assert project(x, w).shape == (*batch, T, F)
    np.testing.assert_allclose(project(x, w), x @ w)


@pytest.mark.parametrize("batch", BATCHES)
def test_the_gradient_of_a_product_agrees_with_central_differences(batch):
    draw = drawer()
    x, w, dout = draw(*batch, T, D), draw(D, F), draw(*batch, T, F)
    dx, dw = project_backward(dout, x, w)
    assert_gradient(lambda x: project(x, w), x, dout, dx)
    assert_gradient(lambda w: project(x, w), w, dout, dw)


def test_float32_stays_float32():
    draw = drawer(dtype=np.float32)
    x, w, dout = draw(2, T, D), draw(D, F), draw(2, T, F)
    assert_all_float32(row_sums(x), column_sums(x), project(x, w), project_backward(dout, x, w), floats("x", x))


def test_every_worker_runs_once_and_all_at_the_same_time():
    meet = Barrier(3, timeout=30)  # which nobody passes alone
    seen = {}

    def run(worker):
        meet.wait()
        seen[worker] = current_thread()

    in_threads(run, 3)
    assert sorted(seen) == [0, 1, 2]
    assert seen[0] is current_thread()
    assert len(set(seen.values())) == 3


@pytest.mark.parametrize("unlucky", [0, 1, 2])
def test_a_failure_in_any_thread_is_raised_after_all_have_ended(unlucky):
    ended = []

    def run(worker):
        if worker == unlucky:
            raise KeyError(worker)
        ended.append(worker)

    with pytest.raises(KeyError, match=str(unlucky)):
        in_threads(run, 3)
    assert sorted(ended) == sorted({0, 1, 2} - {unlucky})


@pytest.fixture
def _no_threads(monkeypatch):
    monkeypatch.setattr(sys, "platform", "emscripten")
    monkeypatch.delattr(Thread, "start")


@pytest.mark.usefixtures("_no_threads")
def test_where_no_thread_can_be_started_every_worker_runs_all_the_same():
    seen = []

    def run(worker):
        seen.append((worker, current_thread()))
        if worker == 1:
            raise KeyError(worker)

    with pytest.raises(KeyError, match="1"):
        in_threads(run, 3)
    assert seen == [(worker, current_thread()) for worker in range(3)]
