"""The page: everything known about a run, in one file that loads nothing."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from manifoldtheory.app.report.figures import FIGURES, draw_figure
from manifoldtheory.app.report.fragments import fragment, page_environment
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
from manifoldtheory.ledger import Claim, Evidence, Form, Kind, Provider, RunFolder, Verdict
from manifoldtheory.ledger.runs import write_atomically

REPORT = "report.html"
FIGURE_FOLDER = "figures"
TEMPLATE = "page.html.jinja"
LEAD = "energy-comparison"
"""The figure that opens the page."""
MOST_RECORDS = 600
"""A claim's simulation records are listed one by one up to here; beyond, the page points to evidence.parquet."""


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
    fragments: tuple[Any, ...]
    """Markup of predictions, counterexamples and derivations, one per column that has any."""
    groups: Mapping[tuple[Kind, Form], Sequence[Summary]]
    records: tuple[Evidence, ...]


def write_report(
    folder: RunFolder,
    providers: Mapping[str, Provider],
    *,
    mapping: Callable[..., Iterable[Any]] = map,
    typesetting: Callable[..., Iterable[Any]] = map,
    elsewhere: Collection[str] = (),
) -> Path:
    """Writes ``report.html`` and ``figures/`` into a finished run's folder and returns the page's path.

    Figures are drawn through `mapping`, and derivations that were made `elsewhere` (tasks by name) typeset there,
    through `typesetting`: each a `map` that may work in other processes while the text is rendered. Raises `InputError`
    when the run is not finished, or the folder can't be written.
    """
    evidence = folder.evidence
    page = folder.path / REPORT
    drawings = mapping(partial(draw_figure, evidence=evidence), FIGURES)
    try:
        sections = _sections(evidence, providers, typesetting, elsewhere)
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
    environment = page_environment(number=number, probability=probability, bounds=_bounds)
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


def _sections(
    evidence: Sequence[Evidence],
    providers: Mapping[str, Provider],
    typesetting: Callable[..., Iterable[Any]],
    elsewhere: Collection[str],
) -> list[Section]:
    claims = claims_of(providers)
    present = {record.claim for record in evidence}
    slugs = list(dict.fromkeys([*(slug for slug in claims if slug in present), *sorted(present)]))
    records = {slug: tuple(record for record in evidence if record.claim == slug) for slug in slugs}
    wanted = [
        (provider, slug, records[slug])
        for slug in slugs
        for provider in providers.values()
        if slug in provider.claims()
    ]
    far = [one for one in wanted if f"{one[0].kind}.{one[1]}" in elsewhere]
    near = [one for one in wanted if f"{one[0].kind}.{one[1]}" not in elsewhere]
    fragments = typesetting(fragment, far)  # started before those of this process
    typeset: dict[str, list[Any]] = {slug: [] for slug in slugs}
    for (_, slug, _), text in [*zip(near, map(fragment, near), strict=True), *zip(far, fragments, strict=True)]:
        typeset[slug].append(text)
    return [_section(slug, claims.get(slug), records[slug], tuple(typeset[slug])) for slug in slugs]


def _section(slug: str, claim: Claim | None, records: Sequence[Evidence], fragments: tuple[Any, ...]) -> Section:
    simulated = [record for record in records if record.kind == Kind.SIMULATION]
    groups: dict[tuple[Kind, Form], list[Summary]] = {}
    for summary in summarise(records):
        groups.setdefault((summary.kind, summary.form), []).append(summary)
    return Section(slug, claim, fragments, groups, tuple(simulated if len(simulated) <= MOST_RECORDS else ()))


def _bounds(record: Evidence) -> str:
    found = interval(record)
    return "–" if found is None else f"[{number(found[0])}, {number(found[1])}]"
