"""The ledger: what is claimed, what was found, and where the evidence comes from."""

from manifoldtheory.ledger.claims import Claim, Form, Hypothesis, Kind, Statement, Verdict
from manifoldtheory.ledger.evidence import Evidence, acceptance_z, agreement, rung, verdict_over
from manifoldtheory.ledger.predictions import Prediction
from manifoldtheory.ledger.providers import Progress, Provider, Request, Size, Task, load_providers, silent
from manifoldtheory.ledger.runs import RunFolder

__all__ = [
    "Claim",
    "Evidence",
    "Form",
    "Hypothesis",
    "Kind",
    "Prediction",
    "Progress",
    "Provider",
    "Request",
    "RunFolder",
    "Size",
    "Statement",
    "Task",
    "Verdict",
    "acceptance_z",
    "agreement",
    "load_providers",
    "rung",
    "silent",
    "verdict_over",
]
