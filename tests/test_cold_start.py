"""A server that has just started: pages opened at the same moment import the same modules at once."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "streamlit_app.py", *sorted(ROOT.glob("pages/*.py"))]
AT_ONCE = """
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import streamlit  # as on a server, before any page

sys.setswitchinterval(2e-5)
together = Barrier(len(sys.argv) - 1)
with ThreadPoolExecutor(len(sys.argv) - 1) as pool:
    list(pool.map(lambda lines: (together.wait(), exec(lines, {})), sys.argv[1:]))
"""


def imports(page):
    body = ast.parse(page.read_text(encoding="utf-8")).body
    return [ast.unparse(line) for line in body if isinstance(line, ast.Import | ast.ImportFrom)]


def test_the_first_of_the_course_that_a_page_imports_is_the_whole_core():
    for page in PAGES:
        ours = [line for line in imports(page) if line.split()[1].partition(".")[0] in ("attention_core", "pages")]
        assert ours[0] == "import attention_core", page


@pytest.mark.parametrize("times", [1, pytest.param(12, marks=pytest.mark.nightly)])
def test_pages_opened_at_the_same_moment_import_all_they_need(times):
    for _ in range(times):
        subprocess.run([sys.executable, "-c", AT_ONCE, *map("\n".join, map(imports, PAGES))], cwd=ROOT, check=True)
