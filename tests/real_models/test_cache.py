from pathlib import Path

import pytest

from manifoldtheory.errors import InputError
from real_models.cache import cache_folder, require_writable


def test_the_environment_names_the_folder(cache: Path) -> None:
    assert cache_folder() == cache


def test_without_it_the_folder_is_the_platforms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MANIFOLDTHEORY_CACHE")
    assert cache_folder().name == "manifoldtheory"


def test_a_folder_is_created_and_left_empty(tmp_path: Path) -> None:
    require_writable(tmp_path / "new" / "folder")
    assert list((tmp_path / "new" / "folder").iterdir()) == []


def test_a_folder_that_cant_be_made_says_what_to_set(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="set MANIFOLDTHEORY_CACHE to a folder you can write"):
        require_writable(tmp_path / "file" / "models")
