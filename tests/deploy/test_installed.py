"""The course as a wheel, installed in an environment of its own and started by its command as an ordinary user."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.bench.client import Student
from tests.bench.server import Server
from tests.deploy.composed import ROOT
from tests.missing import without

pytestmark = pytest.mark.nightly
ORDINARY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] if os.geteuid() == 0 else []


def pip(*words):
    return subprocess.run([sys.executable, "-m", "pip", *words], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if pip("download", "--no-deps", "--dest", tmp_path_factory.mktemp("asked"), "hatchling").returncode:
        without("the package index")
    folder = Path(tempfile.mkdtemp())  # not among those of pytest, which every run of pytest closes to others
    for place in (folder, *folder.parents):  # an ordinary user may read there
        if not place.stat().st_mode & 0o001:
            place.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def wheel(folder):
    built = pip("wheel", "--no-deps", "--wheel-dir", folder, ROOT)
    assert built.returncode == 0, built.stderr
    return next(folder.glob("*.whl"))


def test_the_wheel_has_every_file_of_the_course_and_of_its_library_and_nothing_else(wheel):
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    library = {name for name in tracked if name.startswith("attention_core/")}
    lessons = {name for name in tracked if name.startswith("pages/")}
    own = {"__init__.py", "streamlit_app.py", ".streamlit/config.toml"}
    held = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == library | {f"attention_course/{name}" for name in lessons | own}


def test_installed_it_starts_by_its_command_draws_a_page_and_runs_a_program(folder, wheel):
    venv.create(folder / "env", with_pip=True)
    binaries = folder / "env" / "bin"
    subprocess.run([binaries / "pip", "install", "--quiet", wheel], check=True)
    alone = subprocess.run([binaries / "attention-course"], capture_output=True, text=True, check=False)
    assert alone.returncode == 1
    assert 'pip install "attention-from-scratch[course]"' in alone.stderr
    library = "import attention_core as core; print(core.causal_mask(2).tolist())"
    said = subprocess.run([binaries / "python", "-c", library], capture_output=True, text=True, check=True).stdout
    assert said == "[[False, True], [False, False]]\n"
    subprocess.run([binaries / "pip", "install", "--quiet", f"{wheel}[course]"], check=True)
    server = Server(HOME=str(folder), PYTHONDONTWRITEBYTECODE="1")
    server.command, server.folder = [*ORDINARY, str(binaries / "attention-course")], folder
    with server:
        assert asyncio.run(visit(server.port)) == []
        assert "Traceback" not in server.said()


async def visit(port):
    """Return what went wrong for a student who opens a lesson and runs the program that it begins."""
    async with Student(port, "qkv", "qkv_exercise=attention_weights") as student:
        await student.run()
        await student.press("qkv_run")
        return student.errors + [key for key in ("qkv_run", "qkv_next") if key not in student.buttons]
