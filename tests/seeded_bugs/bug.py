"""A seeded bug: an exact replacement of text that occurs once, with the tests that must notice it."""

from dataclasses import dataclass
from pathlib import Path

from manifoldtheory.errors import InputError


@dataclass(frozen=True)
class Bug:
    """One mistake somebody could make: `before` occurs once in the file at `path`, and becomes `after`."""

    name: str
    path: str
    before: str
    after: str
    tests: tuple[str, ...]
    """Node ids for pytest; those that must fail."""

    def applied(self, root: Path) -> str:
        """The file's text with the bug; raises `InputError` when the text is not there exactly once."""
        text = (root / self.path).read_text(encoding="utf-8")
        if (count := text.count(self.before)) != 1:
            raise InputError(
                f"seeded bug {self.name} is stale: its text occurs {count} times in {self.path}, not once; "
                "write it anew against the code as it is"
            )
        return text.replace(self.before, self.after)
