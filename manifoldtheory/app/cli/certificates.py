"""Certificates of proofs as files: written after a proof, and verified without deriving anything.

A column that has certificates has methods ``certificate(slug)``, which gives the text, and ``check_certificate(text)``.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from manifoldtheory.app.cli.execution import installed_columns
from manifoldtheory.app.cli.printing import print_json
from manifoldtheory.errors import InputError
from manifoldtheory.ledger import Evidence, Form, Kind, Provider, Verdict

LARGEST_FILE = 16_000_000


def require_one_claim(claims: Sequence[str] | None, path: Path) -> None:
    """Raises `InputError` unless one claim is given and its certificate can be written."""
    if claims is None or len(claims) != 1:
        raise InputError(f"--certificate writes the proof of one claim, and {len(claims or ())} are given: name one")
    if not path.parent.is_dir() or path.is_dir():
        raise InputError(f"can't write the certificate {path}: give a file in a folder that exists")


def write_file(path: Path, slug: str, columns: Mapping[str, Provider]) -> None:
    """Writes the certificate of a claim."""
    column = _column("certificate", (column for column in columns.values() if slug in column.claims()))
    try:
        path.write_text(column.certificate(slug) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"can't write the certificate {path} ({error.strerror}): give another file") from error


def verify_file(path: Path, *, json: bool, quiet: bool) -> int:
    """Verifies a certificate and prints what was found; the exit status. Raises `InputError` for other files."""
    column = _column("check_certificate", installed_columns().values())
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise InputError(f"can't read the certificate {path} ({error.strerror}): give an existing file") from error
    checked = column.check_certificate(text)
    holds = not checked.refusals
    summary = f"{checked.claim}: {checked.steps} steps in {checked.chains} chains"
    if json:
        record = Evidence(
            claim=checked.claim,
            kind=Kind.PROOF,
            statement=Form.REPAIRED,
            verdict=Verdict.SUPPORTS if holds else Verdict.INCONCLUSIVE,
            quantity="certificate",
            n=checked.steps,
        )
        print_json([record.to_dict()])
    elif not quiet:
        for statement, given in checked.proved if holds else ():
            print(statement)
            for kind, words in given:
                print(f"  {kind}: {words}")
        print(f"{summary}, {'all checked' if holds else 'certificate refused'}")
    for refusal in checked.refusals:
        print(f"refused: {refusal}", file=sys.stderr)
    return 0 if holds else 1


def _column(method: str, columns: Any) -> Any:
    for column in columns:
        if hasattr(column, method):
            return column
    raise InputError("no installed column has certificates: run `make install`")
