"""What the page remarks about a run: each condition, met and not met."""

from dataclasses import replace

import numpy as np
import pytest

from attention_core.model.parameters import init_model
from attention_core.shipped.plans import PRONOUN, RECALL
from attention_core.shipped.runs import Record
from attention_core.text.corpora import overlap, own_text
from pages.look.html import number
from pages.tiny_lm.train.findings import Finding
from pages.tiny_lm.train.form import USUAL_TEXT
from pages.tiny_lm.train.remarks import remarks
from tests.app.tiny_lm.runs import SMALL, SOURCE

LN10 = float(np.log(10))


def said(learned, tested, plan=SMALL, source=SOURCE, accuracy=0.1, again=0.0):
    """Return the remarks on a run with these losses, a record every ten steps."""
    rows = [Record(10 * i + 1, a, b, 1.0) for i, (a, b) in enumerate(zip(learned, tested, strict=True))]
    return list(remarks(plan, source, rows, Finding("", accuracy), init_model(plan.config, 0), again))


def test_a_run_that_goes_well_has_no_remark():
    assert said([5.0, 2.0, 0.1], [5.0, 2.1, 0.2]) == []
    assert said([], []) == []


def test_losses_that_jump_up_again_blame_the_learning_rate():
    (found,) = said([5.0, 3.5, 5.25, 4.0], [5.0, 3.0, 7.125, 4.0], SMALL._replace(learning_rate=1.0))
    assert "at step 21 the validation loss rose from 3.00 to 7.12" in found
    assert "learning rate of 1 " in found
    assert said([5.0, 3.5, 5.25, 4.0], [5.0, 4.0, 4.5, 4.0]) == []
    assert said([5.0, 6.5, 4.0], [5.0, 5.5, 4.0]) == []


def test_a_low_loss_without_a_mask_is_told_from_what_the_model_can_write():
    plan = SMALL._replace(config=replace(SMALL.config, causal=False))
    (found,) = said([5.0, 0.1], [5.0, 0.1], plan, accuracy=1.0)
    assert "Without a mask" in found
    assert number(1.0) in found
    assert said([5.0, 0.1], [5.0, 0.1], plan, accuracy=0.1) == []
    assert said([5.0, 0.1], [5.0, 0.1], SMALL, accuracy=1.0) == []


def test_memory_is_named_when_the_validation_loss_rises_again():
    (found,) = said([4.0, 2.0, 0.25], [4.0, 2.75, 3.5])
    assert "lowest at step 11, 2.75, and is now 3.50" in found
    assert "fell to 0.25" in found
    assert said([4.0, 2.0, 0.25], [4.0, 2.75, 2.9]) == []


def test_a_validation_text_that_was_learned_is_named():
    text = "how much wood would a woodchuck chuck if a woodchuck could chuck wood? " * 12
    again = overlap(text, "character")
    assert again == 1.0
    (found,) = said([3.0, 0.1], [3.0, 0.1], again=again)
    assert "100 % of the validation text" in found
    assert overlap(USUAL_TEXT, "character") < 0.1
    assert overlap(USUAL_TEXT, "word") == 0.0
    assert own_text(USUAL_TEXT, "word").held_out(64).rows.shape[1] > 12


@pytest.mark.parametrize(
    ("tested", "words"),
    [
        ([3.0, 2.25, 2.0, 1.75, 1.5, 0.125], "from 2.25 to 1.50"),
        ([3.0, 2.25, 2.0, 1.75, 1.5, 0.125], "0.12 at step 51"),
        ([3.0, 2.25, 2.0, 1.75, 1.75], "has not begun to copy"),
        ([3.0, 2.25, 2.0, 1.75, 1.0], ""),
        ([3.0, 2.25, 0.125], ""),
    ],
)
def test_the_plateau_of_the_copy_task_is_told(tested, words):
    source = SOURCE._replace(name="recall")
    found = said(tested, tested, RECALL.plan._replace(config=SMALL.config), source)
    assert len(found) == bool(words)
    if words:
        assert words in found[0]
        assert number(LN10) in found[0]
    assert said(tested, tested, PRONOUN.plan._replace(config=SMALL.config)) == []
