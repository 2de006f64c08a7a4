"""What is installed, where from, and what is missing. Must work when anything is missing: it imports only to look."""

import os
import sys
import tempfile
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from manifoldtheory.ledger.environment import PACKAGES, git_commit, installed_versions
from manifoldtheory.ledger.providers import GROUP

CACHE_VARIABLE = "MANIFOLDTHEORY_CACHE"
INSTALL = "run `make install` (or `pip install . -c constraints.txt`)"
TOOLS = ("typer", "rich", "jinja2", "latex2mathml", "platformdirs")


def examine() -> dict[str, Any]:
    """Versions, device, threads, cache folder, columns, and what is missing with the way to get it."""
    missing: list[dict[str, str]] = []
    versions = installed_versions((*PACKAGES, *TOOLS))
    missing += [{"name": name, "fix": INSTALL} for name, version in versions.items() if version is None]
    columns = _columns(missing)
    return {
        "versions": versions,
        "python": sys.executable,
        "git_commit": git_commit(),
        "device": _device(missing),
        "cache": _cache(missing),
        "columns": columns,
        "missing": missing,
    }


def _device(missing: list[dict[str, str]]) -> dict[str, Any]:
    device: dict[str, Any] = {"cpus": os.cpu_count(), "threads": None, "cuda": [], "auto": None}
    try:
        import torch

        device["threads"] = torch.get_num_threads()
        device["cuda"] = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
        device["auto"] = "cuda" if torch.cuda.is_available() else "cpu"
    except Exception as error:  # a broken build raises anything from OSError to RuntimeError; a doctor reports it
        if not any(entry["name"] == "torch" for entry in missing):
            missing.append({"name": "torch", "fix": f"it does not load ({error}): reinstall it, {INSTALL}"})
    return device


def cache_folder() -> Path:
    """Where models trained here are kept: ``MANIFOLDTHEORY_CACHE``, or the user's cache folder of the platform."""
    if override := os.environ.get(CACHE_VARIABLE):
        return Path(override).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("manifoldtheory")


def _cache(missing: list[dict[str, str]]) -> dict[str, Any]:
    try:
        folder = cache_folder()
    except ImportError:
        return {"folder": None, "writable": False}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            writable = True
    except OSError as error:
        writable = False
        fix = f"can't write it ({error}): set {CACHE_VARIABLE} to a folder you can write"
        missing.append({"name": f"cache folder {folder}", "fix": fix})
    return {"folder": str(folder), "writable": writable}


def _columns(missing: list[dict[str, str]]) -> list[dict[str, Any]]:
    columns: list[dict[str, Any]] = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        column: dict[str, Any] = {"name": point.name, "kind": None, "location": None, "claims": None}
        columns.append(column)
        try:
            provider = point.load()
            column |= {"kind": str(provider.kind), "location": provider.location, "claims": len(provider.claims())}
        except Exception as error:  # whatever a package raises on import is what there is to report
            missing.append({"name": f"column {point.name} ({point.value})", "fix": f"{error!r}: {INSTALL}"})
    if not columns:
        missing.append({"name": "evidence columns (proofs, sims, real_models)", "fix": INSTALL})
    return columns
