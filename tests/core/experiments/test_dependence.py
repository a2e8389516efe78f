"""Weight on what a mask blocks."""

import numpy as np

from attention_core.equations.masks import causal_mask
from attention_core.experiments.masks.dependence import weight_on_blocked


def test_weight_on_blocked_worked_by_hand():
    np.testing.assert_allclose(weight_on_blocked([[0.5, 0.25, 0.25], [0, 1, 0]], causal_mask(3)[:2]), [0.5, 0])
