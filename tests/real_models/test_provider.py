import subprocess
import sys

import pytest

import real_models
from manifoldtheory.errors import InputError
from manifoldtheory.ledger import Kind, Request, load_providers
from real_models import PROVIDER
from real_models.provider import INFRASTRUCTURE


def test_it_is_installed_as_the_observation_column() -> None:
    assert load_providers()["real_models"] is PROVIDER
    assert PROVIDER.kind == Kind.OBSERVATION
    assert PROVIDER.predictions("energy-concentration") == {}


def test_claims_are_found_in_their_modules() -> None:
    from proofs.energy_concentration import CLAIM

    assert PROVIDER.claims()["energy-concentration"] == CLAIM
    assert all(slug.replace("-", "_") not in INFRASTRUCTURE for slug in PROVIDER.claims())


def test_claims_are_known_without_torch() -> None:
    claims = "import sys, real_models; real_models.PROVIDER.claims()"
    code = f"{claims}; assert not {{'torch', 'transformers'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_tasks_have_names_for_files() -> None:
    tasks = PROVIDER.plan(Request(size="smoke", seed=4, device="cpu"))
    assert [task.name for task in tasks] == ["energy-concentration.seed-4"]
    assert PROVIDER.plan(Request(claims=(), size="smoke", device="cpu")) == []


def test_unknown_claims_are_refused() -> None:
    with pytest.raises(InputError, match="unknown claim 'chord-arc'"):
        PROVIDER.plan(Request(claims=("chord-arc",), size="smoke", device="cpu"))


def test_the_identity_names_corpus_and_model() -> None:
    identity = PROVIDER.identity(Request(size="smoke", device="cpu"))
    assert identity["model"] == "builtin-gpt-neox"
    assert len(identity["corpus_sha256"]) == 64


def test_observe_refuses_another_dtype() -> None:
    with pytest.raises(InputError, match="run in float32"):
        real_models.observe(dtype="float64")
