"""A server that has just started: pages opened at the same moment import the same modules at once."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "streamlit_app.py", *sorted(ROOT.glob("pages/*.py"))]
IMPORT = ast.Import | ast.ImportFrom
AT_ONCE = """
import ast, sys, threading
from pathlib import Path

import streamlit  # as on a server, before any page

sys.setswitchinterval(2e-5)
scripts = [ast.parse(Path(path).read_text(encoding="utf-8")) for path in sys.argv[1:]]
for script in scripts:
    script.body = [line for line in script.body if isinstance(line, ast.Import | ast.ImportFrom)]
together, failures = threading.Barrier(len(scripts)), []


def open_page(script):
    code = compile(script, "page", "exec")
    together.wait()
    try:
        exec(code, {})
    except BaseException as failure:
        failures.append(repr(failure))


threads = [threading.Thread(target=open_page, args=(script,)) for script in scripts]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit("\\n".join(failures) or 0)
"""


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_the_first_of_the_course_that_a_page_imports_is_the_whole_core(page):
    lines = [line for line in ast.parse(page.read_text(encoding="utf-8")).body if isinstance(line, IMPORT)]
    names = [getattr(line, "module", None) or line.names[0].name for line in lines]
    ours = [line for line, name in zip(lines, names, strict=True) if name.split(".")[0] in ("attention_core", "pages")]
    assert ast.unparse(ours[0]) == "import attention_core"


@pytest.mark.parametrize("times", [3, pytest.param(40, marks=pytest.mark.nightly)])
def test_pages_opened_at_the_same_moment_import_all_they_need(times):
    command = [sys.executable, "-c", AT_ONCE, *map(str, PAGES)]
    for _ in range(times):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
