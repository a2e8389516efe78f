"""What a student reads is the same on every processor: each step is drawn under two kernels of OpenBLAS."""

import json
import os
import platform
import subprocess
import sys
from collections import defaultdict

import numpy as np
import pytest

from tests.answers.settings import settings
from tests.app.test_every_step import STEPS
from tests.app.test_rounding import COARSE, SEEN, drawn

OLD = {"OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL"}
NEW = {"OPENBLAS_CORETYPE": "Haswell"}
TIES = [
    ("multi_head", "matters", {"weights": "random", "head": "2", "q": "mat", "text": "the cat sat on the warm mat"}),
    *(("multi_head", "matters", {"weights": kind, "text": "the the the"}) for kind in ("random", "hand-made")),
    *(("multi_head", step, {"weights": "random", "text": "a b a b a b"}) for step in ("matters", "writes")),
    *(("qkv", "match", link) for link in ({"weights": "random", "text": "a b a b"}, {"job": "previous word"})),
]


@pytest.mark.exhaustive
@pytest.mark.skipif(platform.machine().lower() not in ("x86_64", "amd64"), reason="products have no other kernels here")
def test_every_processor_says_the_same():
    draw = [sys.executable, "-m", "tests.app.test_processors"]
    started = [
        subprocess.Popen(draw, env=os.environ | kind, stdout=-1, stderr=subprocess.DEVNULL) for kind in (NEW, OLD)
    ]
    one, other = ([json.loads(line) for line in process.communicate()[0].splitlines()] for process in started)
    assert len(one) > 150
    for usual, elsewhere in zip(one, other, strict=True):
        assert elsewhere[:4] == usual[:4]
        seen = 100 * SEEN if usual[0] in COARSE else SEEN
        for (chart, column, before), (_, _, after) in zip(usual[4], elsewhere[4], strict=True):
            np.testing.assert_allclose(after, before, rtol=seen, atol=seen, err_msg=f"{usual[:2]} {chart}: {column}")


if __name__ == "__main__":
    LINKS = [(*one, *found) for one in STEPS for found in settings(*one, 2, seed=5)]
    LINKS += [(*tie, defaultdict(lambda variant=variant: variant)) for tie in TIES for variant in range(3)]
    for lesson, name, link, variants in LINKS:
        print(json.dumps([f"{lesson}/{name}", f"{link} {dict(variants)}", *drawn(lesson, name, link, variants)]))
