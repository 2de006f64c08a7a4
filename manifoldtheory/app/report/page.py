"""The page: everything known about a run, in one file that loads nothing."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from manifoldtheory.app.report.derivations import DerivationView, view_derivation
from manifoldtheory.app.report.figures import FIGURES, draw_figure
from manifoldtheory.app.report.tables import (
    SYMBOLS,
    WORDS,
    Summary,
    claims_of,
    compare,
    interval,
    ledger,
    number,
    probability,
    summarise,
)
from manifoldtheory.errors import InputError
from manifoldtheory.ledger import Claim, Evidence, Form, Kind, Prediction, Provider, RunFolder, Verdict, notation
from manifoldtheory.ledger.runs import write_atomically

REPORT = "report.html"
FIGURE_FOLDER = "figures"
TEMPLATE = "page.html.jinja"
LEAD = "energy-comparison"
"""The figure that opens the page."""
LONG_LATEX = 120
MOST_RECORDS = 600
"""A claim's simulation records are listed one by one up to here; beyond, the page points to evidence.parquet."""


@dataclass(frozen=True)
class Formula:
    """A prediction with its remainder, ready for the page."""

    name: str
    mathml: str
    remainder: str | None
    long: bool
    """Whether the remainder takes more than a line or so."""


@dataclass(frozen=True)
class Picture:
    """A figure as it stands in the page."""

    name: str
    claim: str
    title: str
    caption: str
    svg: str


@dataclass(frozen=True)
class Section:
    """What the page says about one claim; `claim` is missing when no installed column knows it any more."""

    slug: str
    claim: Claim | None
    formulas: tuple[Formula, ...]
    derivations: tuple[DerivationView, ...]
    groups: Mapping[tuple[Kind, Form], Sequence[Summary]]
    records: tuple[Evidence, ...]


def write_report(
    folder: RunFolder, providers: Mapping[str, Provider], *, mapping: Callable[..., Iterable[Any]] = map
) -> Path:
    """Writes ``report.html`` and ``figures/`` into a finished run's folder and returns the page's path.

    Figures are drawn through `mapping`, a `map` that may work in other processes while the text is rendered. Raises
    `InputError` when the run is not finished, or the folder can't be written.
    """
    evidence = folder.evidence
    page = folder.path / REPORT
    drawings = mapping(partial(draw_figure, evidence=evidence), FIGURES)
    try:
        sections = _sections(evidence, providers)
        pictures: dict[str, Picture] = {}
        for kind, drawing in zip(FIGURES.values(), drawings, strict=True):
            if drawing is not None:
                drawing.save(folder.path / FIGURE_FOLDER, kind.name)
                pictures[kind.name] = Picture(kind.name, kind.claim, kind.title, kind.caption, drawing.inline)
        text = render(folder.path.name, folder.manifest, evidence, providers, sections, pictures)
        write_atomically(page, text.encode())
    except OSError as error:
        raise InputError(
            f"can't write the report into {folder.path} ({error}): free the space or permission"
        ) from error
    return page


def render(
    name: str,
    manifest: Mapping[str, Any],
    evidence: Sequence[Evidence],
    providers: Mapping[str, Provider],
    sections: Sequence[Section],
    pictures: Mapping[str, Picture],
) -> str:
    """The page as text. Whatever comes from outside is escaped."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "probability": probability, "bounds": _bounds, "mathml": mathml}
    return environment.get_template(TEMPLATE).render(
        name=name,
        manifest=manifest,
        manifest_json=json.dumps(manifest, indent=2, ensure_ascii=False),
        counts=_counts(evidence),
        kinds=list(Kind),
        symbols=SYMBOLS,
        words=WORDS,
        ledger=ledger(evidence, claims_of(providers)),
        titles={slug: claim.title for slug, claim in claims_of(providers).items()},
        comparison=compare(evidence),
        lead=pictures.get(LEAD),
        sections=sections,
        pictures=[picture for name, picture in pictures.items() if name != LEAD],
    )


def _counts(evidence: Sequence[Evidence]) -> list[tuple[Kind, Form, Verdict, int]]:
    cells = [(record.kind, record.statement, record.verdict) for record in evidence]
    return [
        (kind, form, verdict, count)
        for kind in Kind
        for form in Form
        for verdict in Verdict
        if (count := cells.count((kind, form, verdict)))
    ]


def _sections(evidence: Sequence[Evidence], providers: Mapping[str, Provider]) -> list[Section]:
    claims = claims_of(providers)
    present = {record.claim for record in evidence}
    sections = []
    for slug in dict.fromkeys([*(slug for slug in claims if slug in present), *sorted(present)]):
        own = [record for record in evidence if record.claim == slug]
        simulated = [record for record in own if record.kind == Kind.SIMULATION]
        columns = [provider for provider in providers.values() if slug in provider.claims()]
        groups: dict[tuple[Kind, Form], list[Summary]] = {}
        for summary in summarise(own):
            groups.setdefault((summary.kind, summary.form), []).append(summary)
        predictions = [item for column in columns for item in column.predictions(slug).items()]
        sections.append(
            Section(
                slug=slug,
                claim=claims.get(slug),
                formulas=tuple(_formula(name, prediction) for name, prediction in predictions),
                derivations=tuple(
                    view for column in columns if (view := view_derivation(column, slug, own)) is not None
                ),
                groups=groups,
                records=tuple(simulated if len(simulated) <= MOST_RECORDS else ()),
            )
        )
    return sections


def _formula(name: str, prediction: Prediction) -> Formula:
    if prediction.remainder is None:
        return Formula(name, mathml(prediction.latex()), None, long=False)
    remainder = prediction.remainder.latex()
    return Formula(name, mathml(prediction.latex()), mathml(remainder), long=len(remainder) > LONG_LATEX)


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


def _bounds(record: Evidence) -> str:
    found = interval(record)
    return "–" if found is None else f"[{number(found[0])}, {number(found[1])}]"
