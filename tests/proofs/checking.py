"""Small chains for tests of the checker."""

from typing import Any

from proofs.certificate import Chain, Step, check
from proofs.rules import Refused


def step(rule: str, left: Any, part: Any, into: Any, **parameters: Any) -> Step:
    """A step that rewrites a part of its left side."""
    return Step("a step", left, left.xreplace({part: into}), rule, {"part": part, "into": into, **parameters})


def substitution(left: Any, *equations: tuple[Any, Any]) -> Step:
    """A step that puts equals for equals."""
    return Step("a step", left, left.xreplace(dict(equations)), "substitution", {"equations": equations})


def chain(name: str, *steps: Step, **given: Any) -> Chain:
    """A chain of steps."""
    return Chain(name, name, steps[0].left, steps, **given)


def reasons(*chains: Chain) -> str:
    """Why the checker refuses chains; empty when it does not."""
    return "; ".join(str(refusal) for refusal in check(chains))


def apply(rule: str, part: Any, into: Any, *, given: dict[str, Any] | None = None, **parameters: Any) -> None:
    """Checks one step on its own. Raises `Refused` with the checker's reason."""
    found = check([chain("one", step(rule, part, part, into, **parameters), **(given or {}))])
    if found:
        raise Refused(found[0].reason.replace("{", "(").replace("}", ")"))
