"""The page: self-contained, escaped, complete."""

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from manifoldtheory.app.report import write_report
from manifoldtheory.app.report.fragments import mathml
from manifoldtheory.errors import InputError
from manifoldtheory.ledger import Evidence, Form, Kind, Prediction, RunFolder, Verdict

from ..fakes import FakeColumn, observation_evidence, proof_evidence, record, simulation_evidence

HOSTILE = "<script>alert(1)</script><img src=https://example.org/x onerror=alert(2)>\"'&{{ 7*7 }}"
VOID = {"meta", "img", "br", "link", "input", "hr", "rect", "path", "use"}


class Page(HTMLParser):
    """Collects elements, what they would load, and checks that they nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            assert not name.startswith("on")
            if name in ("src", "href", "xlink:href", "srcset", "data", "action"):
                self.loads.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def run(folder: Path, evidence: list[Evidence], argv: list[str] | None = None) -> RunFolder:
    identity = {"command": "verify", "seed": 0, "device": "cpu", "dtype": "float64"}
    made = RunFolder.create(
        folder, identity, {"argv": argv or ["verify"], "started": "2026-01-01", "git_commit": "0" * 40}
    )
    made.write("all", evidence)
    made.finish(["all"])
    return made


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with every figure."""
    import sympy

    radius = sympy.Symbol("radius")
    formulas = {"ratio": Prediction("ratio", 4 / radius**2, Prediction("next", 3 * radius))}
    evidence = [
        *proof_evidence(),
        *simulation_evidence(subjects={"S2": 1.0, "S5": 2.0}),
        *observation_evidence(layers=2),
    ]
    column = FakeColumn(Kind.PROOF, {}, formulas=formulas)
    return write_report(run(tmp_path_factory.mktemp("runs") / "full", evidence), {"proofs": column}).parent


def test_the_page_loads_nothing_and_nests(full: Path) -> None:
    text = (full / "report.html").read_text()
    page = Page(text)
    assert page.tags.count("svg") == 4
    assert "script" not in page.tags
    assert page.loads
    assert all(load.startswith("#") for load in page.loads)
    assert "url(http" not in text
    assert "@import" not in text


def test_the_page_has_the_formulas_the_ledger_and_the_manifest(full: Path) -> None:
    text = (full / "report.html").read_text()
    assert "<math displaystyle" in text
    words = "".join(Page(text).text)
    for expected in ("As-stated.", "smooth:", "✗ refuted", "✓ supported", "2 steps, all checked", "remainder"):
        assert expected in words
    assert json.dumps("2026-01-01") in words


def test_figures_are_there_as_svg_and_png(full: Path) -> None:
    names = ("attenuation", "directions", "energy-comparison", "scaling")
    found = sorted(path.name for path in (full / "figures").iterdir())
    assert found == sorted(f"{name}.{suffix}" for name in names for suffix in ("png", "svg"))
    assert (full / "figures" / "scaling.png").read_bytes().startswith(b"\x89PNG")


def test_a_report_without_figures_or_known_claims_is_a_page_too(tmp_path: Path) -> None:
    page = write_report(run(tmp_path / "run", [record(claim="forgotten", kind=Kind.PROOF)]), {})
    text = page.read_text()
    assert "svg" not in Page(text).tags
    assert "No installed column declares this claim" in text
    assert not (tmp_path / "run" / "figures").exists()


def test_hostile_strings_are_text(tmp_path: Path) -> None:
    evidence = [
        record(
            claim=f"claim {HOSTILE}",
            kind=Kind.OBSERVATION,
            quantity=HOSTILE,
            subject=HOSTILE,
            layer=HOSTILE,
            checkpoint=HOSTILE,
            bin=HOSTILE,
            measured=1.0,
        ),
        *(
            record(quantity="energy-ratio", subject=f"$\\frac{HOSTILE}", bin=f"radius={radius}", measured=2.0)
            for radius in (0.1, 0.2)
        ),
        *observation_evidence(model=HOSTILE, layers=1, steps=(0, 1)),
    ]
    page = write_report(run(tmp_path / "run", evidence, ["observe", HOSTILE]), {})
    text = page.read_text()
    parsed = Page(text)
    assert "script" not in parsed.tags
    assert "img" not in parsed.tags
    assert all(load.startswith("#") for load in parsed.loads)
    assert "<script>" not in text
    assert "{{ 7*7 }}" in text
    for svg in (tmp_path / "run" / "figures").glob("*.svg"):
        assert "<script" not in svg.read_text()


@pytest.mark.parametrize("latex", [r"\href{javascript:alert(1)}{x}", r"\frac{", r"\style{color:red}{x}"])
def test_latex_that_links_or_fails_is_shown_as_source(latex: str) -> None:
    markup = str(mathml(latex))
    assert "href=" not in markup
    assert "style=" not in markup.replace("displaystyle=", "")


def test_the_same_evidence_gives_the_same_page(full: Path, tmp_path: Path) -> None:
    evidence = observation_evidence(layers=1, steps=(0, 1))
    first = write_report(run(tmp_path / "a" / "run", evidence), {}).read_bytes()
    second = write_report(run(tmp_path / "b" / "run", evidence), {}).read_bytes()
    assert first == second


def test_an_unfinished_run_has_no_report(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run", {"command": "prove"}, {})
    with pytest.raises(InputError, match="interrupted"):
        write_report(folder, {})


def test_refusing_verdicts_are_marked_by_symbol_and_word(tmp_path: Path) -> None:
    evidence = [record(verdict=verdict, statement=Form.REPAIRED, measured=1.0) for verdict in Verdict]
    text = write_report(run(tmp_path / "run", evidence), {}).read_text()
    for expected in ("✓ supported", "✗ refuted", "? inconclusive"):
        assert expected in text
