"""The memory and the products that all other modules share."""

import subprocess
import sys
from threading import Barrier, Thread, current_thread

import numpy as np
import pytest

from attention_core.arrays import column_sums, project, project_backward, row_sums
from attention_core.threads import in_threads
from tests.core.gradients import BATCHES, assert_gradient, drawer

T, D, F = 5, 3, 7


@pytest.mark.parametrize("batch", BATCHES)
def test_sums_and_products_take_any_batch_axes(batch):
    draw = drawer()
    x, w = draw(*batch, T, D), draw(D, F)
    np.testing.assert_allclose(row_sums(x), x.sum(axis=-1, keepdims=True))
    np.testing.assert_allclose(column_sums(x), x.reshape(-1, D).sum(axis=0))
    assert project(x, w).shape == (*batch, T, F)
    np.testing.assert_allclose(project(x, w), x @ w)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_of_any_size_are_finite_and_right_also_where_their_warnings_are_false(dtype):
    for size in (*range(1, 35), 64, 100):
        draw = drawer(dtype=dtype)
        x, w = draw(size, size), draw(size, size)
        for product in (project(x, w), x @ w, x.T @ w, x.dot(w)):
            assert np.isfinite(product).all()
        np.testing.assert_allclose(project(x, w), (x[:, :, None] * w).sum(axis=1), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("machine", "words", "is_warned"),
    [
        ("arm64", "divide by zero encountered in matmul", False),
        ("aarch64", "overflow encountered in dot", False),
        ("arm64", "divide by zero encountered in divide", True),
        ("x86_64", "divide by zero encountered in matmul", True),
    ],
)
def test_a_warning_of_a_product_is_ignored_on_the_processors_that_give_false_ones(machine, words, is_warned):
    code = f"import platform, warnings\nplatform.machine = lambda: {machine!r}\nimport attention_core\n"
    code += f"warnings.warn({words!r}, RuntimeWarning)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (words in done.stderr) is is_warned is (done.returncode != 0)


@pytest.mark.parametrize("batch", BATCHES)
def test_the_gradient_of_a_product_agrees_with_central_differences(batch):
    draw = drawer()
    x, w, b, dout = draw(*batch, T, D), draw(D, F), draw(F), draw(*batch, T, F)
    dx, dw, db = project_backward(dout, x, w, b)
    assert_gradient(lambda x: project(x, w), x, dout, dx)
    assert_gradient(lambda w: project(x, w), w, dout, dw)
    assert_gradient(lambda b: project(x, w, b), b, dout, db)


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
