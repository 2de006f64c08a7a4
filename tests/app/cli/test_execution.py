"""Plans, folders and what makes a run fail."""

import threading
from datetime import UTC, datetime
from functools import partial
from multiprocessing.pool import ThreadPool
from pathlib import Path

import pytest

from manifoldtheory import ledger
from manifoldtheory.app.cli.execution import (
    Part,
    Plan,
    execute,
    installed_columns,
    make_plan,
    new_folder,
    select_columns,
)
from manifoldtheory.errors import InputError
from manifoldtheory.ledger import Kind, Progress, Request, RunFolder

from ..fakes import FakeColumn, proof_evidence, record


def test_a_column_is_asked_only_for_claims_it_knows() -> None:
    first = FakeColumn(Kind.PROOF, {"a": proof_evidence()}, known=("one", "two"))
    second = FakeColumn(Kind.PROOF, {"b": proof_evidence()}, known=("two", "three"))
    third = FakeColumn(Kind.PROOF, {"c": proof_evidence()}, known=("four",))
    plan = make_plan("prove", Request(claims=("three", "one")), {"first": first, "second": second, "third": third})
    assert [request.claims for request in first.requests + second.requests] == [("one",), ("three",)]
    assert third.requests == []
    assert plan.identity["claims"] == ["one", "three"]
    assert set(plan.identity["columns"]) == {"first", "second"}


def test_a_request_that_nothing_answers_is_refused() -> None:
    with pytest.raises(InputError, match="nothing to do"):
        make_plan("prove", Request(), {"empty": FakeColumn(Kind.PROOF, {})})


def test_columns_come_in_the_order_of_the_ledger() -> None:
    columns = {str(kind): FakeColumn(kind, {}) for kind in reversed(Kind)}
    assert list(select_columns(columns, list(Kind))) == [str(kind) for kind in Kind]
    with pytest.raises(InputError, match="no column of kind proof"):
        select_columns({"simulation": columns["simulation"]}, list(Kind))


def test_a_broken_column_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ImportError("no module named nothing")

    monkeypatch.setattr(ledger, "load_providers", broken)
    with pytest.raises(InputError, match=r"no module named nothing.*doctor"):
        installed_columns()


def test_run_folders_of_one_second_do_not_meet(tmp_path: Path) -> None:
    now = datetime(2026, 4, 8, 12, 30, 5, tzinfo=UTC)
    first = new_folder("verify", now, tmp_path)
    assert first.name == "verify-20260408-123005"
    first.mkdir()
    assert new_folder("verify", now, tmp_path).name == "verify-20260408-123005-2"


def test_a_task_that_fails_leaves_the_finished_ones(tmp_path: Path) -> None:
    def fail() -> list[ledger.Evidence]:
        raise RuntimeError("a defect")

    plan = make_plan("prove", Request(), {"proofs": FakeColumn(Kind.PROOF, {"good": [record()], "bad": fail})})
    folder = RunFolder.create(tmp_path / "run", plan.identity, {})
    with pytest.raises(RuntimeError, match="a defect"):
        execute(plan, folder, quiet=True)
    assert folder.has("proof.good")
    assert not folder.has("proof.bad")


def test_a_full_disk_is_named_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left on device")

    plan = make_plan("prove", Request(), {"proofs": FakeColumn(Kind.PROOF, {"good": [record()]})})
    folder = RunFolder.create(tmp_path / "run", plan.identity, {})
    monkeypatch.setattr(RunFolder, "write", full)
    with pytest.raises(InputError, match=r"no space left on device.*--out"):
        execute(plan, folder, quiet=True)


def test_portable_tasks_go_to_the_worker_while_others_run(tmp_path: Path) -> None:
    names = []

    def run(name: str, progress: Progress) -> list[ledger.Evidence]:
        names.append((name, threading.current_thread() is threading.main_thread()))
        return [record()]

    parts = [Part(name, partial(run, name), portable) for name, portable in (("far", True), ("near", False))]
    plan = Plan({"command": "verify"}, tuple(parts))
    with ThreadPool(1) as worker:
        done = execute(plan, RunFolder.create(tmp_path / "run", plan.identity, {}), quiet=True, worker=worker)
    assert len(done.evidence) == 2
    assert done.elsewhere == {"far"}
    assert sorted(names) == [("far", False), ("near", True)]


def test_portable_tasks_are_shared_with_the_worker(tmp_path: Path) -> None:
    both = threading.Barrier(2, timeout=10)

    def run(progress: Progress) -> list[ledger.Evidence]:
        both.wait()  # passed only if two run at once
        return [record()]

    plan = Plan({"command": "prove"}, tuple(Part(str(number), run, True) for number in range(4)))
    folder = RunFolder.create(tmp_path / "run", plan.identity, {})
    with ThreadPool(1) as worker:
        done = execute(plan, folder, quiet=True, worker=worker)
    assert len(done.evidence) == 4
    assert done.elsewhere == {"0", "1"}


def test_what_the_worker_has_done_is_kept_when_another_task_fails(tmp_path: Path) -> None:
    done = threading.Event()

    def far(progress: Progress) -> list[ledger.Evidence]:
        threading.Timer(0.2, done.set).start()  # by then the pool has its result
        return [record()]

    def near(progress: Progress) -> list[ledger.Evidence]:
        assert done.wait(10)
        return [record()]

    def fail(progress: Progress) -> list[ledger.Evidence]:
        raise RuntimeError("a defect")

    plan = Plan({"command": "verify"}, (Part("far", far, True), Part("near", near), Part("bad", fail)))
    folder = RunFolder.create(tmp_path / "run", plan.identity, {})
    with ThreadPool(1) as worker, pytest.raises(RuntimeError, match="a defect"):
        execute(plan, folder, quiet=True, worker=worker)
    assert folder.has("far")
    assert folder.has("near")
    assert not folder.has("bad")
