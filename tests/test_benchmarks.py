"""The benchmarks run, at their smallest sizes, and their table says what was met. Nothing here is about speed."""

import json
import math
import sys
from collections.abc import Iterator

import pytest
import torch
from typer import Typer
from typer.testing import CliRunner, Result

from benchmarks.__main__ import main
from benchmarks.harness import Benchmark, Measurement, Setting, discover, limit, require_peers, speed
from benchmarks.machine import cores_used_by_others, describe, processor_times
from benchmarks.memory import in_fresh_process, peak_memory
from benchmarks.table import print_table
from benchmarks.timing import Race, race, timing
from manifoldtheory.errors import InputError

MACHINE = {
    "torch": "2",
    "blas": {"torch": "mkl", "numpy": "openblas"},
    "processor": "abacus",
    "cores": 2,
    "threads": 2,
    "load": 0.5,
}


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Nothing is timed, and on a shared machine small operations would wait for the other threads."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def command(*arguments: str) -> Result:
    app = Typer()
    app.command()(main)
    return CliRunner().invoke(app, arguments)


@pytest.mark.parametrize("name", discover())
def test_every_benchmark_measures_something(name: str) -> None:
    benchmark = discover()[name]
    if missing := benchmark.missing():
        pytest.skip(f"not installed: {', '.join(missing)}")
    measurements = list(benchmark.run(Setting("smoke")))
    assert measurements
    for each in measurements:
        assert math.isfinite(each.value)
        assert 0 <= each.low <= each.value <= each.high
        assert each.value > 0 or each.unit != "×"
    # Equality with a peer does not depend on the size.
    assert all(each.met for each in measurements if each.subject == "the same, difference")


def test_ratios_are_of_pairs_and_take_the_fastest_peer() -> None:
    calls: list[str] = []

    def slow() -> None:
        calls.append("slow")
        sum(range(200_000))

    def fast() -> None:
        calls.append("fast")

    measured = race(lambda: calls.append("ours"), {"slow": slow, "fast": fast}, seconds=0.0, least=3)
    assert measured.peer == "fast"
    assert len(measured.ours) == len(measured.theirs) == 3
    assert min(measured.ratios) > 0
    assert len(timing(fast, seconds=0.0, least=2).seconds) == 2
    ratio = speed("subject", Race("peer", (1.0, 2.0, 4.0), (4.0, 4.0, 4.0), 0.0), at_least=3)
    assert (ratio.value, ratio.low, ratio.high) == (2, 1, 4)
    assert (ratio.seconds, ratio.peer_seconds) == (2, 4)
    assert not ratio.met


def test_what_is_no_number_misses_its_limit() -> None:
    assert limit("error", 0.0, "", at_most=0).met
    assert limit("error", [1.0, 2.0, 9.0], "s", at_most=2).met
    assert not limit("error", math.nan, "", at_most=1e300).met


def test_a_process_of_its_own_does_not_inherit_the_peak_of_this_one() -> None:
    assert "torch" in sys.modules  # loaded here, not there
    assert 0 < in_fresh_process("benchmarks.memory:peak_memory") < peak_memory()
    with pytest.raises(RuntimeError, match="no_such_function failed in its own process"):
        in_fresh_process("benchmarks.memory:no_such_function")


def test_own_work_is_not_that_of_others() -> None:
    """Ours and theirs together are no more than the machine has."""
    description, before = describe(), processor_times()
    while (now := processor_times()).own - before.own < 0.3:
        sum(range(100_000))
    if now.everyone is None:
        pytest.skip("this system does not tell what others use")
    share = (now.own - before.own) / (now.clock - before.clock)
    assert 0 <= cores_used_by_others(before) <= description["cores"] - share + 0.1  # ticks of 10 ms
    assert description["torch"]
    assert description["blas"]["torch"] != "unknown"
    json.dumps(description)


def test_the_table_shows_what_was_met_and_whether_the_machine_was_idle(capsys: pytest.CaptureFixture[str]) -> None:
    fast = Measurement("speed", "peer", 3.0, 2.0, 4.0, "×", 2.0, at_least=True, seconds=0.001, peer_seconds=3.0)
    wrong = Measurement("error", "limit", 1e-3, 1e-3, 1e-3, "", 1e-12, at_least=False, others=1.5)
    print_table(MACHINE, {"subject": [fast, wrong]}, judged=True)
    text = " ".join(capsys.readouterr().out.split())
    for part in ("3× │ 2 – 4", "≥ 2× │ met", "1 ms │ 3 s", "≤ 1e-12 │ missed", "1.5", "not idle", "1 of 2 targets met"):
        assert part in text, part
    assert "abacus, 2 cores, 2 threads; BLAS: torch mkl, numpy openblas torch 2, load 0.5" in text
    print_table(MACHINE, {"subject": [fast]}, judged=False)
    text = capsys.readouterr().out
    assert "not idle" not in text
    assert "met" not in text


def test_exit_status(monkeypatch: pytest.MonkeyPatch) -> None:
    def measuring(*values: float) -> Benchmark:
        return Benchmark("some", lambda _: [limit("error", value, "", at_most=1) for value in values])

    known = {
        "good": measuring(0.5),
        "bad": measuring(0.5, 2.0),
        "lonely": Benchmark("none", lambda _: [], ("no-peer",)),
    }
    monkeypatch.setattr("benchmarks.__main__.discover", lambda: known)
    assert command("good").exit_code == 0
    assert command("good", "bad").exit_code == 1
    assert command("good", "bad", "--size", "smoke").exit_code == 0
    assert command("bad", "--json").exit_code == 1
    results = json.loads(command("bad", "good", "--json").stdout)["results"]
    assert [[each["met"] for each in lines] for lines in results.values()] == [[True], [True, False]]
    for arguments, message in (
        (("worse",), "unknown benchmark 'worse': choose among good, bad, lonely"),
        (("good", "--size", "huge"), "unknown size 'huge'"),
        (("lonely",), "lonely compares with no-peer, which is not installed"),
    ):
        refused = command(*arguments)
        assert refused.exit_code == 2
        assert message in refused.stderr
    assert "lonely" in command("--list").stdout
    with pytest.raises(InputError, match="pip install"):
        require_peers(known)
