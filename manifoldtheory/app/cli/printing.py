"""Results on a terminal: tables with rich, or JSON. Text from outside is printed as it is, never as markup."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from manifoldtheory.app.cli.formulas import expansion_lines, pretty_formula, pretty_symbols
from manifoldtheory.app.cli.python_module import FormulaGroup
from manifoldtheory.app.report.derivations import DerivationView, view_derivation
from manifoldtheory.app.report.tables import (
    SYMBOLS,
    Comparison,
    claims_of,
    ledger,
    number,
    probability,
)
from manifoldtheory.ledger import Claim, Evidence, Kind, Prediction, Provider, Verdict

STYLES = {Verdict.SUPPORTS: "green", Verdict.REFUTES: "bold red", Verdict.INCONCLUSIVE: "yellow"}
MOST_LINES = 8
"""Lines of a remainder that is printed beside its prediction."""
PIPE_WIDTH = 160
"""Columns of a table that goes to a file or pipe, which has no width of its own."""


def _console(*, stderr: bool = False) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PIPE_WIDTH
    return Console(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)


def _indented(text: str, spaces: int) -> Padding:
    return Padding(text, (0, 0, 0, spaces), expand=False)


def print_json(value: Any) -> None:
    """JSON on stdout; a list with one element per line."""
    if isinstance(value, list):
        body = ",\n".join(json.dumps(element, ensure_ascii=False, allow_nan=False) for element in value)
        print(f"[\n{body}\n]" if body else "[]")
    else:
        print(json.dumps(value, ensure_ascii=False, indent=2))


def claims_record(providers: Mapping[str, Provider]) -> list[dict[str, Any]]:
    """The claims, JSON-ready: slug, title, section, source, columns and statements with their hypotheses."""
    return [
        {
            "slug": slug,
            "title": claim.title,
            "section": claim.section,
            "source": claim.source,
            "columns": _columns_with(slug, providers),
            "statements": [
                {
                    "form": str(statement.form),
                    "text": statement.text,
                    "hypotheses": {hypothesis.name: hypothesis.text for hypothesis in statement.hypotheses},
                }
                for statement in claim.statements
            ],
        }
        for slug, claim in claims_of(providers).items()
    ]


def _columns_with(slug: str, providers: Mapping[str, Provider]) -> list[str]:
    kinds = {provider.kind for provider in providers.values() if slug in provider.claims()}
    return [str(kind) for kind in Kind if kind in kinds]


def print_claims(providers: Mapping[str, Provider]) -> None:
    """A table of claims: which kinds of evidence there are, and the statements."""
    table = Table("claim", *(str(kind) for kind in Kind), "statements", show_lines=True)
    for slug, claim in claims_of(providers).items():
        columns = _columns_with(slug, providers)
        statements = "\n".join(f"{statement.form}: {statement.text}" for statement in claim.statements)
        table.add_row(slug, *("✓" if kind in columns else "–" for kind in Kind), statements)
    _console().print(table)


def print_ledger(evidence: Sequence[Evidence], providers: Mapping[str, Provider]) -> None:
    """The ledger: a verdict and the number of records per claim, form and kind of evidence."""
    from rich.text import Text

    kinds = [kind for kind in Kind if any(record.kind == kind for record in evidence)]
    table = Table("claim", "form", *(str(kind) for kind in kinds))
    for row in ledger(evidence, claims_of(providers)):
        cells = dict(zip(Kind, row.cells, strict=True))
        texts = [
            Text(
                f"{cell.text} ({cell.counts})" if cell.verdict else "–",
                STYLES[cell.verdict] if cell.verdict else "dim",
            )
            for cell in (cells[kind] for kind in kinds)
        ]
        table.add_row(row.claim, str(row.form), *texts)
    _console().print(table)


def print_failures(failed: Sequence[Evidence], limit: int = 20) -> None:
    """On stderr, the records that make the run fail."""
    console = _console(stderr=True)
    for record in failed[:limit]:
        what = "the proof does not hold" if record.kind == Kind.PROOF else "the simulation contradicts its proof"
        cell = " ".join(part for part in (record.subject, record.layer, record.bin) if part)
        values = f"measured {number(record.measured)}, predicted {number(record.predicted)}"
        console.print(
            f"failed: {record.claim}: {what}: {record.quantity} {cell} ({values})", style="red", soft_wrap=True
        )
    if len(failed) > limit:
        console.print(f"failed: {len(failed) - limit} more, in evidence.parquet", style="red")


def print_proofs(evidence: Sequence[Evidence], providers: Mapping[str, Provider], *, steps: bool = False) -> None:
    """Per proved claim its statements, verdict, predictions, counterexamples, and the steps or their number."""
    for claim, records, provider in proofs_of(evidence, providers):
        _print_proof(claim, records, provider, steps=steps)


def proofs_of(
    evidence: Sequence[Evidence], providers: Mapping[str, Provider]
) -> Iterator[tuple[Claim, Sequence[Evidence], Provider]]:
    """Each proved claim with its records and the column that proved it."""
    claims = claims_of(providers)
    for slug in dict.fromkeys(record.claim for record in evidence if record.kind == Kind.PROOF):
        records = [record for record in evidence if record.claim == slug and record.kind == Kind.PROOF]
        provider = next(provider for provider in providers.values() if slug in provider.claims())
        yield claims[slug], records, provider


def _print_proof(claim: Claim, records: Sequence[Evidence], provider: Provider, *, steps: bool) -> None:
    console = _console()
    console.print(f"{claim.slug}: {claim.title}", style="bold")
    for statement in claim.statements:
        verdicts = [record.verdict for record in records if record.statement == statement.form]
        worst = next((v for v in (Verdict.REFUTES, Verdict.INCONCLUSIVE, Verdict.SUPPORTS) if v in verdicts), None)
        mark = "–" if worst is None else SYMBOLS[worst]
        console.print(_indented(f"{mark} {statement.form}: {statement.text}", 2))
        for hypothesis in statement.hypotheses:
            console.print(_indented(f"given {hypothesis.name}: {hypothesis.text}", 6), style="dim")
    for name, prediction in provider.predictions(claim.slug).items():
        _print_prediction(console, name, prediction)
    derivation = view_derivation(provider, claim.slug, records)
    if derivation is not None:
        for example in derivation.counterexamples:
            kind = "instance" if example.claimed is None else "counterexample"
            console.print(_indented(f"{kind} {example.name}: {example.text}: {example.values}", 2))
        console.print(_indented(derivation.summary, 2))
        for refusal in derivation.refusals:
            console.print(_indented(refusal, 4), style="red")
        if steps:
            _print_steps(console, derivation)
    console.print()


def _print_prediction(console: Console, name: str, prediction: Prediction) -> None:
    width = console.width - 6
    console.print(_indented(f"{name} =", 2))
    console.print(_indented(pretty_formula(prediction, width), 6), soft_wrap=True)
    if prediction.note:
        console.print(_indented(prediction.note, 4))
    if prediction.remainder is None:
        console.print(_indented("exact", 4))
        return
    remainder = pretty_formula(prediction.remainder, width)
    if remainder.count("\n") < MOST_LINES:
        console.print(_indented("up to a remainder of", 4))
        console.print(_indented(remainder, 6), soft_wrap=True)
    else:
        symbols = pretty_symbols(prediction.remainder)
        console.print(_indented(f"up to a remainder in {symbols} (--latex or --python prints it)", 4))
    if prediction.remainder.note:
        console.print(_indented(prediction.remainder.note, 4))


def print_expansions(groups: Sequence[FormulaGroup]) -> None:
    """Expansions in the radius t under the titles of their groups, power after power."""
    console = _console()
    for group in groups:
        console.print(group.title, style="bold")
        console.print(_indented(group.text, 2))
        for name, prediction in group.predictions.items():
            console.print(_indented(f"{name} =", 2))
            for line in expansion_lines(prediction):
                console.print(_indented(line, 6))
        console.print()


def _print_steps(console: Console, derivation: DerivationView) -> None:
    for chain in derivation.chains:
        if chain.title:
            console.print(_indented(f"{chain.title}:", 4))
        for given in chain.given_text:
            console.print(_indented(f"{given.kind}: {given.text}", 6), style="dim")
        if chain.text:
            console.print(_indented(chain.text, 8))
        for index, step in enumerate(chain.steps, start=1):
            console.print(_indented(f"{index}. {step.title}{f' ({step.rule})' if step.rule else ''}", 6))
            if step.text:
                console.print(_indented(f"= {step.text}", 8))


def print_comparison(comparison: Comparison) -> None:
    """R_energy, synthetic and real, in one table."""
    table = Table("kind", "subject", "quantity", "at", "R", "interval*", "predicted", "p**")
    for line in comparison.headline():
        bounds = f"[{number(line.low)}, {number(line.high)}]" if line.low is not None else "–"
        values = (number(line.ratio), bounds, number(line.predicted), probability(line.p_value))
        table.add_row(str(line.kind), line.subject, line.quantity, line.place, *values)
    console = _console()
    console.print(table)
    console.print("*  95 % for simulations; for observations R is the median over layers and maps, with its range")
    console.print("** largest over layers and maps; activation-energy-ratio is the confound to hold the others against")


def print_findings(findings: Mapping[str, Any]) -> None:
    """What `doctor` found."""
    console = _console()
    device, cache = findings["device"], findings["cache"]
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, version in findings["versions"].items():
        table.add_row(name, version or "missing")
    table.add_row("interpreter", findings["python"])
    table.add_row("git commit", findings["git_commit"] or "not a checkout")
    table.add_row("device", f"{device['auto'] or 'none'} (CUDA: {', '.join(device['cuda']) or 'none'})")
    table.add_row("threads", f"{device['threads'] or '–'} of {device['cpus']} CPUs")
    table.add_row("cache", f"{cache['folder']} ({'writable' if cache['writable'] else 'not writable'})")
    for column in findings["columns"]:
        table.add_row(f"column {column['name']}", f"{column['kind']}: {column['claims']} claims, {column['location']}")
    console.print(table)
    for entry in findings["missing"]:
        console.print(f"missing: {entry['name']}: {entry['fix']}", style="red", soft_wrap=True)
    if not findings["missing"]:
        console.print("nothing is missing", style="green")
