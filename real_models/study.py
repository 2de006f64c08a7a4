"""What is observed: one model with one seed, the text it reads, and the options that all observations share."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manifoldtheory.errors import InputError
from manifoldtheory.ledger import Progress, Request, Size
from real_models.cache import cache_folder, require_writable
from real_models.checkpoints import CheckpointFolder
from real_models.corpora import Corpus, python_documentation, python_topics, read_corpus
from real_models.fit_windows import FitWindow
from real_models.registry import DEFAULT_MODEL, Architecture, find_architecture, find_model
from real_models.training import Recipe, is_complete, trained, training_key

if TYPE_CHECKING:
    import torch

    from real_models.capture import TokenBatch

DEFAULT_RANK = 8
DTYPE = "float32"
"""Number type of the models, whatever the simulations use; moments are float64."""

BLOCKS = 8
"""Blocks of measurement text, the units of the jackknife."""

SMOKE = Recipe(hidden_size=64, layers=2, heads=2, vocabulary=512, context=64, steps=0)
"""The model of a smoke run: as initialised, on less text."""


@dataclass(frozen=True)
class Amounts:
    """How much is computed at a size: windows of text to fit on and in a measurement block, seeds, training steps."""

    fit_windows: int
    block_windows: int
    seeds: int
    steps: int


AMOUNTS: Mapping[Size, Amounts] = {
    "smoke": Amounts(fit_windows=16, block_windows=4, seeds=1, steps=0),
    "default": Amounts(fit_windows=32, block_windows=8, seeds=1, steps=400),
    "thorough": Amounts(fit_windows=128, block_windows=48, seeds=3, steps=1000),
}


@dataclass(frozen=True)
class Study:
    """One model, its checkpoints and its text. `studies` makes them, validated."""

    name: str
    source: Recipe | CheckpointFolder
    corpus: Corpus
    seed: int
    device: str
    rank: int
    fit_window: FitWindow
    size: Size

    @property
    def steps(self) -> tuple[int, ...]:
        """Training steps of the checkpoints that are measured; in a smoke run the first only."""
        steps = self.source.checkpoints if isinstance(self.source, Recipe) else self.source.steps
        return steps[:1] if self.size == "smoke" else steps

    @property
    def fit_steps(self) -> tuple[int, ...]:
        """Those that the tangent proxies are fitted on."""
        return self.fit_window.select(self.steps)

    @property
    def hidden_size(self) -> int:
        """Width d of the residual stream."""
        return self.source.hidden_size if isinstance(self.source, Recipe) else self.source.config.hidden_size

    @property
    def context(self) -> int:
        """Tokens in a window."""
        if isinstance(self.source, Recipe):
            return self.source.context
        return min(Recipe.context, self.source.config.max_position_embeddings)

    @property
    def architecture(self) -> Architecture:
        """Where the model keeps what is captured."""
        return find_architecture("gpt_neox" if isinstance(self.source, Recipe) else self.source.config.model_type)

    @cached_property
    def torch_device(self) -> "torch.device":
        """The device, ``auto`` resolved. Raises `InputError` when it isn't there."""
        import torch

        if self.device == "auto":
            return torch.device("cuda" if torch.cuda.is_available() else "cpu")
        try:
            device = torch.device(self.device)
        except RuntimeError:
            raise InputError(f"unknown device {self.device!r}: choose auto, cpu or cuda") from None
        if device.type == "cuda" and not torch.cuda.is_available():
            raise InputError(f"device {self.device!r} asked for, but PyTorch sees no CUDA device: use cpu")
        return device

    @property
    def identity(self) -> dict[str, Any]:
        """What decides the result, JSON-ready."""
        recipe = asdict(self.source) if isinstance(self.source, Recipe) else {"digests": self.source.digests}
        amounts = asdict(AMOUNTS[self.size])
        return {
            "model": self.name,
            "training": recipe,
            "corpus": self.corpus.name,
            "corpus_sha256": self.corpus.sha256,
            "rank": self.rank,
            "fit_window": str(self.fit_window),
            "fit_steps": list(self.fit_steps),
            "text": {"blocks": BLOCKS, "fit": amounts["fit_windows"], "block": amounts["block_windows"]},
            "dtype": DTYPE,
        }

    def check(self) -> None:
        """Raises `InputError` for whatever can be known to fail before any work is done."""
        if self.rank < 1 or 2 * self.rank >= self.hidden_size:
            raise InputError(
                f"rank {self.rank} is out of range for {self.name} with hidden size d = {self.hidden_size}: matched "
                f"controls need 1 ≤ rank and 2·rank < d, so choose at most {(self.hidden_size - 1) // 2}"
            )
        self.architecture  # noqa: B018  (an unknown one raises)
        self.fit_steps  # noqa: B018
        if self._cache is not None and not is_complete(self._cache, self._recipe):
            require_writable(self._cache.parent)
        if isinstance(self.source, CheckpointFolder):
            self.source.tokenizer  # noqa: B018

    @property
    def _recipe(self) -> Recipe:
        assert isinstance(self.source, Recipe)
        return self.source

    @cached_property
    def _cache(self) -> Path | None:
        """Folder of the training, or ``None`` where nothing is trained."""
        if not isinstance(self.source, Recipe) or self.source.steps == 0:
            return None
        return cache_folder() / "models" / f"{self.name}-{training_key(self.source, self.corpus, self.torch_device)}"

    @contextmanager
    def checkpoints(self, progress: Progress) -> Iterator[CheckpointFolder]:
        """The checkpoints, trained first if need be; an untrained model lives in a temporary folder meanwhile."""
        if isinstance(self.source, CheckpointFolder):
            yield self.source
        elif self._cache is not None:
            yield trained(self.source, self.corpus, self._cache, device=self.torch_device, progress=progress)
        else:
            with tempfile.TemporaryDirectory(prefix="manifoldtheory-") as folder:
                yield trained(self.source, self.corpus, Path(folder), device=self.torch_device, progress=progress)

    def fit_text(self, checkpoints: CheckpointFolder) -> list["TokenBatch"]:
        """Batches of the fit split."""
        return self._batches(checkpoints, "fit", 1, AMOUNTS[self.size].fit_windows)[0]

    def measurement_text(self, checkpoints: CheckpointFolder) -> list[list["TokenBatch"]]:
        """Batches of the measurement split, in `BLOCKS` blocks of separate text."""
        return self._batches(checkpoints, "measurement", BLOCKS, AMOUNTS[self.size].block_windows)

    def _batches(self, checkpoints: CheckpointFolder, split: Any, blocks: int, each: int) -> list[list["TokenBatch"]]:
        from real_models.capture import TokenBatch
        from real_models.tokenisation import windows

        tokens = windows(checkpoints.tokenizer, self.corpus.split(split), blocks * each, self.context, multiple=blocks)
        return [
            [TokenBatch.from_windows(batch) for batch in block.split(Recipe.batch)]
            for block in tokens.unflatten(0, (blocks, -1))
        ]


def studies(request: Request) -> list[Study]:
    """The studies that a request asks for, one per seed, each checked.

    Reads the options model, rank, fit_window, corpus (a path) and steps. Raises `InputError` before any work is done.
    """
    options = {name: value for name, value in request.options.items() if value is not None}
    name, source = find_model(str(options.get("model", DEFAULT_MODEL)))
    smoke = request.size == "smoke"
    amounts = AMOUNTS[request.size]
    steps = _whole("steps", options.get("steps", amounts.steps), least=0 if smoke else 1)
    if isinstance(source, Recipe):
        if smoke and options.get("steps"):
            raise InputError("a smoke run trains nothing: leave out the steps, or the size")
        source = SMOKE if smoke else replace(source, steps=steps)
    elif "steps" in options:
        raise InputError(f"steps belong to models that are trained here, and {name} is a folder: leave them out")
    path = options.get("corpus")
    if path is not None:
        corpus = read_corpus(Path(str(path)).expanduser())
    else:
        corpus = python_topics() if smoke else python_documentation()
    rank = _whole("rank", options.get("rank", DEFAULT_RANK), least=1)
    window = FitWindow.parse(options["fit_window"]) if "fit_window" in options else FitWindow()
    seeds = range(request.seed, request.seed + (amounts.seeds if isinstance(source, Recipe) else 1))
    found = []
    for seed in seeds:
        seeded = replace(source, seed=seed) if isinstance(source, Recipe) else source
        study = Study(name, seeded, corpus, seed, request.device, rank, window, request.size)
        study.check()
        found.append(study)
    return found


def _whole(name: str, value: Any, *, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{name} {value!r} is not a whole number of at least {least}: change it")
    return value
