import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file

from real_models.checkpoints import CheckpointFolder
from real_models.corpora import Corpus
from real_models.training import RECORD, Recipe, is_complete, train, trained, training_key

from .conftest import CPU, TINY


@given(st.integers(0, 5000))
def test_checkpoints_run_from_the_first_step_to_the_last(steps: int) -> None:
    checkpoints = Recipe(steps=steps).checkpoints
    assert checkpoints[0] == 0
    assert checkpoints[-1] == steps
    assert list(checkpoints) == sorted(set(checkpoints))
    assert len(checkpoints) <= 2 * steps.bit_length() + 2


def test_the_rate_warms_up_and_decays_to_a_tenth() -> None:
    recipe = Recipe(steps=400, learning_rate=1.0, warmup=20)
    rates = [recipe.rate(step) for step in range(1, 401)]
    assert rates.index(max(rates)) == 19
    assert rates[19] == 1.0
    assert rates[-1] == pytest.approx(0.1)


def test_training_is_deterministic_and_leaves_the_global_state(
    tiny: CheckpointFolder, small_corpus: Corpus, tmp_path: Path
) -> None:
    state = torch.get_rng_state()
    torch.manual_seed(99)  # another global state must not give another model
    before = torch.get_rng_state()
    train(TINY, small_corpus, tmp_path, device=CPU)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.get_default_dtype() == torch.float32
    torch.set_rng_state(state)
    again = CheckpointFolder(tmp_path)
    assert again.steps == tiny.steps == (0, 1, 2, 3)
    assert again.digests == tiny.digests
    assert len(set(again.digests.values())) == 4


def test_another_seed_gives_another_model(tiny: CheckpointFolder, small_corpus: Corpus, tmp_path: Path) -> None:
    train(replace(TINY, seed=1, steps=0), small_corpus, tmp_path, device=CPU)
    assert CheckpointFolder(tmp_path).digest(0) != tiny.digest(0)


def test_weights_start_as_in_the_configuration(tiny: CheckpointFolder) -> None:
    weights = load_file(tiny.weights_path(0))
    embedding = weights["gpt_neox.embed_in.weight"]
    assert float(embedding.std()) == pytest.approx(tiny.config.initializer_range, rel=0.05)
    assert all(tensor.dtype == torch.float32 for tensor in weights.values())


def test_training_lowers_the_loss(small_corpus: Corpus, tmp_path: Path) -> None:
    train(replace(TINY, steps=40, warmup=4, learning_rate=1e-2), small_corpus, tmp_path, device=CPU)
    losses = json.loads((tmp_path / RECORD).read_text())["losses"]
    assert sum(losses[-5:]) / 5 < sum(losses[:5]) / 5 - 0.3


def test_a_second_run_does_not_train(small_corpus: Corpus, tmp_path: Path) -> None:
    said: list[str] = []
    recipe = replace(TINY, steps=1)
    for _ in range(2):
        trained(recipe, small_corpus, tmp_path, device=CPU, progress=lambda message, done, total: said.append(message))
        said.append("|")
    assert said.index("|") > 0
    assert said[said.index("|") :] == ["|", "|"]


@pytest.mark.parametrize("damage", ["interrupted", "truncated", "missing", "garbled record"])
def test_what_is_not_whole_is_trained_again(small_corpus: Corpus, tmp_path: Path, damage: str) -> None:
    recipe = replace(TINY, steps=1)
    train(recipe, small_corpus, tmp_path, device=CPU)
    digests = CheckpointFolder(tmp_path).digests
    weights = tmp_path / "step-1" / "model.safetensors"
    match damage:
        case "interrupted":
            (tmp_path / RECORD).unlink()
        case "truncated":
            weights.write_bytes(weights.read_bytes()[:-4])
        case "missing":
            weights.unlink()
        case "garbled record":
            (tmp_path / RECORD).write_text("{")
    assert not is_complete(tmp_path, recipe)
    assert trained(recipe, small_corpus, tmp_path, device=CPU).digests == digests
    assert is_complete(tmp_path, recipe)


def test_an_interrupt_leaves_nothing_that_counts_as_complete(small_corpus: Corpus, tmp_path: Path) -> None:
    def interrupt(message: str, done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(TINY, small_corpus, tmp_path, device=CPU, progress=interrupt)
    assert (tmp_path / "step-1").exists()
    assert not is_complete(tmp_path, TINY)


def test_the_key_names_all_that_decides_the_weights(small_corpus: Corpus) -> None:
    key = training_key(TINY, small_corpus, CPU)
    others = [
        training_key(replace(TINY, seed=1), small_corpus, CPU),
        training_key(replace(TINY, steps=4), small_corpus, CPU),
        training_key(TINY, Corpus("small", small_corpus.documents[1:]), CPU),
        training_key(TINY, small_corpus, torch.device("cuda")),
    ]
    assert len({key, *others}) == 5
    assert training_key(TINY, Corpus("another name", small_corpus.documents), CPU) == key
