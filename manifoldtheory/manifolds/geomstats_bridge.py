"""The one gateway to geomstats: every import of it in these packages goes through `load_geomstats`."""

import contextlib
import importlib
import os
import sys
import threading
import warnings
from collections.abc import Iterator
from types import ModuleType

import numpy as np
import torch

BACKEND = "pytorch"
_VARIABLE = "GEOMSTATS_BACKEND"
_LOCK = threading.Lock()


def load_geomstats(module: str = "geomstats.geometry.base") -> ModuleType:
    """A geomstats module, on the PyTorch backend unless the user chose another one first.

    geomstats reads its backend from the environment at its first import, sets torch's default dtype for the whole
    process, and does not import where numpy has dropped `trapz` (2.4). All of that is undone or supplied here.
    geomstats makes its constants in the default dtype, so compute with it inside `double_precision`.
    """
    with _LOCK, process_state_kept(), _numpy_trapz(), _backend_chosen(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # third-party import-time notices; its results are not touched
        return importlib.import_module(module)


@contextlib.contextmanager
def double_precision() -> Iterator[None]:
    """Torch's default dtype is float64 inside, and what it was afterwards: for computing *with* geomstats.

    Under float32 its constants are rounded: `Hypersphere.metric.exp` of float64 points is off by 1e-7, and `belongs`
    raises.
    """
    dtype = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(dtype)


def backend_name() -> str:
    """The backend geomstats runs on in this process, "pytorch" if it is still to be loaded and the user chose none."""
    backend = sys.modules.get("geomstats._backend")
    return getattr(backend, "BACKEND_NAME", None) or os.environ.get(_VARIABLE, BACKEND)


def origin_of(space: object) -> object | None:
    """The manifold that a space of `geomstats_space` came from, else ``None``."""
    return getattr(space, "manifoldtheory_origin", None)


@contextlib.contextmanager
def process_state_kept() -> Iterator[None]:
    """Torch's default dtype, its threads and both global random states are afterwards what they were."""
    dtype, threads, random = torch.get_default_dtype(), torch.get_num_threads(), torch.get_rng_state()
    numpy_random = np.random.get_state()  # noqa: NPY002 # the legacy global state is what must stay as it was
    try:
        yield
    finally:
        torch.set_default_dtype(dtype)
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)
        torch.set_rng_state(random)
        np.random.set_state(numpy_random)  # noqa: NPY002


@contextlib.contextmanager
def _numpy_trapz() -> Iterator[None]:
    if hasattr(np, "trapz"):
        yield
        return
    setattr(np, "trapz", np.trapezoid)  # noqa: B010 # the name newer stubs do not know
    try:
        yield
    finally:
        delattr(np, "trapz")


@contextlib.contextmanager
def _backend_chosen() -> Iterator[None]:
    if _VARIABLE in os.environ:
        yield
        return
    os.environ[_VARIABLE] = BACKEND
    try:
        yield
    finally:
        del os.environ[_VARIABLE]
