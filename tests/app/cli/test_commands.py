"""Commands as a user sees them: streams, exit statuses, resumed runs."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from manifoldtheory.ledger import Evidence, Form, Kind, RunFolder, Verdict

from ..conftest import Command
from ..fakes import FakeColumn, proof_evidence, record
from ..latex_checking import faults

COMMANDS = ("claims", "prove", "simulate", "observe", "verify", "compare", "report", "doctor")


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=os.environ | environment, check=False
    )


def test_help_names_every_command_and_imports_nothing_heavy() -> None:
    result = python("-X", "importtime", "-m", "manifoldtheory", "--help")
    assert result.returncode == 0
    assert all(f"  {name} " in result.stdout for name in COMMANDS)
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in result.stderr.splitlines()}
    assert "typer" in imported
    heavy = {"torch", "sympy", "numpy", "pandas", "pyarrow", "matplotlib", "transformers", "rich", "jinja2"}
    assert not imported & heavy


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help(command: Command, name: str) -> None:
    answer = command(name, "--help")
    assert answer.status == 0
    assert "--json" in answer.stdout


def test_no_command_prints_the_help_and_is_bad_usage(command: Command) -> None:
    answer = command()
    assert answer.status == 2
    assert "verify" in answer.stdout + answer.stderr


def test_verify_writes_a_run_folder_and_says_where_the_report_is(command: Command, tmp_path: Path) -> None:
    answer = command("verify")
    assert answer.status == 0, answer.stderr
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("verify-2")
    assert f"report: {folder.relative_to(tmp_path) / 'report.html'}" in answer.stdout
    assert (folder / "report.html").is_file()
    assert (folder / "figures" / "energy-comparison.png").is_file()
    assert "✓ supported" in answer.stdout
    manifest = RunFolder.load(folder).manifest
    assert manifest["record"]["argv"] == ["verify"]
    assert manifest["identity"]["columns"]["proofs"] == {"made-up": True}
    finished = [line for line in answer.stderr.splitlines() if line.startswith("[")]
    assert len(finished) == 4
    assert finished[0].startswith("[1/4] proof.energy: 2 records")


def test_json_is_one_array_of_evidence_and_nothing_else(command: Command) -> None:
    answer = command("verify", "--json")
    evidence = [Evidence.from_dict(element) for element in json.loads(answer.stdout)]
    assert {found.kind for found in evidence} == set(Kind)
    assert "a library prints this on stdout" in answer.stderr
    assert "report: " in answer.stderr


def test_quiet_says_only_where_the_report_is(command: Command) -> None:
    answer = command("prove", "--quiet")
    assert answer.stdout.startswith("report: ")
    assert "energy" not in answer.stderr


def test_options_reach_the_columns(command: Command, columns: dict[str, FakeColumn]) -> None:
    columns["real_models"] = FakeColumn(Kind.OBSERVATION, {"model": [record(kind=Kind.OBSERVATION)]})
    columns["sims"] = FakeColumn(Kind.SIMULATION, {"bias": [record()]}, known=("curvature-bias",))
    arguments = ("--rank", "8", "--fit-window", "0:0.3", "--steps", "20", "--seed", "7", "--size", "smoke")
    assert command("observe", "pythia", "--corpus", "text.txt", *arguments).status == 0
    (request,) = columns["real_models"].requests
    assert (request.seed, request.size) == (7, "smoke")
    assert request.options == {
        "model": "pythia",
        "rank": 8,
        "fit_window": "0:0.3",
        "corpus": "text.txt",
        "steps": 20,
    }
    assert command("simulate", "curvature-bias", "--manifold", "S2", "--manifold", "torus").status == 0
    (request,) = columns["sims"].requests
    assert request.options == {"manifold": ("S2", "torus")}
    assert request.claims == ("curvature-bias",)
    assert request.device == "cpu"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("prove", "no-such-claim"), "unknown claim 'no-such-claim': choose among energy-concentration"),
        (("simulate", "--device", "tpu"), "unknown --device 'tpu': choose among auto, cpu, cuda"),
        (("simulate", "--dtype", "float16"), "unknown --dtype 'float16'"),
        (("verify", "--size", "huge"), "unknown --size 'huge'"),
        (("verify", "--model", "unknown"), "unknown model 'unknown': choose pythia"),
        (("observe", "one", "--model", "two"), "two models"),
        (("report", "nowhere"), "nowhere holds no run"),
        (("compare",), "no finished run in runs/"),
    ],
)
def test_bad_input_is_one_line_and_status_2_before_any_work(
    command: Command, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    answer = command(*arguments)
    assert answer.status == 2
    (line,) = answer.stderr.strip().splitlines()
    assert line.startswith("error: ")
    assert words in line
    assert answer.stdout == ""
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("arguments", [("verify", "--seed", "-1"), ("observe", "--rank", "0"), ("frobnicate",)])
def test_bad_usage_is_status_2(command: Command, arguments: tuple[str, ...]) -> None:
    answer = command(*arguments)
    assert answer.status == 2
    assert "Error" in answer.stderr


def test_cuda_without_cuda_says_what_to_do(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    answer = command("prove", "--device", "cuda")
    assert answer.status == 2
    assert "use --device cpu" in answer.stderr


def test_a_contradicted_repaired_form_is_status_1(command: Command, columns: dict[str, FakeColumn]) -> None:
    wrong = record(verdict=Verdict.REFUTES, subject="S2", predicted=1.0, measured=2.0)
    columns["sims"] = FakeColumn(Kind.SIMULATION, {"energy": [wrong]})
    answer = command("simulate", "--json")
    assert answer.status == 1
    assert len(json.loads(answer.stdout)) == 1
    assert "failed: energy-concentration: the simulation contradicts its proof: energy-ratio S2" in answer.stderr
    assert "report: " in answer.stderr


@pytest.mark.parametrize(
    ("form", "verdict", "status"),
    [
        (Form.REPAIRED, Verdict.SUPPORTS, 0),
        (Form.REPAIRED, Verdict.REFUTES, 1),
        (Form.REPAIRED, Verdict.INCONCLUSIVE, 1),
        (Form.AS_STATED, Verdict.REFUTES, 0),
        (Form.AS_STATED, Verdict.INCONCLUSIVE, 1),
    ],
)
def test_a_proof_fails_by_what_it_says_of_which_form(
    command: Command, columns: dict[str, FakeColumn], form: Form, verdict: Verdict, status: int
) -> None:
    evidence = [record(kind=Kind.PROOF, statement=form, verdict=verdict)]
    columns["proofs"] = FakeColumn(Kind.PROOF, {"energy": evidence})
    assert command("prove").status == status


def test_observations_and_refuted_source_statements_do_not_fail(
    command: Command, columns: dict[str, FakeColumn]
) -> None:
    against = record(kind=Kind.OBSERVATION, verdict=Verdict.REFUTES, measured=1.0)
    columns["real_models"] = FakeColumn(Kind.OBSERVATION, {"model": [against]})
    columns["sims"] = FakeColumn(
        Kind.SIMULATION, {"energy": [record(statement=Form.AS_STATED, verdict=Verdict.REFUTES, measured=1.0)]}
    )
    assert command("verify").status == 0


def test_an_interrupted_run_is_finished_by_the_command_it_prints(
    command: Command, columns: dict[str, FakeColumn], tmp_path: Path
) -> None:
    runs: list[str] = []

    def first() -> list[Evidence]:
        runs.append("first")
        return proof_evidence()

    def second() -> list[Evidence]:
        runs.append("second")
        if runs.count("second") == 1:
            raise KeyboardInterrupt
        return proof_evidence()

    columns["proofs"] = FakeColumn(Kind.PROOF, {"first": first, "second": second})
    answer = command("prove", "--seed", "3")
    assert answer.status == 130
    (folder,) = (tmp_path / "runs").iterdir()
    resume = f"manifoldtheory prove --out runs/{folder.name} --seed 3"
    assert resume in answer.stderr
    assert command("report", str(folder)).status == 2

    answer = command(*resume.split()[1:])
    assert answer.status == 0
    assert runs == ["first", "second", "second"]
    assert "resuming: 1 of 2 tasks are done" in answer.stderr
    assert len(RunFolder.load(folder).evidence) == 4


def test_ctrl_c_on_the_real_process_is_status_130(tmp_path: Path) -> None:
    script = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a background job inherits that it is ignored
        "from manifoldtheory import ledger\n"
        "from manifoldtheory.app.cli import main\n"
        "from app.fakes import FakeColumn\n"
        "column = FakeColumn(ledger.Kind.PROOF, {'slow': lambda: (print('ready', flush=True), time.sleep(60))})\n"
        "ledger.load_providers = lambda: {'proofs': column}\n"
        "sys.argv = ['manifoldtheory', 'prove', '--out', 'run']\n"
        "main()\n"
    )
    tests = Path(__file__).resolve().parents[2]
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tests)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    lines = iter(process.stderr.readline, "")
    assert any("ready" in line for line in lines)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert stdout == ""
    assert "manifoldtheory prove --out run" in stderr
    assert "Traceback" not in stderr


def test_another_run_in_the_folder_is_refused(command: Command) -> None:
    assert command("prove", "--out", "run").status == 0
    assert command("prove", "--out", "run").status == 0
    answer = command("prove", "--out", "run", "--seed", "1")
    assert answer.status == 2
    assert "holds a run with another seed" in answer.stderr


def test_a_folder_that_cannot_be_written_is_refused(command: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    answer = command("prove", "--out", "file/run")
    assert answer.status == 2
    assert "give --out a folder you can write" in answer.stderr


def test_two_tasks_of_one_name_are_refused(command: Command, columns: dict[str, FakeColumn]) -> None:
    columns["third-party"] = columns["proofs"]
    answer = command("prove")
    assert answer.status == 2
    assert "two columns have a task proof.energy" in answer.stderr


def test_claims_lists_columns_and_statements(command: Command) -> None:
    answer = command("claims")
    assert answer.status == 0
    assert "Repaired, it holds." in answer.stdout
    (energy, *_) = json.loads(command("claims", "--json").stdout)
    assert energy["slug"] == "energy-concentration"
    assert energy["columns"] == ["proof", "simulation", "observation"]
    assert energy["statements"][1]["hypotheses"] == {"smooth": "M is C³"}


def test_prove_prints_verdicts_predictions_and_steps(command: Command) -> None:
    answer = command("prove", "--steps")
    assert "✗ as-stated: As the source has it, it holds." in answer.stdout
    assert "⟨F⟩" in answer.stdout
    assert "2. hence" in answer.stdout
    assert "2 steps, all checked" in answer.stdout


def test_prove_prints_a_document_and_nothing_else(command: Command) -> None:
    latex = command("prove", "--latex", "--steps")
    assert latex.status == 0
    assert latex.stdout.startswith(r"\documentclass{article}")
    assert latex.stdout.endswith("\\end{document}\n")
    assert r"\frac{4}{\langle F\rangle t^{2}}" in latex.stdout
    assert "2 steps, all checked" in latex.stdout
    assert "report: " in latex.stderr
    assert faults(latex.stdout) == []
    python = command("prove", "--python", "--quiet")
    assert python.status == 0
    assert "report: " not in python.stdout + python.stderr
    names: dict[str, Any] = {}
    exec(python.stdout, names)
    assert names["energy_ratio"](radius=0.1, curvature_sq_mean=2.0) == pytest.approx(200)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--latex", "--python"), "--latex and --python both fill stdout"),
        (("--latex", "--json"), "--json and --latex both fill stdout"),
        (("--python", "--json"), "--json and --python both fill stdout"),
        (("--python", "--steps"), "--python writes predictions and has no --steps"),
        (("--latex", "--check", "some.json"), "--check verifies a file and derives nothing"),
    ],
)
def test_one_form_of_output_at_a_time(command: Command, tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    answer = command("prove", *arguments)
    assert answer.status == 2
    assert words in answer.stderr
    assert answer.stdout == ""
    assert not list(tmp_path.iterdir())


def test_a_failed_proof_still_prints_its_document(command: Command, columns: dict[str, FakeColumn]) -> None:
    columns["proofs"] = FakeColumn(Kind.PROOF, {"energy": proof_evidence(Verdict.INCONCLUSIVE)})
    answer = command("prove", "--latex")
    assert answer.status == 1
    assert answer.stdout.startswith(r"\documentclass{article}")
    assert "the proof does not hold" in answer.stderr


def test_prove_lists_counterexamples(command: Command, columns: dict[str, FakeColumn]) -> None:
    import proofs

    columns["proofs"] = cast("FakeColumn", proofs.PROVIDER)
    answer = command("prove", "isotropy-recovery", "--size", "smoke", "--steps")
    text = " ".join(answer.stdout.split())
    assert "counterexample outlier-normal: T holds more variance per dimension than N" in text
    assert "derived 0.006711, claimed 0.2161, where normal_eigenvalue = 3, floor_eigenvalue = 0.01" in text
    assert "= ⟨√d·λ/√(tr(B²)) - 1" not in text
    assert "2. entries in Q are taken out" not in text
    assert "1. entries in Q are taken out (substitution) = ⟨-λ_Q + λ, 1 - 1_Q⟩" in text


def test_compare_takes_several_runs_or_the_latest(command: Command, tmp_path: Path) -> None:
    assert command("simulate", "--out", "runs/a").status == 0
    assert command("observe", "--out", "runs/b").status == 0
    answer = command("compare", "runs/a", "runs/b", "--out", "side-by-side")
    assert answer.status == 0
    assert "noisy-energy-ratio" in answer.stdout
    assert "step 64 (highest)" in answer.stdout
    assert (tmp_path / "side-by-side" / "energy-comparison.svg").is_file()
    twice = command("compare", "runs/b", "./runs/../runs/b", "--out", "side-by-side")
    assert "gpt-neox (b)" in twice.stdout
    latest = json.loads(command("compare", "--json").stdout)
    assert {element["kind"] for element in latest} == {"observation"}


def test_compare_without_ratios_says_what_makes_them(command: Command) -> None:
    assert command("prove", "--out", "runs/a").status == 0
    answer = command("compare")
    assert answer.status == 2
    assert "`manifoldtheory verify` makes one" in answer.stderr


def test_report_is_written_again_from_the_evidence(command: Command, tmp_path: Path) -> None:
    assert command("prove", "--out", "run").status == 0
    page = tmp_path / "run" / "report.html"
    first = page.read_text()
    page.unlink()
    answer = command("report", "run", "--json")
    assert answer.status == 0
    assert len(json.loads(answer.stdout)) == 2
    assert page.read_text() == first


def test_without_an_installed_distribution_it_says_make_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, columns: dict[str, FakeColumn]
) -> None:
    from manifoldtheory.ledger import providers

    from ..conftest import Answer

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(providers, "entry_points", lambda group: [])
    for name in ("claims", "prove", "simulate", "observe", "verify"):
        answer = Answer(name)
        assert answer.status == 2
        assert "make install" in answer.stderr
        assert answer.stdout == ""
