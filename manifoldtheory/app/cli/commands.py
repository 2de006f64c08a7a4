"""The commands. Whatever is heavy is imported inside them: ``--help`` must answer at once."""

import contextlib
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from manifoldtheory.app.cli import options as opt
from manifoldtheory.errors import InputError

if TYPE_CHECKING:
    from manifoldtheory.ledger import Evidence, Kind, Request

ARGV = "manifoldtheory.argv"


class Commands(TyperGroup):
    """Remembers the arguments as typed, for the manifest, and turns `InputError` into one line and exit status 2."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta[ARGV] = tuple(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except InputError as error:
            typer.echo(f"error: {' '.join(str(error).split())}", err=True)
            raise typer.Exit(2) from error
        except KeyboardInterrupt:
            typer.echo("interrupted", err=True)
            raise typer.Exit(130) from None


app = typer.Typer(
    cls=Commands,
    name="manifoldtheory",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # rich help panels cost 0.15 s, half of what --help may take
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"manifoldtheory {version('manifoldtheory')}")
        except PackageNotFoundError:
            typer.echo("error: not installed, only the source is on the path: run `make install`", err=True)
            raise typer.Exit(2) from None
        raise typer.Exit


@app.callback(
    help="Derives (SymPy), simulates (Monte Carlo) and observes (transformers) a theory of why the token "
    "representations of transformers are anisotropic, and keeps a ledger of what holds.\n\n"
    "Exit status: 0; 1 when a proof fails or a simulation contradicts its proof; 2 for bad usage or input; "
    "130 when interrupted (the same command with --out finishes the run).",
)
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None: ...


def _run(
    ctx: typer.Context, command: str, kinds: Sequence["Kind"], request: "Request", *, out: Path | None, quiet: bool
) -> tuple[Path, list["Evidence"], dict[str, Any]]:
    from manifoldtheory.app.cli.execution import installed_columns, run_columns, select_columns

    columns = select_columns(installed_columns(), kinds)
    folder, evidence = run_columns(command, request, columns, argv=ctx.meta[ARGV], out=out, quiet=quiet)
    return folder.path, evidence, columns


def _conclude(
    path: Path,
    evidence: Sequence["Evidence"],
    columns: dict[str, Any],
    *,
    json: bool,
    quiet: bool,
    to_file: bool = False,
) -> None:
    """Prints the result and where the report is; exits with 1 when the evidence fails.

    With `to_file` stdout is complete already.
    """
    from manifoldtheory.app.cli import printing
    from manifoldtheory.app.cli.execution import failures

    failed = failures(evidence)
    if json:
        printing.print_json([record.to_dict() for record in evidence])
    elif not quiet and not to_file:
        printing.print_ledger(evidence, columns)
    printing.print_failures(failed)
    if not ((json or to_file) and quiet):
        typer.echo(f"report: {path / 'report.html'}", err=json or to_file)
    if failed:
        raise typer.Exit(1)


@app.command()
def claims(json: Annotated[bool, typer.Option("--json", help="Print one JSON array of the claims.")] = False) -> None:
    """List the claims and the evidence there is for each."""
    from manifoldtheory.app.cli import printing
    from manifoldtheory.app.cli.execution import installed_columns

    providers = installed_columns()
    if json:
        printing.print_json(printing.claims_record(providers))
    else:
        printing.print_claims(providers)


@app.command()
def prove(
    ctx: typer.Context,
    claims: opt.Claims = None,
    steps: Annotated[bool, typer.Option("--steps", help="Print each step of the derivations.")] = False,
    latex: opt.Latex = False,
    python: opt.Python = False,
    order: opt.Order = None,
    graph: opt.Graph = None,
    align: opt.Align = False,
    certificate: opt.Certificate = None,
    check: opt.Check = None,
    json: opt.Json = False,
    seed: opt.Seed = 0,
    device: opt.Device = "auto",
    dtype: opt.Dtype = "float64",
    out: opt.Out = None,
    size: opt.Size_ = "default",
    quiet: opt.Quiet = False,
) -> None:
    """Derive the claims with SymPy, in checked steps.

    Prints for each the statements, the verdict, and the predictions that the other kinds of evidence are held to.
    """
    from manifoldtheory.app.cli import certificates, documents, printing
    from manifoldtheory.ledger import Kind

    to_file = documents.check_forms(latex=latex, python=python, json=json, steps=steps)
    if check is not None:
        if claims or certificate is not None or to_file or steps or order is not None or graph is not None:
            raise InputError(
                "--check verifies a file and derives nothing: give it without a CLAIM, --certificate, --steps, "
                "--latex, --python, --order or --graph"
            )
        raise typer.Exit(certificates.verify_file(check, json=json, quiet=quiet))
    if certificate is not None:
        certificates.require_one_claim(claims, certificate)
    request = opt.build_request(
        claims=claims, size=size, seed=seed, device=device, dtype=dtype, tensors=False, order=order, graph=graph,
        align=align or None,
    )  # fmt: skip
    path, evidence, columns = _run(ctx, "prove", [Kind.PROOF], request, out=out, quiet=quiet)
    if certificate is not None and claims:
        certificates.write_file(certificate, claims[0], columns)
        typer.echo(f"certificate: {certificate}", err=json or to_file)
    expansions = documents.expansions_of(request, columns)
    if latex:
        typer.echo(documents.latex_of(evidence, columns, expansions, steps=steps), nl=False)
    elif python:
        typer.echo(documents.python_of(evidence, columns, expansions), nl=False)
    elif not json and not quiet:
        printing.print_proofs(evidence, columns, steps=steps)
        printing.print_expansions(expansions)
    _conclude(path, evidence, columns, json=json, quiet=quiet, to_file=to_file)


@app.command()
def simulate(
    ctx: typer.Context,
    claims: opt.Claims = None,
    manifold: opt.Manifolds = None,
    json: opt.Json = False,
    seed: opt.Seed = 0,
    device: opt.Device = "auto",
    dtype: opt.Dtype = "float64",
    out: opt.Out = None,
    size: opt.Size_ = "default",
    quiet: opt.Quiet = False,
) -> None:
    """Simulate the claims by Monte Carlo on manifolds.

    Every measurement is compared with the prediction of the claim's proof.
    """
    from manifoldtheory.ledger import Kind

    request = opt.build_request(claims=claims, size=size, seed=seed, device=device, dtype=dtype, manifold=manifold)
    path, evidence, columns = _run(ctx, "simulate", [Kind.SIMULATION], request, out=out, quiet=quiet)
    _conclude(path, evidence, columns, json=json, quiet=quiet)


@app.command()
def observe(
    ctx: typer.Context,
    model: Annotated[str | None, typer.Argument(metavar="[MODEL]", help="Name or path of the model.")] = None,
    model_option: Annotated[
        str | None, typer.Option("--model", metavar="MODEL", help="The same, as an option.")
    ] = None,
    rank: opt.Rank = None,
    fit_window: opt.FitWindow = None,
    corpus: opt.Corpus = None,
    steps: opt.Steps = None,
    json: opt.Json = False,
    seed: opt.Seed = 0,
    device: opt.Device = "auto",
    dtype: opt.Dtype = "float64",
    out: opt.Out = None,
    size: opt.Size_ = "default",
    quiet: opt.Quiet = False,
) -> None:
    """Measure a transformer over its training.

    Without MODEL a small one is trained here, on the documentation that comes with Python.
    """
    from manifoldtheory.ledger import Kind

    if model is not None and model_option is not None and model != model_option:
        raise InputError(f"two models, {model!r} and --model {model_option!r}: give one")
    request = opt.build_request(
        size=size, seed=seed, device=device, dtype=dtype, model=model if model is not None else model_option, rank=rank,
        fit_window=fit_window, corpus=corpus, steps=steps,
    )  # fmt: skip
    path, evidence, columns = _run(ctx, "observe", [Kind.OBSERVATION], request, out=out, quiet=quiet)
    _conclude(path, evidence, columns, json=json, quiet=quiet)


@app.command()
def verify(
    ctx: typer.Context,
    model: opt.Model = None,
    rank: opt.Rank = None,
    fit_window: opt.FitWindow = None,
    corpus: opt.Corpus = None,
    steps: opt.Steps = None,
    json: opt.Json = False,
    seed: opt.Seed = 0,
    device: opt.Device = "auto",
    dtype: opt.Dtype = "float64",
    out: opt.Out = None,
    size: opt.Size_ = "default",
    quiet: opt.Quiet = False,
) -> None:
    """The main job: prove, simulate, observe, compare, report."""
    from manifoldtheory.ledger import Kind

    request = opt.build_request(
        size=size, seed=seed, device=device, dtype=dtype, model=model, rank=rank,
        fit_window=fit_window, corpus=corpus, steps=steps,
    )  # fmt: skip
    path, evidence, columns = _run(ctx, "verify", list(Kind), request, out=out, quiet=quiet)
    _conclude(path, evidence, columns, json=json, quiet=quiet)


@app.command()
def compare(
    runs: Annotated[
        list[Path] | None, typer.Argument(metavar="[RUN]...", help="Run folders; the latest in runs/ by default.")
    ] = None,
    json: opt.Json = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FOLDER", help="Folder for the figure. Default: the first RUN's.")
    ] = None,
) -> None:
    """Put synthetic and real R_energy side by side.

    One table, and one figure with one axis, from the evidence of one or more runs.
    """
    from manifoldtheory.app.cli import printing
    from manifoldtheory.app.cli.comparing import compare_runs, latest_run

    folders = runs or [latest_run(Path("runs"))]
    comparison, figures = compare_runs(folders, out or folders[0] / "figures")
    if json:
        printing.print_json([row.evidence.to_dict() for row in comparison.rows])
    else:
        printing.print_comparison(comparison)
    for figure in figures:
        typer.echo(f"figure: {figure}", err=json)


@app.command()
def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a finished run.")],
    json: opt.Json = False,
) -> None:
    """Write the report of a finished run again."""
    from manifoldtheory.app.cli import printing
    from manifoldtheory.app.cli.execution import installed_columns
    from manifoldtheory.app.report import write_report
    from manifoldtheory.ledger import RunFolder

    folder = RunFolder.load(run)
    evidence = folder.evidence
    page = write_report(folder, installed_columns())
    if json:
        printing.print_json([record.to_dict() for record in evidence])
    typer.echo(f"report: {page}", err=json)


@app.command()
def doctor(json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False) -> None:
    """Say what is installed, from where, and what is missing.

    Exit status 2 when something is missing; --json prints one JSON object.
    """
    from manifoldtheory.app.cli import printing
    from manifoldtheory.app.cli.doctor import examine

    findings = examine()
    if json:
        printing.print_json(findings)
    else:
        printing.print_findings(findings)
    if findings["missing"]:
        raise typer.Exit(2)


def main() -> None:
    """The entry point of the command ``manifoldtheory``."""
    # Imports make many objects and little garbage: the default threshold spends a fifth of their time on collections.
    gc.set_threshold(100_000, 50, 100)
    # Threads that spin while they wait for each other keep the other processes of a run from the cores.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    status: int | str | None = 0
    try:
        app()
    except KeyboardInterrupt:
        status = 130
    except SystemExit as leaving:
        status = leaving.code
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.flush()
        sys.stderr.flush()
    # Everything is on disk, and taking torch and transformers down again costs seconds.
    os._exit(status if isinstance(status, int) else int(bool(status)))
