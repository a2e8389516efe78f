"""A trial of a mutant: in a copy of the tree, in a process that has loaded only what is not ours."""

import compileall
import os
import py_compile
import resource
import shutil
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import altair  # noqa: F401  (what a process that is forked need not load again)
import hypothesis  # noqa: F401
import pytest
import streamlit.testing.v1  # noqa: F401

from tests.mutate.covers import concerns, covering
from tests.mutate.mutants import ROOT, Mutant

OURS = ("attention_core", "pages", "tests", "streamlit_app")
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis", "__pycache__")
OF_A_TEST, WAITING = 30, 300  # seconds of the processor, and of a clock: a mutant that takes longer is killed
OF_ALL = 90  # seconds of the processor, after which what is left of its tests is not run
CONFTEST = "tests/conftest.py"
NEAR = 3  # files of tests that are asked before the others are so much as collected
MEMORY = 8 << 30  # that can be written: V8, which draws charts, reserves far more addresses


class Watch:
    """A plugin that keeps the cases that concern a module, writes which runs or fails, and ends one that takes long."""

    def __init__(self, path: str, told: Path, sick: set[str]):
        self.path, self.told, self.sick, self.start = path, told, sick, time.process_time()
        self.failed: list[str] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        of_it = [one for one in items if not self.path or concerns(self.path, one.nodeid)]
        items[:] = [one for one in of_it if one.nodeid not in self.sick]

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if time.process_time() - self.start > OF_ALL and self.path:
            os._exit(0)
        self.told.write_text(nodeid, encoding="utf-8")
        signal.setitimer(signal.ITIMER_PROF, OF_A_TEST)
        signal.alarm(WAITING)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.failed += [report.nodeid] * report.failed

    def pytest_collectreport(self, report: Any) -> None:
        self.failed += [report.nodeid] * report.failed

    def pytest_sessionfinish(self) -> None:
        self.told.write_text("\n".join(self.failed), encoding="utf-8")


class Trials:
    """The copy of the tree, and which tests are red in it without any mutant."""

    def __init__(self, folder: Path):
        self.tree, self.told, self.log = folder / "tree", folder / "told", folder / "log"
        shutil.copytree(ROOT, self.tree, ignore=LEFT_OUT)
        hashed = py_compile.PycInvalidationMode.CHECKED_HASH  # two edits may fall into one second
        for place in OURS[:3]:
            compileall.compile_dir(self.tree / place, quiet=2, invalidation_mode=hashed)
        self.sick: set[str] = set()

    def killer(self, mutant: Mutant) -> str:
        tests = [test for test in covering(mutant.path) if (self.tree / test).is_file()]
        file = self.tree / mutant.path
        source = file.read_bytes()
        file.write_bytes(mutant.applied(source))
        killer = self.red(mutant.path, tests[:NEAR]) or self.red(mutant.path, tests[NEAR:])
        file.write_bytes(source)
        return killer

    def is_sick(self, killers: list[str]) -> bool:
        """Return whether some of these tests fail without any mutant; no mutant is tried by such a test again."""
        found = set(self.red("", killers).splitlines()) - self.sick
        self.sick |= found
        return bool(found)

    def red(self, path: str, tests: list[str]) -> str:
        """Run the cases that concern a module until one fails, or all; return those that failed."""
        self.told.write_text("", encoding="utf-8")
        if not tests:
            return ""
        if not (child := os.fork()):
            try:
                os._exit(self.run(path, tests))
            finally:
                os._exit(70)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # what its tests have started
        if code == pytest.ExitCode.USAGE_ERROR and not path:
            raise RuntimeError(self.log.read_text(encoding="utf-8"))
        if code == pytest.ExitCode.USAGE_ERROR:
            return CONFTEST  # it could not be read; without the mutant it must
        passed = code in (0, pytest.ExitCode.NO_TESTS_COLLECTED)
        return "" if passed else self.told.read_text(encoding="utf-8") or "pytest itself"

    def run(self, path: str, tests: list[str]) -> int:
        os.setsid()
        os.chdir(self.tree)
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        log = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(log, stream)
        sys.path[:] = [str(self.tree), *(place for place in sys.path if place not in ("", str(ROOT)))]
        for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
            del sys.modules[name]
        tier = "not browser and not nightly and not exhaustive"
        loaded = "ignore::pytest.PytestAssertRewriteWarning"  # a plugin was loaded before the fork
        options = ["-n0", "-q", *["-x"] * bool(path), "-p", "no:cacheprovider", "-W", loaded, "-m", tier]
        code = int(pytest.main([*options, *tests], plugins=[Watch(path, self.told, self.sick)]))
        sys.stdout.flush()  # what is forked is ended without
        return code
