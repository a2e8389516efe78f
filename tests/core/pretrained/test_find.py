"""Where a pretrained model is looked for: the setting first, then the package, which is never run."""

import sys

import pytest

from attention_core.pretrained import find_pretrained
from attention_core.pretrained.find import PACKAGE, SETTING
from tests.core.errors import check


@pytest.fixture(autouse=True)
def _nothing_installed(monkeypatch, tmp_path):
    monkeypatch.delenv(SETTING, raising=False)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "packages")])


def install(tmp_path, *names):
    folder = tmp_path / "packages" / PACKAGE
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise RuntimeError('this package was run')")
    for name in names:
        (folder / name).write_bytes(b"GGUF")
    return folder


def test_without_setting_and_package_there_is_none():
    assert find_pretrained() is None


def test_the_package_is_found_and_not_run(tmp_path):
    folder = install(tmp_path, "model.gguf", "readme.txt")
    assert find_pretrained() == folder / "model.gguf"
    assert PACKAGE not in sys.modules


def test_a_package_without_a_model_is_none(tmp_path):
    install(tmp_path)
    assert find_pretrained() is None


def test_the_setting_goes_before_the_package(tmp_path, monkeypatch):
    install(tmp_path, "model.gguf")
    own = tmp_path / "own.gguf"
    own.write_bytes(b"GGUF")
    monkeypatch.setenv(SETTING, str(own))
    assert find_pretrained() == own


def test_a_setting_that_names_no_file_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv(SETTING, str(tmp_path))
    check(find_pretrained, f"{SETTING} must be the path of a GGUF file, got")
