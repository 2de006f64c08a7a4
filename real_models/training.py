"""Trains small models from scratch, here and now, and keeps their checkpoints.

A training is named by everything that decides its weights (`training_key`), so a second run finds it. A record with
the hash of every file is written last: what was interrupted, or damaged since, has no valid record and is trained anew.
"""

import hashlib
import json
import math
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manifoldtheory.ledger.providers import Progress, silent
from manifoldtheory.ledger.runs import write_atomically
from real_models.checkpoints import CONFIG, TOKENIZER, CheckpointFolder, build_model
from real_models.corpora import Corpus

if TYPE_CHECKING:
    import torch

RECORD = "training.json"
FORMAT = 1
"""Raised whenever the meaning of a recipe changes, so that old trainings are not taken for new ones."""


@dataclass(frozen=True)
class Recipe:
    """A GPT-NeoX (Pythia's architecture, with its rotary fraction and parallel residual) and how it is trained.

    AdamW with betas (0.9, 0.95), gradients clipped at norm 1, linear warm-up, cosine decay to a tenth of the rate.
    A step sees `batch` windows of `context` tokens, drawn with replacement from the train split.
    """

    hidden_size: int = 128
    layers: int = 4
    heads: int = 4
    vocabulary: int = 2048
    context: int = 128
    batch: int = 8
    steps: int = 400
    learning_rate: float = 3e-3
    warmup: int = 20
    weight_decay: float = 0.01
    seed: int = 0

    @property
    def checkpoints(self) -> tuple[int, ...]:
        """Steps that are kept: 0, powers of two, from 48 on those halfway between, and the last, which stands apart."""
        powers = [2**power for power in range(self.steps.bit_length())]
        between = [3 * power // 2 for power in powers if power >= 32]
        return tuple(sorted({0, self.steps} | {step for step in powers + between if step <= 0.8 * self.steps}))

    def config(self, vocabulary: int) -> Any:
        """The transformers configuration, for a tokenizer with so many entries."""
        from transformers import GPTNeoXConfig

        return GPTNeoXConfig(
            vocab_size=vocabulary,
            hidden_size=self.hidden_size,
            num_hidden_layers=self.layers,
            num_attention_heads=self.heads,
            intermediate_size=4 * self.hidden_size,
            max_position_embeddings=self.context,
            bos_token_id=0,
            eos_token_id=0,
            use_cache=False,
        )

    def rate(self, step: int) -> float:
        """Learning rate of a step, counted from 1."""
        if step <= self.warmup:
            return self.learning_rate * step / self.warmup
        progress = (step - self.warmup) / max(1, self.steps - self.warmup)
        return self.learning_rate * (0.1 + 0.9 * (1 + math.cos(math.pi * progress)) / 2)


def training_key(recipe: Recipe, corpus: Corpus, device: "torch.device") -> str:
    """Hash of all that decides the weights: recipe, corpus, kind of device, and the versions of the libraries."""
    versions = {name: version(name) for name in ("torch", "transformers", "tokenizers")}
    decides = {
        "format": FORMAT,
        "recipe": asdict(recipe),
        "corpus": corpus.sha256,
        "device": device.type,
        "versions": versions,
    }
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:16]


def is_complete(folder: Path, recipe: Recipe) -> bool:
    """Whether the folder holds this whole training, every file as it was written."""
    try:
        digests = json.loads((folder / RECORD).read_text())["files"]
        expected = {CONFIG, TOKENIZER, *(f"step-{step}/model.safetensors" for step in recipe.checkpoints)}
        return set(digests) == expected and all(_digest(folder / name) == digests[name] for name in expected)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def trained(
    recipe: Recipe, corpus: Corpus, folder: Path, *, device: "torch.device", progress: Progress = silent
) -> CheckpointFolder:
    """The checkpoints of a training: those in the folder when they are complete, else trained now."""
    if not is_complete(folder, recipe):
        train(recipe, corpus, folder, device=device, progress=progress)
    return CheckpointFolder(folder)


def train(recipe: Recipe, corpus: Corpus, folder: Path, *, device: "torch.device", progress: Progress = silent) -> None:
    """Trains a model in float32 and writes tokenizer, configuration and checkpoints, then the record of them all."""
    import torch
    from safetensors.torch import save

    from real_models.tokenisation import token_stream, train_tokenizer

    (folder / RECORD).unlink(missing_ok=True)
    digests: dict[str, str] = {}

    def keep(name: str, content: bytes) -> None:
        write_atomically(folder / name, content)
        digests[name] = hashlib.sha256(content).hexdigest()

    progress("training the tokenizer", 0, recipe.steps)
    documents = corpus.split("train")
    tokenizer = train_tokenizer(documents, recipe.vocabulary)
    keep(TOKENIZER, tokenizer.to_str().encode())
    config = recipe.config(tokenizer.get_vocab_size())
    keep(CONFIG, config.to_json_string().encode())
    stream = token_stream(tokenizer, documents)
    model = build_model(config, seed=recipe.seed, device=device, dtype=torch.float32).train()
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.95), weight_decay=recipe.weight_decay)
    generator = torch.Generator().manual_seed(recipe.seed)
    offsets = torch.arange(recipe.context + 1)
    losses: list[float] = []
    for step in range(recipe.steps + 1):
        if step:
            starts = torch.randint(len(stream) - recipe.context, (recipe.batch, 1), generator=generator)
            batch = stream[starts + offsets].to(device)
            losses.append(_train_step(model, optimizer, batch, recipe.rate(step)))
            progress(f"training: step {step}, loss {losses[-1]:.2f} nats per token", step, recipe.steps)
        if step in recipe.checkpoints:
            weights = {name: tensor.detach().cpu().contiguous() for name, tensor in model.state_dict().items()}
            keep(f"step-{step}/model.safetensors", save(weights))
    record = {"recipe": asdict(recipe), "corpus": corpus.sha256, "losses": losses, "files": digests}
    write_atomically(folder / RECORD, json.dumps(record, indent=2).encode())


def _train_step(model: Any, optimizer: "torch.optim.Optimizer", batch: "torch.Tensor", rate: float) -> float:
    import torch

    for group in optimizer.param_groups:
        group["lr"] = rate
    logits = model(input_ids=batch[:, :-1]).logits
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item()
