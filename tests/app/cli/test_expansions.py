"""``prove chord-arc --order N --graph EXPR --align`` on the command line."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import Answer


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    return Answer


def test_a_typed_graph_is_expanded(command: Any) -> None:
    answer = command("prove", "chord-arc", "--graph", "x**2 - 3*x*y + y**3", "--order", "4", "--size", "smoke")
    assert answer.status == 0, answer.stderr
    _, _, shown = answer.stdout.partition("graph of x**2 - 3*x*y + y**3")
    lines = [line.strip() for line in shown.splitlines()]
    start = lines.index("arclength =")
    assert lines[start + 1] == "t"
    assert lines[start + 2] == "+ t³·(-4·v_1⁴/3 - v_1³·v_2 + 3·v_1²/2)"
    assert lines[start + 4] == "+ O(t⁵)"


def test_json_is_evidence_alone(command: Any) -> None:
    answer = command("prove", "chord-arc", "--graph", "x + y**2", "--align", "--order", "4", "--json", "--quiet")
    assert answer.status == 0, answer.stderr
    records = json.loads(answer.stdout)
    checks = {record["quantity"]: record for record in records if record["subject"] == "graph of x + y**2"}
    assert checks.keys() == {"unit-speed", "derived-terms"}
    assert {record["verdict"] for record in checks.values()} == {"supports"}
    assert {record["bin"] for record in checks.values()} == {"order=4"}


def test_python_and_latex(command: Any, tmp_path: Path) -> None:
    asked = ("prove", "chord-arc", "--graph", "x**2; x*y", "--order", "4", "--size", "smoke", "--quiet")
    module = tmp_path / "module.py"
    module.write_text(command(*asked, "--python").stdout, encoding="utf-8")
    code = "import module; print(module.graph_normal_norm_sq(radius=0.01, v_1=0.6))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    # with v_2² = 1 − v_1²: F = |II(v, v)|² = (2 v₁²)² + (2 v₁v₂)² = 4 v₁² at the origin
    assert float(ran.stdout) == pytest.approx(0.36 * 1e-8, rel=0.01)
    document = command(*asked, "--latex").stdout
    assert r"\section*{Graph of x**2; x*y}" in document


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chord-arc", "--order", "3"], "order 3 is below 4"),
        (["chord-arc", "--order", "0"], "order 0 is below 4"),
        (["chord-arc", "--order", "1000"], "order 1000 is too high"),
        (["chord-arc", "--graph", "sqrt(x)"], "sqrt(x) takes 0 to the power 1/2"),
        (["chord-arc", "--graph", "x + y**2"], "--align turns the ambient space"),
        (["chord-arc", "--graph", "open(x)"], "is not understood"),
        (["chord-arc", "--graph", "m*x"], "unknown name 'm'"),
        (["chord-arc", "--graph", ""], "is no expression"),
        (["chord-arc", "--align"], "none is given"),
        (["--order", "5"], "add that claim"),
        (["curvature-bias", "--order", "5"], "add that claim"),
        (["--check", "file.json", "--order", "5"], "--check verifies a file"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(command: Any, arguments: list[str], message: str, tmp_path: Path) -> None:
    answer = command("prove", *arguments)
    assert answer.status == 2
    assert message in answer.stderr
    assert answer.stderr.startswith("error: ")
    assert answer.stderr.count("\n") == 1
    assert answer.stdout == ""
    assert not (tmp_path / "runs").exists()
