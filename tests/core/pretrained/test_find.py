"""Where a pretrained model is looked for: the setting first, then the package, which is never run."""

import sys

import pytest

from attention_core.pretrained import find, find_pretrained
from tests.core.errors import check


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """Be a computer that has the package with a model, and no setting."""
    monkeypatch.delenv(find.SETTING, raising=False)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(find, "PACKAGE", "a_package_with_a_model")
    folder = tmp_path / "a_package_with_a_model"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise RuntimeError('this package was run')")
    (folder / "model.gguf").write_bytes(b"GGUF")
    return folder


def test_the_package_is_found_and_not_run(folder):
    assert find_pretrained() == folder / "model.gguf"
    assert folder.name not in sys.modules
    (folder / "model.gguf").unlink()
    assert find_pretrained() is None


def test_the_setting_goes_before_the_package_and_must_name_a_file(folder, monkeypatch):
    (own := folder / "own.bin").write_bytes(b"GGUF")
    monkeypatch.setenv(find.SETTING, str(own))
    assert find_pretrained() == own
    monkeypatch.setenv(find.SETTING, str(folder))
    check(find_pretrained, f"{find.SETTING} must be the path of a GGUF file, got")


def test_without_the_packages_that_read_it_a_file_is_named_in_vain(folder, monkeypatch):
    monkeypatch.setattr(find, "READERS", ("gguf", "no_such_package"))
    check(find_pretrained, "model.gguf must be read by the packages")
    monkeypatch.setattr(find, "PACKAGE", "no_such_package")
    assert find_pretrained() is None
