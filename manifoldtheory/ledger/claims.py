"""What is claimed: the ledger's rows."""

from dataclasses import dataclass
from enum import StrEnum


class Form(StrEnum):
    """Which version of a claim a piece of evidence speaks of."""

    AS_STATED = "as-stated"
    REPAIRED = "repaired"


class Kind(StrEnum):
    """The three columns of the ledger."""

    PROOF = "proof"
    SIMULATION = "simulation"
    OBSERVATION = "observation"


class Verdict(StrEnum):
    """What a piece of evidence says about a statement."""

    SUPPORTS = "supports"
    REFUTES = "refutes"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Hypothesis:
    """A condition that a statement needs, under a short name."""

    name: str
    text: str


@dataclass(frozen=True)
class Statement:
    """One form of a claim: in words, with its hypotheses."""

    form: Form
    text: str
    hypotheses: tuple[Hypothesis, ...] = ()


@dataclass(frozen=True)
class Claim:
    """A row of the ledger. Its slug names its module in each of the three columns."""

    slug: str
    title: str
    section: str
    """The part of the theory it belongs to: geometry, frequency, gradients or energy."""
    statements: tuple[Statement, ...]
    source: str = "arXiv:2604.08764"

    def __post_init__(self) -> None:
        forms = [statement.form for statement in self.statements]
        if not forms or len(set(forms)) != len(forms):
            raise ValueError(f"claim {self.slug!r} must state each of its forms once, got {forms}")

    def statement(self, form: Form) -> Statement:
        """The statement in the given form; ``KeyError`` when the claim has none."""
        for statement in self.statements:
            if statement.form == form:
                return statement
        raise KeyError(f"claim {self.slug!r} has no {form} statement")
