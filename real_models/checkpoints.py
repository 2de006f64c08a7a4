"""A folder of checkpoints of one model: ``config.json``, ``tokenizer.json`` and ``step-<n>/model.safetensors``."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manifoldtheory.errors import InputError

if TYPE_CHECKING:
    import torch
    from tokenizers import Tokenizer

CONFIG = "config.json"
TOKENIZER = "tokenizer.json"
WEIGHTS = "model.safetensors"
LAYOUT = f"it must hold {CONFIG}, {TOKENIZER} and step-<number>/{WEIGHTS}"


def step_name(step: int) -> str:
    """Name of a checkpoint in folders and in evidence, e.g. ``step-64``."""
    return f"step-{step}"


@dataclass(frozen=True)
class CheckpointFolder:
    """Checkpoints on disk, read on demand. `open` checks the layout."""

    path: Path

    @classmethod
    def open(cls, path: Path) -> "CheckpointFolder":
        """A folder given by a user. Raises `InputError` for another layout, or when two checkpoints are the same."""
        folder = cls(path)
        missing = [name for name in (CONFIG, TOKENIZER) if not (path / name).is_file()]
        if missing or not folder.steps:
            what = f"no {missing[0]}" if missing else "no checkpoints"
            raise InputError(f"{path} is no folder of checkpoints ({what}): {LAYOUT}")
        first_with: dict[str, int] = {}
        for step in folder.steps:
            same = first_with.setdefault(folder.digest(step), step)
            if same != step:
                raise InputError(
                    f"checkpoints {step_name(same)} and {step_name(step)} in {path} hold the same weights: remove one"
                )
        return folder

    def weights_path(self, step: int) -> Path:
        """File of a checkpoint's weights."""
        return self.path / step_name(step) / WEIGHTS

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """Training steps with a checkpoint, ascending."""
        names = (file.parent.name.removeprefix("step-") for file in self.path.glob(f"step-*/{WEIGHTS}"))
        return tuple(sorted(int(name) for name in names if name.isdecimal()))

    @cached_property
    def digests(self) -> dict[int, str]:
        """SHA-256 of every checkpoint's file, by step."""
        return {step: self.digest(step) for step in self.steps}

    def digest(self, step: int) -> str:
        """SHA-256 of a checkpoint's file."""
        with self.weights_path(step).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @cached_property
    def config(self) -> Any:
        """The model's configuration, a transformers ``PretrainedConfig``. Raises `InputError` when it is not valid."""
        from transformers import AutoConfig

        try:
            return AutoConfig.from_pretrained(self.path, local_files_only=True)
        except (OSError, ValueError, KeyError) as error:
            raise InputError(f"can't read the model configuration in {self.path} ({error}): {LAYOUT}") from error

    @cached_property
    def tokenizer(self) -> "Tokenizer":
        """The tokenizer, from the tokenizers library."""
        from tokenizers import Tokenizer

        try:
            return Tokenizer.from_str((self.path / TOKENIZER).read_text(encoding="utf-8"))
        except Exception as error:  # the library raises bare Exception for a file it can't parse
            raise InputError(f"can't read the tokenizer in {self.path} ({error}): {LAYOUT}") from error

    def model(self, device: "torch.device", dtype: "torch.dtype") -> Any:
        """A model of this architecture in evaluation mode, its weights still to be loaded with `load`."""
        return build_model(self.config, seed=0, device=device, dtype=dtype).eval()

    def load(self, model: Any, step: int) -> None:
        """Loads a checkpoint's weights into the model, converted to its dtype.

        Raises `InputError` for a file that is damaged or belongs to another architecture.
        """
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        try:
            model.load_state_dict(load_file(self.weights_path(step)))
        except (SafetensorError, RuntimeError) as error:
            reason = str(error).splitlines()[0]
            raise InputError(f"can't load {self.weights_path(step)} ({reason}): replace the file") from error


def build_model(config: Any, *, seed: int, device: "torch.device", dtype: "torch.dtype") -> Any:
    """A causal language model, initialised on the CPU from the seed; the global random state is left as it was."""
    import torch
    from transformers import AutoModelForCausalLM

    with torch.random.fork_rng(devices=[]):
        # Not torch.manual_seed: that would also seed every GPU's global generator.
        torch.default_generator.manual_seed(seed)
        model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    return model.to(device=device, dtype=dtype)
