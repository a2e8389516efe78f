"""The bare environment in which the tests run a script."""

import numpy as np
import pytest

from tests.app.bare import printed, run_bare
from tests.app.reproduce.recipes import INF


def test_a_bare_script_finds_numpy_and_the_standard_library_alone():
    code = """
import json, sys
import numpy, numpy.random
for name in ("attention_core", "pages", "altair", "streamlit", "pytest", "site", "sitecustomize"):
    try:
        __import__(name)
    except ImportError:
        print("no", name)
print(__name__)
"""
    lines = run_bare(code).splitlines()
    assert lines[:5] == [f"no {name}" for name in ("attention_core", "pages", "altair", "streamlit", "pytest")]
    assert lines[-1] == "__main__"


@pytest.mark.parametrize(
    "code", ["import pandas", "1 / 0", "import warnings\nwarnings.warn('x')", "import sys\nprint('x', file=sys.stderr)"]
)
def test_a_bare_script_that_goes_wrong_is_a_failure(code):
    with pytest.raises(AssertionError):
        run_bare(code)


def test_printed_numbers_are_read_as_they_were_shown():
    shown = """note (this is none)
x (2, 3)
[[ 1.   -0.25  inf]
 [ nan  -inf 1000000.  ]]
empty (0, 5)
[]
cube (2, 1, 2)
[[[1 2]]

 [[3 4]]]
head.scale ()
0.5
small ()
1e-10
kept (2,)
[ True False]
With 3 words more.
"""
    found = printed(shown)
    assert {name: array.shape for name, array in found.items()} == {
        "x": (2, 3),
        "empty": (0, 5),
        "cube": (2, 1, 2),
        "head.scale": (),
        "small": (),
        "kept": (2,),
    }
    np.testing.assert_array_equal(found["x"], [[1, -0.25, INF], [float("nan"), -INF, 1e6]])
    np.testing.assert_array_equal(found["cube"].ravel(), [1, 2, 3, 4])
    assert (found["head.scale"], found["small"]) == (0.5, 1e-10)
    np.testing.assert_array_equal(found["kept"], [1, 0])
