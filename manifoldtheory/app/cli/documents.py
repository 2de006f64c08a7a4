"""Proofs as text to redirect into a file: a LaTeX document, or a Python module. Nothing else goes to stdout then."""

from collections.abc import Mapping, Sequence

from manifoldtheory.app.cli.printing import proofs_of
from manifoldtheory.app.cli.python_module import FormulaGroup
from manifoldtheory.app.report.derivations import view_derivation
from manifoldtheory.errors import InputError
from manifoldtheory.ledger import Claim, Evidence, Form, Provider, Request


def check_forms(*, latex: bool, python: bool, json: bool, steps: bool) -> bool:
    """Whether stdout is a document. Raises `InputError` for more than one form of output at once."""
    asked = [option for option, given in (("--json", json), ("--latex", latex), ("--python", python)) if given]
    if len(asked) > 1:
        raise InputError(f"{' and '.join(asked)} both fill stdout: give one, and the other in a run of its own")
    if python and steps:
        raise InputError("--python writes predictions and has no --steps: give --latex for the steps, or leave it out")
    return latex or python


def expansions_of(request: Request, providers: Mapping[str, Provider]) -> list[FormulaGroup]:
    """The expansions that a request asks for, from the columns that have a method ``expansions(request)``."""
    found = [each for column in providers.values() for each in getattr(column, "expansions", _none)(request)]
    return [FormulaGroup(each.slug, each.title, each.text, each.predictions) for each in found]


def _none(request: Request) -> Sequence[FormulaGroup]:
    return ()


def latex_of(
    evidence: Sequence[Evidence],
    providers: Mapping[str, Provider],
    expansions: Sequence[FormulaGroup] = (),
    *,
    steps: bool,
) -> str:
    """The proved claims as a LaTeX document, with the steps of their derivations if asked for, then expansions."""
    from manifoldtheory.app.cli.latex_document import claim_section, document, formula_section

    claims = (
        claim_section(
            claim, provider.predictions(claim.slug), view_derivation(provider, claim.slug, records), steps=steps
        )
        for claim, records, provider in proofs_of(evidence, providers)
    )
    return document([*claims, *(formula_section(each.title, each.text, each.predictions) for each in expansions)])


def python_of(
    evidence: Sequence[Evidence], providers: Mapping[str, Provider], expansions: Sequence[FormulaGroup] = ()
) -> str:
    """The predictions of the proved claims as a Python module, then expansions."""
    from manifoldtheory.app.cli.python_module import python_module

    return python_module(
        [
            *(
                FormulaGroup(claim.slug, claim.title, _stated(claim), provider.predictions(claim.slug))
                for claim, _, provider in proofs_of(evidence, providers)
            ),
            *expansions,
        ]
    )


def _stated(claim: Claim) -> str:
    """What holds: the repaired statement, or else the only one."""
    statement = next((each for each in claim.statements if each.form == Form.REPAIRED), claim.statements[0])
    return statement.text
