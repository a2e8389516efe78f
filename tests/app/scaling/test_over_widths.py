"""What three steps show over d_k: its trials run in turns, its divisor is a word of the link."""

import threading

import pytest

from attention_core.experiments.scaling.random_scores import blocks
from pages.scaling import over_widths as lines
from tests.app.scaling.scene import SEED
from tests.app.visits import rerun, said, visit


def test_pages_that_run_many_trials_do_so_one_after_the_other(monkeypatch):
    said, ready = [], threading.Event()
    monkeypatch.setattr(lines, "PATIENCE", 0.0)
    monkeypatch.setattr(lines, "say_place", lambda _, ahead: said.append(ahead))
    trials = threading.Thread(target=lambda: (lines.prepare((1, 2), 2, 300, SEED + 1), ready.set()))
    with lines.LINE.turn():
        trials.start()
        while not said:
            assert trials.is_alive()
            trials.join(0.01)
        assert not ready.wait(0.1)
    assert ready.wait(60)
    assert set(said) == {1}
    assert not lines.LINE.waiting


def test_who_goes_on_while_waiting_gives_up_the_place(monkeypatch):
    def stop(_, ahead):
        raise StopAsyncIteration  # as a run that is to stop

    monkeypatch.setattr(lines, "PATIENCE", 0.0)
    monkeypatch.setattr(lines, "say_place", stop)
    with lines.LINE.turn():
        with pytest.raises(StopAsyncIteration):
            lines.prepare((1, 2), 2, 300, SEED + 2)
        assert len(lines.LINE.waiting) == 1


def test_trials_let_pages_pass_after_each_part(monkeypatch):
    passed = []
    monkeypatch.setattr(lines.LongWork, "give_way", lambda work: passed.append(work))
    lines.prepare((1, 2), 2, 300, SEED + 3)
    assert len(passed) == 2 * len(blocks(300)) > 2


def test_a_divisor_has_its_index_where_it_is_read_and_its_old_word_in_the_link():
    app = visit("scaling", step="spread", ask="no", spread_divide="√d_k", lock="spread_d_k")
    assert "Set by your teacher: Key width dₖ." in said(app)
    (row,) = [one for one in app.segmented_control if one.key == "_scaling_spread_divide_label"]
    assert (row.options, row.value) == (["none", "√dₖ", "dₖ"], "√d_k")
    rerun(row.set_value("d_k"))
    assert app.query_params["scaling_spread_divide"] == "d_k"
    assert " d_k" not in said(app)
