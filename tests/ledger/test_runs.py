import json
import os
import stat

import pytest

from manifoldtheory.errors import InputError
from manifoldtheory.ledger import Evidence, Form, Kind, RunFolder, Verdict
from manifoldtheory.ledger.runs import write_atomically

IDENTITY = {"command": "verify", "seed": 0}


def records(n: int) -> list[Evidence]:
    return [
        Evidence(
            claim="round-earth",
            kind=Kind.PROOF,
            statement=Form.REPAIRED,
            verdict=Verdict.SUPPORTS,
            quantity=f"quantity {i}",
            measured=i / 3,
            seed=i,
            versions={"torch": "2"} if i else None,
        )
        for i in range(n)
    ]


def test_evidence_survives_the_disk(tmp_path):
    run = RunFolder.create(tmp_path / "run", IDENTITY, {"argv": ["verify"]})
    run.write("b", records(3))
    run.write("a", [])
    assert run.has("b")
    assert not run.has("c")
    assert run.finish(["a", "b"]) == records(3)
    again = RunFolder.load(tmp_path / "run")
    assert again.evidence == records(3)
    assert again.manifest == {"identity": IDENTITY, "record": {"argv": ["verify"]}}


def test_the_same_run_resumes_and_keeps_its_record(tmp_path):
    RunFolder.create(tmp_path, IDENTITY, {"started": "first"}).write("a", records(1))
    run = RunFolder.create(tmp_path, dict(reversed(IDENTITY.items())), {"started": "second"})
    assert run.read("a") == records(1)
    assert run.manifest["record"] == {"started": "first"}


def test_another_run_is_refused_and_named(tmp_path):
    RunFolder.create(tmp_path, IDENTITY, {})
    with pytest.raises(InputError, match=r"another seed.*0 there, 1 now"):
        RunFolder.create(tmp_path, IDENTITY | {"seed": 1}, {})


def test_folders_that_hold_no_run(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(InputError, match="not empty"):
        RunFolder.create(tmp_path, IDENTITY, {})
    with pytest.raises(InputError, match="holds no run"):
        RunFolder.load(tmp_path)
    with pytest.raises(InputError, match="can't use the run folder"):
        RunFolder.create(tmp_path / "thesis.tex" / "run", IDENTITY, {})
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "manifest.json").write_text("{")
    for damage in (b"{", b"\xff\xfe", b"[]", b"{}"):
        (tmp_path / "broken" / "manifest.json").write_bytes(damage)
        with pytest.raises(InputError, match="manifest"):
            RunFolder.create(tmp_path / "broken", IDENTITY, {})


def test_a_run_killed_while_it_was_created_starts_again(tmp_path):
    (tmp_path / ".manifest.json.123").write_text("{")
    RunFolder.create(tmp_path, IDENTITY, {}).write("a", records(1))
    assert RunFolder.create(tmp_path, IDENTITY, {}).has("a")


def test_a_damaged_part_is_missing_and_damaged_evidence_is_named(tmp_path):
    run = RunFolder.create(tmp_path, IDENTITY, {})
    run.write("a", records(3))
    run.finish(["a"])
    for file in (tmp_path / "parts" / "a.parquet", tmp_path / "evidence.parquet"):
        file.write_bytes(file.read_bytes()[:100])
    assert not run.has("a")
    with pytest.raises(InputError, match=r"evidence\.parquet can't be read"):
        _ = run.evidence


def test_an_interrupted_run_says_how_to_finish(tmp_path):
    run = RunFolder.create(tmp_path / "run", IDENTITY, {})
    with pytest.raises(InputError, match="was interrupted: repeat its command with --out"):
        _ = run.evidence


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    target = tmp_path / "file"
    write_atomically(target, b"old")

    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(target, b"new")
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_files_can_be_read_as_the_umask_says(tmp_path):
    before = os.umask(0o022)
    try:
        write_atomically(tmp_path / "file", b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o644


def test_manifests_are_json(tmp_path):
    RunFolder.create(tmp_path, {"window": (0.0, 0.3)}, {})
    assert json.loads((tmp_path / "manifest.json").read_text())["identity"] == {"window": [0.0, 0.3]}
    RunFolder.create(tmp_path, {"window": (0.0, 0.3)}, {})  # a tuple and its JSON are the same identity
