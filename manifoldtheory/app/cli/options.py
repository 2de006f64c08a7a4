"""The options that commands share, and how they become a `Request`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from manifoldtheory.errors import InputError

if TYPE_CHECKING:
    from manifoldtheory.ledger import Request, Size

DEVICES = ("auto", "cpu", "cuda")
DTYPES = ("float64", "float32")
SIZES = ("smoke", "default", "thorough")

Claims = Annotated[
    list[str] | None,
    typer.Argument(metavar="[CLAIM]...", help="Claims by their slug; all of them when none is given."),
]
Json = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON array of evidence records on stdout and nothing else."),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of every random generator of the run.")]
Device = Annotated[str, typer.Option("--device", metavar="|".join(DEVICES), help="Where tensors are computed.")]
Dtype = Annotated[str, typer.Option("--dtype", metavar="|".join(DTYPES), help="Number type of the simulations.")]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FOLDER",
        help="Run folder; the same run is resumed, another is refused. Default: runs/<command>-<date>-<time>.",
    ),
]
Size_ = Annotated[str, typer.Option("--size", metavar="|".join(SIZES), help="How much to compute.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress; errors only.")]
Latex = Annotated[
    bool,
    typer.Option(
        "--latex",
        help="Print a LaTeX document of the claims (amsmath only) on stdout and nothing else; with --steps, the steps.",
    ),
]
Python = Annotated[
    bool,
    typer.Option(
        "--python",
        help="Print a Python module on stdout and nothing else: the predictions as functions of named floats.",
    ),
]
Order = Annotated[
    int | None,
    typer.Option(
        "--order",
        metavar="N",
        help="Continue the expansions of chord-arc through order N, on Monge patches, sphere, ellipsoid and torus.",
    ),
]
Graph = Annotated[
    str | None,
    typer.Option(
        "--graph",
        metavar="EXPR",
        help='Expand on this graph instead, of x, y, z or u1, u2, …: "x**2 - 3*x*y + y**3"; heights separated by ";".',
    ),
]
Align = Annotated[
    bool,
    typer.Option("--align", help="Turn the ambient space so that a tilted graph lies over its tangent space."),
]
Certificate = Annotated[
    Path | None,
    typer.Option("--certificate", metavar="FILE", help="Write the proof of the one CLAIM given, for others to check."),
]
Check = Annotated[
    Path | None,
    typer.Option(
        "--check",
        metavar="FILE",
        help="Verify such a certificate, deriving nothing. Exit status 1 when a step of it does not follow.",
    ),
]
Manifolds = Annotated[
    list[str] | None,
    typer.Option("--manifold", metavar="NAME", help="Simulate on this manifold only; can be given several times."),
]
Model = Annotated[str | None, typer.Option("--model", metavar="MODEL", help="Name or path of the model to observe.")]
Rank = Annotated[int | None, typer.Option("--rank", metavar="K", min=1, help="Dimension k of the tangent proxy Q_T.")]
FitWindow = Annotated[
    str | None,
    typer.Option(
        "--fit-window",
        metavar="LOW:HIGH|STEPS",
        help="Checkpoints that Q_T is fitted on: fractions of the training, 0:0.3 for the first 30 %, or steps, 32,64.",
    ),
]
Corpus = Annotated[
    Path | None, typer.Option("--corpus", metavar="PATH", help="Text file, or folder of them, to train and measure on.")
]
Steps = Annotated[
    int | None, typer.Option("--steps", metavar="N", min=1, help="Training steps of the model trained here.")
]


def choice(option: str, value: str, choices: Sequence[str]) -> str:
    """The value, when it is one of the choices; raises `InputError` otherwise."""
    if value not in choices:
        raise InputError(f"unknown {option} {value!r}: choose among {', '.join(choices)}")
    return value


def resolve_device(name: str, *, tensors: bool = True) -> str:
    """The device that ``auto`` stands for, or the one named; raises `InputError` when it isn't there.

    Without `tensors` (a command that computes none) ``auto`` is the CPU, and PyTorch is not imported to find out.
    """
    choice("--device", name, DEVICES)
    if name == "cpu" or (name == "auto" and not tensors):
        return "cpu"
    try:
        import torch
    except ImportError as error:
        raise InputError(f"PyTorch can't be imported ({error}): run `make install`") from error
    if torch.cuda.is_available():
        return "cuda"
    if name == "cuda":
        raise InputError(
            "--device cuda, but PyTorch sees no CUDA device: use --device cpu, or install a CUDA build of PyTorch"
        )
    return "cpu"


def build_request(
    *,
    claims: Sequence[str] | None = None,
    size: str,
    seed: int,
    device: str,
    dtype: str,
    tensors: bool = True,
    **options: Any,
) -> "Request":
    """A validated `Request`; options that were not given (``None`` or empty) are left out of it."""
    from manifoldtheory.ledger import Request

    if options.get("corpus") is not None:
        options["corpus"] = str(options["corpus"])
    if options.get("manifold") is not None:
        options["manifold"] = tuple(options["manifold"])
    return Request(
        claims=tuple(claims) if claims else None,
        size=cast("Size", choice("--size", size, SIZES)),
        seed=seed,
        device=resolve_device(device, tensors=tensors),
        dtype=choice("--dtype", dtype, DTYPES),
        options={name: value for name, value in options.items() if value not in (None, ())},
    )
