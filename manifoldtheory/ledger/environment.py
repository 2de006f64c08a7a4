"""What a run was made with: package versions, the commit, and the machine in a few words."""

import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = (
    "manifoldtheory",
    "torch",
    "numpy",
    "scipy",
    "sympy",
    "geomstats",
    "transformers",
    "tokenizers",
    "safetensors",
    "pandas",
    "pyarrow",
    "matplotlib",
)
"""The distributions whose versions can change a result."""


def installed_versions(packages: tuple[str, ...] = PACKAGES) -> dict[str, str | None]:
    """Versions of Python and of the given distributions, without importing them; ``None`` for one that is missing."""
    versions: dict[str, str | None] = {"python": platform.python_version()}
    for name in packages:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = None
    return versions


def git_commit() -> str | None:
    """Commit of the source tree this package runs from (``-dirty`` when changed), or ``None`` outside a checkout."""
    top = Path(__file__).resolve().parents[2]
    if not (top / ".git").exists():
        return None
    git = ("git", "-C", str(top))
    try:
        commit = subprocess.run((*git, "rev-parse", "HEAD"), capture_output=True, text=True, check=True).stdout.strip()
        changed = subprocess.run((*git, "status", "--porcelain"), capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{commit}-dirty" if changed.strip() else commit
