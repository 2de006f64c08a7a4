from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from manifoldtheory.errors import InputError
from manifoldtheory.ledger import Request
from real_models.checkpoints import CheckpointFolder
from real_models.corpora import Corpus
from real_models.fit_windows import FitWindow
from real_models.study import BLOCKS, SMOKE, Study, studies
from real_models.training import train, training_key

from .conftest import CPU, TINY


def smoke(**options: Any) -> Request:
    return Request(size="smoke", device="cpu", options=options)


@pytest.fixture
def study(small_corpus: Corpus) -> Study:
    return Study("tiny", TINY, small_corpus, 0, "cpu", 4, FitWindow(), "default")


@pytest.fixture(autouse=True)
def short_documentation(small_corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Collecting the whole standard library's takes seconds."""
    monkeypatch.setattr("real_models.study.python_documentation", lambda: small_corpus)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "gpt-9"}, "unknown model 'gpt-9': choose among"),
        ({"rank": 32}, r"rank 32 is out of range .* d = 64: .* at most 31"),
        ({"rank": 0}, "rank 0 is not a whole number of at least 1"),
        ({"rank": 2.5}, "rank 2.5 is not a whole number"),
        ({"steps": -1}, "steps -1 is not a whole number"),
        ({"fit_window": "0.5:0.1"}, "not within the training"),
        ({"fit_window": "64"}, "asks for step 64, and there are checkpoints at 0"),
        ({"corpus": "/no/such/file"}, "there is no corpus at /no/such/file"),
    ],
)
def test_what_cant_be_observed_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        studies(smoke(**options))


@pytest.mark.parametrize(("device", "message"), [("tpu9", "unknown device 'tpu9'"), ("cuda", "sees no CUDA device")])
def test_a_device_that_is_not_there_is_refused(
    study: Study, monkeypatch: pytest.MonkeyPatch, device: str, message: str
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(InputError, match=message):
        replace(study, device=device).check()


def test_options_that_are_none_have_their_defaults() -> None:
    assert studies(smoke(model=None, rank=None, fit_window=None, corpus=None, steps=None)) == studies(smoke())


def test_a_smoke_run_observes_an_untrained_model_and_needs_no_cache(cache: Path) -> None:
    (study,) = studies(smoke())
    assert study.source == SMOKE
    assert study.steps == study.fit_steps == (0,)
    with study.checkpoints(lambda *_: None) as checkpoints:
        assert checkpoints.steps == (0,)
    assert list(cache.iterdir()) == []


def test_a_cache_that_cant_be_written_is_refused_before_training(
    study: Study, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MANIFOLDTHEORY_CACHE", str(tmp_path / "file"))
    with pytest.raises(InputError, match="set MANIFOLDTHEORY_CACHE"):
        study.check()


def test_a_training_in_a_read_only_cache_is_used(
    study: Study, small_corpus: Corpus, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(TINY, small_corpus, cache / "models" / f"tiny-{training_key(TINY, small_corpus, CPU)}", device=CPU)

    def refuse(folder: Path) -> None:
        raise InputError(f"{folder} is read-only")

    monkeypatch.setattr("real_models.study.require_writable", refuse)
    study.check()
    with pytest.raises(InputError, match="read-only"):
        replace(study, source=replace(TINY, seed=5)).check()


def test_a_folder_of_checkpoints_is_observed_as_it_is(tiny: CheckpointFolder) -> None:
    found = studies(replace(smoke(model=str(tiny.path), rank=4), size="thorough"))
    assert [study.steps for study in found] == [(0, 1, 2, 3)]
    assert found[0].identity["training"] == {"digests": tiny.digests}
    assert found[0].context == TINY.context
    with pytest.raises(InputError, match="steps belong to models that are trained here"):
        studies(smoke(model=str(tiny.path), steps=3))


def test_a_thorough_study_has_seeds_of_its_own(cache: Path) -> None:
    found = studies(Request(size="thorough", seed=5, device="cpu", options={"steps": 7}))
    assert [study.seed for study in found] == [5, 6, 7]
    assert [study.source for study in found] == [replace(found[0].source, seed=seed) for seed in (5, 6, 7)]
    assert found[0].steps[-1] == 7


def test_the_identity_changes_with_what_decides_the_result(study: Study, small_corpus: Corpus) -> None:
    others = [
        replace(study, rank=3),
        replace(study, fit_window=FitWindow(0, 0.5)),
        replace(study, source=replace(TINY, steps=2)),
        replace(study, corpus=Corpus("small", small_corpus.documents[2:])),
        replace(study, size="thorough"),
    ]
    assert all(other.identity != study.identity for other in others)
    assert study.identity["fit_steps"] == [0]


def test_text_to_fit_and_to_measure_on_is_apart(study: Study, tiny: CheckpointFolder) -> None:
    fit = {row for batch in study.fit_text(tiny) for row in map(tuple, batch.inputs.tolist())}
    blocks = study.measurement_text(tiny)
    rows = [{row for batch in block for row in map(tuple, batch.inputs.tolist())} for block in blocks]
    assert len(rows) == BLOCKS
    assert len(set.union(*rows)) == sum(map(len, rows))
    assert not fit & set.union(*rows)
