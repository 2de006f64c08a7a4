import shutil
from pathlib import Path

import pytest
import torch

from manifoldtheory.errors import InputError
from real_models.checkpoints import CheckpointFolder, build_model

from .conftest import CPU


@pytest.fixture
def copy(tiny: CheckpointFolder, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny.path, tmp_path / "copy"))


def test_a_folder_of_checkpoints_opens(copy: Path) -> None:
    assert CheckpointFolder.open(copy).steps == (0, 1, 2, 3)


@pytest.mark.parametrize("missing", ["config.json", "tokenizer.json"])
def test_what_is_missing_is_named(copy: Path, missing: str) -> None:
    (copy / missing).unlink()
    with pytest.raises(InputError, match=f"no {missing}.*must hold"):
        CheckpointFolder.open(copy)


def test_a_folder_without_checkpoints_is_refused(copy: Path) -> None:
    for step in copy.glob("step-*"):
        shutil.rmtree(step)
    with pytest.raises(InputError, match="no checkpoints"):
        CheckpointFolder.open(copy)


def test_the_same_weights_twice_are_refused_by_name(copy: Path) -> None:
    shutil.copy(copy / "step-1" / "model.safetensors", copy / "step-3" / "model.safetensors")
    with pytest.raises(InputError, match=r"step-1 and step-3 .* same weights"):
        CheckpointFolder.open(copy)


def test_a_damaged_file_is_named(copy: Path) -> None:
    (copy / "step-2" / "model.safetensors").write_bytes(b"nothing")
    folder = CheckpointFolder.open(copy)
    with pytest.raises(InputError, match="step-2"):
        folder.load(folder.model(CPU, torch.float32), 2)


def test_a_tokenizer_that_is_none_is_named(copy: Path) -> None:
    (copy / "tokenizer.json").write_text("[]")
    with pytest.raises(InputError, match="can't read the tokenizer"):
        _ = CheckpointFolder.open(copy).tokenizer


def test_loading_restores_the_weights_in_the_wanted_dtype(tiny: CheckpointFolder) -> None:
    model = tiny.model(CPU, torch.float64)
    tiny.load(model, 0)
    first = model.lm_head.weight.clone()
    tiny.load(model, 3)
    assert model.lm_head.weight.dtype == torch.float64
    assert not torch.equal(first, model.lm_head.weight)
    assert not model.training


def test_building_a_model_depends_on_the_seed_only(tiny: CheckpointFolder) -> None:
    state = torch.get_rng_state()

    def weights(seed: int) -> torch.Tensor:
        return build_model(tiny.config, seed=seed, device=CPU, dtype=torch.float32).lm_head.weight

    assert torch.equal(weights(1), weights(1))
    assert not torch.equal(weights(1), weights(2))
    assert torch.equal(torch.get_rng_state(), state)
