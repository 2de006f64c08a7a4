"""The doctor works on a sick installation."""

import builtins
import json
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from manifoldtheory.app.cli import doctor

from ..conftest import Command


def test_a_healthy_installation_has_nothing_missing(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("proofs", f"{__name__}:COLUMN", doctor.GROUP)
    monkeypatch.setattr(doctor, "entry_points", lambda group: [point])
    answer = command("doctor", "--json")
    findings = json.loads(answer.stdout)
    assert answer.status == 0, findings["missing"]
    assert findings["columns"] == [{"name": "proofs", "kind": "proof", "location": "/somewhere", "claims": 1}]
    assert findings["cache"]["writable"]
    assert "nothing is missing" in command("doctor").stdout


def test_missing_torch_is_a_finding(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    import_module = builtins.__import__

    def without_torch(name: str, *arguments: Any, **keywords: Any) -> Any:
        if name == "torch":
            raise ImportError("no torch here")
        return import_module(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", without_torch)
    answer = command("doctor", "--json")
    assert answer.status == 2
    findings = json.loads(answer.stdout)
    assert findings["device"]["auto"] is None
    assert any(entry["name"] == "torch" and "no torch here" in entry["fix"] for entry in findings["missing"])


def test_missing_columns_and_packages_come_with_the_fix(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("sims", "no_such_package:PROVIDER", doctor.GROUP)
    monkeypatch.setattr(doctor, "entry_points", lambda group: [broken])
    monkeypatch.setattr(doctor, "TOOLS", ("no-such-distribution",))
    answer = command("doctor")
    assert answer.status == 2
    assert "missing: no-such-distribution: run `make install`" in answer.stdout
    assert "column sims (no_such_package:PROVIDER)" in answer.stdout
    monkeypatch.setattr(doctor, "entry_points", lambda group: [])
    assert "evidence columns" in command("doctor").stdout


def test_a_cache_that_cannot_be_written_comes_with_the_fix(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(doctor.CACHE_VARIABLE, str(tmp_path / "file" / "cache"))
    answer = command("doctor")
    assert answer.status == 2
    assert "set MANIFOLDTHEORY_CACHE to a folder you can write" in answer.stdout


def _column() -> Any:
    from manifoldtheory.ledger import Kind

    from ..fakes import FakeColumn

    return FakeColumn(Kind.PROOF, {})


COLUMN = _column()
