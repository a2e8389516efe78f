"""Where a pretrained model is looked for: the setting first, then the package, which is never run."""

import sys

import pytest

from attention_core.pretrained import find, find_pretrained
from tests.core.errors import check


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """Be a computer that has the package with a model, and no setting."""
    for setting in find.SETTINGS:
        monkeypatch.delenv(setting, raising=False)
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


@pytest.mark.parametrize("setting", find.SETTINGS)
def test_a_setting_goes_before_the_package_and_must_name_a_file_or_a_folder_of_a_model(folder, monkeypatch, setting):
    (own := folder / "own.bin").write_bytes(b"GGUF")
    monkeypatch.setenv(setting, str(own))
    assert find_pretrained() == own
    monkeypatch.setenv(setting, str(folder))
    check(find_pretrained, f"{setting} must be the path of a GGUF file, or of a folder with config.json, got")
    (folder / "config.json").write_text("{}")
    assert find_pretrained() == folder


def test_without_the_packages_that_read_it_a_file_is_named_in_vain(folder, monkeypatch):
    monkeypatch.setattr(find, "READERS", ("no_such_package", "tokenizers"))
    check(find_pretrained, "model.gguf must be read by no_such_package and tokenizers: pip install .[real]")
    (folder / "config.json").write_text("{}")
    monkeypatch.setenv(find.SETTINGS[0], str(folder))
    assert find_pretrained() == folder  # which needs no gguf
    monkeypatch.delenv(find.SETTINGS[0])
    monkeypatch.setattr(find, "PACKAGE", "no_such_package")
    assert find_pretrained() is None
