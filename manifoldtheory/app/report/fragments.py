"""What a column's derivation of a claim looks like on the page: predictions, counterexamples, steps.

A fragment needs nothing but the column, the claim and its evidence, and may be made in another process.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from manifoldtheory.app.report.derivations import view_derivation
from manifoldtheory.app.report.tables import SYMBOLS
from manifoldtheory.ledger import Evidence, Prediction, Provider, notation

TEMPLATE = "fragment.html.jinja"
LONG_LATEX = 120


@dataclass(frozen=True)
class Formula:
    """A prediction with its remainder, ready for the page."""

    name: str
    mathml: str
    remainder: str | None
    long: bool
    """Whether the remainder takes more than a line or so."""
    notes: tuple[str, ...] = ()


def fragment(wanted: tuple[Provider, str, Sequence[Evidence]]) -> Any:
    """The markup for a column's derivation of a claim, whose evidence is given; empty where it has none."""
    from markupsafe import Markup

    provider, slug, evidence = wanted
    formulas = [_formula(name, prediction) for name, prediction in provider.predictions(slug).items()]
    derivation = view_derivation(provider, slug, evidence)
    return Markup(_template().render(formulas=formulas, derivation=derivation, symbols=SYMBOLS))


@cache
def _template() -> Any:
    return page_environment().get_template(TEMPLATE)


def page_environment(**filters: Any) -> Any:
    """What the page and its fragments are rendered with. Whatever comes from outside is escaped."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"mathml": mathml, **filters}
    return environment


def _formula(name: str, prediction: Prediction) -> Formula:
    remainder = "" if prediction.remainder is None else prediction.remainder.latex()
    notes = (prediction.note, "" if prediction.remainder is None else prediction.remainder.note)
    return Formula(
        name,
        mathml(prediction.latex()),
        mathml(remainder) if remainder else None,
        long=len(remainder) > LONG_LATEX,
        notes=tuple(filter(None, notes)),
    )


@cache
def mathml(latex: str) -> Any:
    """LaTeX as MathML markup; as escaped source when it can't be converted, or would carry a link or a script."""
    from markupsafe import Markup

    try:
        markup = notation.mathml(latex)
    except Exception:  # the converter raises many kinds for LaTeX it does not know; the source is still worth showing
        markup = ""
    if not markup or re.search(r"\s(href|src|style|on\w+)\s*=", markup, flags=re.IGNORECASE):
        return Markup("<code>{}</code>").format(latex)
    return Markup(markup)
