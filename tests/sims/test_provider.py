import pytest

import sims
from manifoldtheory.errors import InputError
from manifoldtheory.ledger import Kind, Request
from sims.provider import PROVIDER


def test_the_column_finds_its_claims():
    assert set(PROVIDER.claims()) == {
        "tangent-normal-scaling",
        "curvature-bias",
        "bias-attenuation",
        "energy-concentration",
    }
    assert PROVIDER.kind is Kind.SIMULATION
    assert PROVIDER.location.endswith("sims")


def test_a_task_for_every_claim_and_manifold():
    names = [task.name for task in PROVIDER.plan(Request())]
    assert len(names) == len(set(names)) == 4 * 7
    (task,) = PROVIDER.plan(Request(claims=("curvature-bias",), options={"manifold": ("S2",)}))
    assert task.name == "curvature-bias.s2"


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (Request(claims=("flat-earth",)), "unknown claim 'flat-earth'"),
        (Request(options={"manifold": ("donut",)}), "unknown manifold 'donut'"),
        (Request(dtype="float32"), "float64, got float32"),
    ],
)
def test_bad_requests_are_refused_before_any_work(request_, message):
    with pytest.raises(InputError, match=message):
        PROVIDER.plan(request_)


def test_run_is_the_library_call():
    evidence = sims.run("tangent-normal-scaling", manifold="cylinder", size="smoke", seed=2)
    assert {record.subject for record in evidence} == {"cylinder"}
    assert all(record.seed == 2 and record.seconds is not None for record in evidence)
    with pytest.raises(InputError, match="unknown size"):
        sims.run("curvature-bias", size="huge")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="device 'tpu'"):
        sims.run("curvature-bias", device="tpu")
