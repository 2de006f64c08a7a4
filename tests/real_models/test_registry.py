from pathlib import Path

import pytest

from manifoldtheory.errors import InputError
from real_models.checkpoints import CheckpointFolder
from real_models.registry import ALIASES, MODELS, find_architecture, find_model


@pytest.mark.parametrize("alias", ALIASES)
def test_an_alias_is_the_model(alias: str) -> None:
    assert find_model(alias) == find_model(ALIASES[alias])
    assert ALIASES[alias] in MODELS


def test_a_path_is_a_folder_of_checkpoints(tiny: CheckpointFolder) -> None:
    assert find_model(str(tiny.path)) == (tiny.path.name, tiny)


def test_an_unknown_model_lists_the_choices(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown model 'gpt-9': choose among builtin-gpt-neox, builtin"):
        find_model("gpt-9")


def test_an_unknown_architecture_lists_the_choices() -> None:
    with pytest.raises(InputError, match="'mamba' can't be observed yet: choose gpt_neox"):
        find_architecture("mamba")


def test_blocks_have_the_names_of_their_hooks(tiny: CheckpointFolder) -> None:
    import torch

    model = tiny.model(torch.device("cpu"), torch.float32)
    blocks = find_architecture(tiny.config.model_type).block_modules(model)
    assert list(blocks) == ["layers.0", "layers.1"]
    assert blocks["layers.1"] is model.gpt_neox.layers[1]
