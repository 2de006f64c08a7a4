"""Certificates on the command line: written after a proof, verified in a process of its own, refused."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import proofs
from manifoldtheory.ledger import Evidence, Verdict

from ..conftest import Command
from ..fakes import FakeColumn

SLUG = "tangent-normal-scaling"


@pytest.fixture
def certificate(command: Command, columns: dict[str, FakeColumn], tmp_path: Path) -> Path:
    """A certificate written beside the commands, which see the real proofs."""
    columns["proofs"] = proofs.PROVIDER  # type: ignore[assignment]
    path = tmp_path / "certificate.json"
    path.write_text(proofs.PROVIDER.certificate(SLUG), encoding="utf-8")
    return path


def test_prove_writes_what_check_accepts(command: Command, certificate: Path) -> None:
    answer = command("prove", SLUG, "--certificate", "written.json", "--size", "smoke", "--quiet")
    assert answer.status == 0, answer.stderr
    written = certificate.with_name("written.json")
    assert "certificate: written.json" in answer.stdout
    assert written.read_text(encoding="utf-8").rstrip() == certificate.read_text(encoding="utf-8")
    checked = command("prove", "--check", "written.json")
    assert checked.status == 0
    chains = proofs.derive(SLUG).certificate.chains
    steps = sum(len(chain.steps) for chain in chains)
    assert checked.stdout.endswith(f"\n{SLUG}: {steps} steps in {len(chains)} chains, all checked\n")
    for chain in chains:  # what was proved, and what it takes for granted
        assert f"{chain.title}: " in checked.stdout
        assert all(f"  {kind}: {text}\n" in checked.stdout for kind, text in chain.given_text())
    (record,) = json.loads(command("prove", "--check", "written.json", "--json").stdout)
    assert Evidence.from_dict(record).verdict == Verdict.SUPPORTS


def test_a_fresh_process_checks_without_the_derivation(certificate: Path) -> None:
    code = (
        "import sys\nfrom manifoldtheory.app.cli import app\n"
        f"sys.argv = ['manifoldtheory', 'prove', '--check', {str(certificate)!r}]\n"
        "try:\n    app()\n"
        "except SystemExit as leaving:\n    status = leaving.code\n"
        "assert not status, status\n"
        "assert 'proofs.rules' in sys.modules\n"
        "assert not {'proofs.tangent_normal_scaling', 'proofs.expansion', 'proofs.series'} & set(sys.modules)\n"
    )
    fresh = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert fresh.returncode == 0, fresh.stderr
    assert "all checked" in fresh.stdout


def test_a_step_that_does_not_follow_is_exit_1(command: Command, certificate: Path) -> None:
    record = json.loads(certificate.read_text(encoding="utf-8"))
    step = record["chains"][-1]["steps"][-1]
    step["right"] = record["chains"][-1]["start"]
    certificate.write_text(json.dumps(record), encoding="utf-8")
    answer = command("prove", "--check", str(certificate))
    assert answer.status == 1
    assert "certificate refused" in answer.stdout
    assert answer.stderr.startswith(f"refused: chain {record['chains'][-1]['name']!r}, step ")
    (evidence,) = json.loads(command("prove", "--check", str(certificate), "--json").stdout)
    assert evidence["verdict"] == "inconclusive"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--check", "missing.json"), "can't read the certificate missing.json"),
        (("--check", "."), "can't read the certificate"),
        (("--check", "truncated.json"), "not a certificate: it is truncated or no JSON"),
        (("--check", "old.json"), "a certificate of version 0, and this program reads version 1"),
        ((SLUG, "--check", "certificate.json"), "--check verifies a file and derives nothing"),
        (("--certificate", "a.json"), "--certificate writes the proof of one claim, and 0 are given"),
        ((SLUG, "curvature-bias", "--certificate", "a.json"), "and 2 are given"),
        ((SLUG, "--certificate", "no/such/folder/a.json"), "can't write the certificate"),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(
    command: Command, certificate: Path, arguments: tuple[str, ...], message: str
) -> None:
    text = certificate.read_text(encoding="utf-8")
    certificate.with_name("truncated.json").write_text(text[:2000], encoding="utf-8")
    certificate.with_name("old.json").write_text(text.replace('"version":1', '"version":0'), encoding="utf-8")
    answer = command("prove", *arguments)
    assert answer.status == 2
    assert message in answer.stderr
    assert answer.stderr.count("\n") == 1
    assert not answer.stdout
