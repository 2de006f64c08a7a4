"""The models that can be observed: those known by name, and folders of checkpoints."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from manifoldtheory.errors import InputError
from real_models.checkpoints import CheckpointFolder
from real_models.training import Recipe

if TYPE_CHECKING:
    from torch import nn

DEFAULT_MODEL = "builtin-gpt-neox"

MODELS: Mapping[str, Recipe] = {DEFAULT_MODEL: Recipe()}
"""Models trained here and now, by name."""

ALIASES: Mapping[str, str] = {"builtin": DEFAULT_MODEL}


@dataclass(frozen=True)
class Architecture:
    """Where a transformers architecture keeps what is captured.

    `blocks` is the path of the list of residual blocks, `reading_maps` the paths, within a block, of the linear maps
    that read the residual stream (through the block's norm): the theory's y = Wx with x = h.
    """

    blocks: str
    reading_maps: tuple[str, ...]

    def block_modules(self, model: "nn.Module") -> dict[str, "nn.Module"]:
        """The residual blocks by the name they have in evidence, ``layers.0`` and so on."""
        return {f"layers.{name}": block for name, block in model.get_submodule(self.blocks).named_children()}


ARCHITECTURES: Mapping[str, Architecture] = {
    "gpt_neox": Architecture("gpt_neox.layers", ("attention.query_key_value", "mlp.dense_h_to_4h")),
}
"""Known architectures, by transformers' ``model_type``."""


def find_model(model: str) -> tuple[str, Recipe | CheckpointFolder]:
    """Name and source of a model given by its name, its alias, or the path of a folder of checkpoints.

    Raises `InputError` for an unknown name, and for a folder that does not hold checkpoints.
    """
    name = ALIASES.get(model, model)
    if name in MODELS:
        return name, MODELS[name]
    path = Path(model).expanduser()
    if path.is_dir():
        return path.resolve().name, CheckpointFolder.open(path)
    known = ", ".join([*MODELS, *ALIASES])
    raise InputError(f"unknown model {model!r}: choose among {known}, or give the path of a folder of checkpoints")


def find_architecture(model_type: str) -> Architecture:
    """The architecture of a model type. Raises `InputError` for one that is not known."""
    if model_type not in ARCHITECTURES:
        raise InputError(f"models of type {model_type!r} can't be observed yet: choose {', '.join(ARCHITECTURES)}")
    return ARCHITECTURES[model_type]
