"""What a measurement was made on: versions, BLAS, processor, and what else the machine was doing."""

import os
import platform
import re
import time
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("manifoldtheory", "torch", "numpy", "scipy", "geomstats", "IsoScore", "scikit-dimension", "hypothesis")


@dataclass(frozen=True)
class ProcessorTimes:
    """Seconds since some start: of the clock, of this process with its children, and of all processes together."""

    clock: float
    own: float
    everyone: float | None


def processor_times() -> ProcessorTimes:
    """Now. Where the system does not tell (no ``/proc/stat``), `everyone` is ``None``."""
    spent = os.times()
    own = spent.user + spent.system + spent.children_user + spent.children_system
    return ProcessorTimes(time.perf_counter(), own, _everyone())


def cores_used_by_others(since: ProcessorTimes) -> float:
    """Mean number of cores that other processes kept busy since then; elsewhere than on Linux the load average - 1."""
    now = processor_times()
    if now.everyone is None or since.everyone is None:
        return max(0.0, os.getloadavg()[0] - 1) if hasattr(os, "getloadavg") else 0.0
    # The kernel counts in ticks of 10 ms per core: a shorter span says nothing.
    foreign = (now.everyone - since.everyone) - (now.own - since.own) - 0.01 * (os.cpu_count() or 1)
    return max(0.0, foreign / max(now.clock - since.clock, 1e-9))


def describe() -> dict[str, Any]:
    """Versions, BLAS, processor, cores, threads and load, JSON-ready."""
    import torch

    return {
        "python": platform.python_version(),
        **{name: _version(name) for name in PACKAGES},
        "blas": {"torch": _torch_blas(), "numpy": _numpy_blas()},
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
    }


def _everyone() -> float | None:
    try:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    except OSError:
        return None
    user, nice, system, _, _, irq, softirq, steal = (int(field) for field in fields[:8])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _torch_blas() -> str:
    import torch

    found = re.search(r"BLAS_INFO=(\w+)", torch.__config__.show())
    return found[1] if found else "unknown"


def _numpy_blas() -> str:
    import numpy as np

    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]  # pyright: ignore[reportOptionalSubscript]
    return f"{blas['name']} {blas['version']}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
