"""The observation column of the ledger: what transformers do, measured with the estimators of the simulations.

`observe` measures a model; `PROVIDER` does the same for the command line. A claim is observed by a module of this
package that declares ``CLAIM`` and ``observe(study, progress)``; nothing else needs to know it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from manifoldtheory.ledger.providers import Progress, Size, silent
from real_models.provider import PROVIDER

if TYPE_CHECKING:
    from manifoldtheory.ledger import Evidence

__all__ = ["PROVIDER", "observe"]


def observe(
    model: str = "builtin-gpt-neox",
    *,
    claims: tuple[str, ...] | None = None,
    size: Size = "default",
    seed: int = 0,
    device: str = "auto",
    dtype: str = "float32",
    rank: int = 8,
    fit_window: str | Sequence[float] | Sequence[int] = (0.0, 0.3),
    steps: int | None = None,
    corpus: str | None = None,
    progress: Progress = silent,
) -> "list[Evidence]":
    """Evidence on a model at its checkpoints and layers; a model known by name is trained first, and kept.

    Args:
        model: a known name, or the path of a folder with ``config.json``, ``tokenizer.json`` and
            ``step-<n>/model.safetensors``.
        claims: slugs; all claims observed here when not given.
        size: ``"smoke"`` (untrained), ``"default"`` or ``"thorough"`` (three seeds, longer training, more text).
        seed: of initialisation, batches and p-values.
        device: ``"auto"``, ``"cpu"`` or ``"cuda"``.
        dtype: ``"float32"``, the only one that models are run in; moments are accumulated in float64.
        rank: k of the tangent proxies, 2k < d.
        fit_window: checkpoints that the proxies are fitted on: two fractions of the training, or a list of steps.
        steps: training steps; as many as the size says when not given.
        corpus: path of a text file or of a folder of .txt files; Python's own documentation when not given.
        progress: called with a message, the units done and the units in all.

    Raises `InputError` before any work for whatever of this is unknown, out of range or unreadable.
    """
    return PROVIDER.observe(
        model,
        claims=claims,
        size=size,
        seed=seed,
        device=device,
        dtype=dtype,
        progress=progress,
        options={"rank": rank, "fit_window": fit_window, "steps": steps, "corpus": corpus},
    )
