"""What the page remarks about a run: each condition, met and not met."""

from dataclasses import replace

import numpy as np
import pytest

from attention_core.model.parameters import init_model
from attention_core.shipped.plans import RECALL
from attention_core.shipped.runs import Record
from pages.look.html import number
from pages.tiny_lm.train.findings import Measured
from pages.tiny_lm.train.remarks import remarks
from tests.app.tiny_lm.runs import SMALL, SOURCE

LN10 = float(np.log(10))


def said(learned, tested, plan=SMALL, source=SOURCE, accuracy=0.1, again=0.0):
    """Return the remarks on a run with these losses, a record every ten steps."""
    rows = [Record(10 * i + 1, a, b, 1.0) for i, (a, b) in enumerate(zip(learned, tested, strict=True))]
    return list(remarks(plan, source, rows, Measured("", accuracy), init_model(plan.config, 0), again))


CHEATS = SMALL._replace(config=replace(SMALL.config, causal=False))
COPIES = {"plan": RECALL.plan._replace(config=SMALL.config), "source": SOURCE._replace(name="recall")}
PLATEAU = [3.0, 2.25, 2.0, 1.75, 1.5, 0.125]


@pytest.mark.parametrize(
    ("learned", "tested", "run", "numbers"),
    [
        ([5.0, 3.5, 5.25, 4.0], [5.0, 3.0, 7.125, 4.0], {}, ["step 21", 3.0, 7.125, "0.001"]),
        ([5.0, 0.1], [5.0, 0.1], {"plan": CHEATS, "accuracy": 1.0}, [1.0]),
        ([4.0, 2.0, 0.25], [4.0, 2.75, 3.5], {}, ["step 11", 2.75, 3.5, 0.25]),
        ([3.0, 0.1], [3.0, 0.1], {"again": 1.0}, ["100 %"]),
        (PLATEAU, PLATEAU, COPIES, [2.25, 1.5, LN10, 0.125, "step 51"]),
        (PLATEAU[:4] * 2, [*PLATEAU[:4], 1.75, 1.75, 1.75, 1.75], COPIES, ["step 11", 2.25, 1.75, LN10]),
    ],
)
def test_what_happened_in_a_run_is_remarked_with_its_numbers(learned, tested, run, numbers):
    (found,) = said(learned, tested, **run)
    for one in numbers:
        assert (one if isinstance(one, str) else number(one)) in found


@pytest.mark.parametrize(
    ("learned", "tested", "run"),
    [
        ([], [], {}),
        ([5.0, 2.0, 0.1], [5.0, 2.1, 0.2], {}),
        ([5.0, 3.5, 5.25, 4.0], [5.0, 4.0, 4.5, 4.0], {}),
        ([5.0, 6.5, 4.0], [5.0, 5.5, 4.0], {}),
        ([5.0, 0.1], [5.0, 0.1], {"plan": CHEATS, "accuracy": 0.1}),
        ([5.0, 0.1], [5.0, 0.1], {"accuracy": 1.0}),
        ([4.0, 2.0, 0.25], [4.0, 2.75, 2.9], {}),
        ([3.0, 2.25, 0.125], [3.0, 2.25, 0.125], COPIES),
        (PLATEAU[:4], [3.0, 2.25, 2.0, 1.0], COPIES),
        (PLATEAU, PLATEAU, {"plan": COPIES["plan"]}),
    ],
)
def test_where_it_did_not_happen_there_is_no_remark(learned, tested, run):
    assert said(learned, tested, **run) == []
