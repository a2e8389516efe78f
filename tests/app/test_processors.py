"""What a student reads is the same on every processor: each step is drawn under two kernels of OpenBLAS."""

import json
import os
import platform
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from tests.answers.settings import settings
from tests.app.test_every_step import STEPS
from tests.app.test_rounding import SEEN, drawn

ROOT = Path(__file__).parents[2]
COUNT, SEED = 2, 5  # settings of a step
OLD = {"OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL"}
KERNELS = ({"OPENBLAS_CORETYPE": "Haswell"}, OLD)
COARSE = {"scaling/gradient", "scaling/train", "tiny_lm/bench"}  # float32, and a training that magnifies its rounding
SEEN_COARSELY = 1e-4
TIES = [
    ("multi_head", "matters", {"weights": "random", "head": "2", "q": "mat", "text": "the cat sat on the warm mat"}),
    *(("multi_head", "matters", {"weights": "random", "text": text}) for text in ("the the the", "a b a b a b")),
    ("multi_head", "matters", {"weights": "hand-made", "text": "the the the"}),
    *(("multi_head", "writes", {"weights": "random", "text": text}) for text in ("the dog saw the dog", "the the the")),
    ("qkv", "match", {"weights": "random", "text": "the dog saw the dog"}),
    *(("qkv", step, {"job": "noun to its adjectives"}) for step in ("match", "softmax")),
    ("tiny_lm", "draw", {"when": "just begun"}),
]


def seen_here():
    """Yield each link with all that this process draws for it."""
    links = [(*one, *found) for one in STEPS for found in settings(*one, COUNT, SEED)]
    links += [(*tie, defaultdict(lambda variant=variant: variant)) for tie in TIES for variant in range(3)]
    for lesson, name, link, variants in links:
        yield [f"{lesson}/{name}", f"{link} {dict(variants)}", *drawn(lesson, name, link, variants)]


def seen_under(kernels):
    """Return what processes see that start with these environments, side by side."""
    command = [sys.executable, "-m", "tests.app.test_processors"]
    started = [
        subprocess.Popen(command, env=os.environ | kernel, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for kernel in kernels
    ]
    told = [process.communicate()[0] for process in started]
    assert not any(process.returncode for process in started)
    return [[json.loads(line) for line in lines.splitlines()] for lines in told]


def differences(one, other):
    """Yield what differs between two drawings of a link."""
    yield from ((before, after) for before, after in zip(one[2], other[2], strict=True) if before != after)
    yield from ((before, after) for before, after in zip(one[3], other[3], strict=True) if before != after)
    seen = SEEN_COARSELY if one[0] in COARSE else SEEN
    for (chart, column, before), (_, _, after) in zip(one[4], other[4], strict=True):
        if not np.allclose(before, after, rtol=seen, atol=seen, equal_nan=True):
            yield chart, column


@pytest.mark.nightly
@pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64")
    or "openblas" not in np.show_config("dicts")["Build Dependencies"]["blas"]["name"],
    reason="this machine's products have no other kernels",
)
def test_every_processor_says_the_same():
    one, other = seen_under(KERNELS)
    assert len(one) == len(other) > 150
    found = [(*a[:2], difference) for a, b in zip(one, other, strict=True) for difference in differences(a, b)]
    assert not found, "\n".join(map(str, found))


if __name__ == "__main__":
    for seen in seen_here():
        print(json.dumps(seen))
