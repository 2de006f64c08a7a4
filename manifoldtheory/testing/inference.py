"""Type strategies, so that `st.from_type(Submanifold)` and `st.builds` find ours.

Hypothesis calls `register` when it is imported (entry point group ``hypothesis``), in every environment that has
manifoldtheory. A type can only be registered once it exists, and making ours exist loads torch: so `register` waits for
somebody else to import the module that defines them.
"""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

TYPES: dict[str, dict[str, Callable[[Any], Any]]] = {
    "manifoldtheory.manifolds.base": {"Submanifold": lambda strategies: strategies.submanifolds()},
    "manifoldtheory.manifolds.monge": {"MongePatch": lambda strategies: strategies.submanifolds(families="patch")},
    "manifoldtheory.manifolds.sphere": {"Sphere": lambda strategies: strategies.submanifolds(families="sphere")},
    "manifoldtheory.manifolds.ellipsoid": {
        "Ellipsoid": lambda strategies: strategies.submanifolds(families="ellipsoid")
    },
    "manifoldtheory.manifolds.torus": {"Torus": lambda strategies: strategies.submanifolds(families="torus")},
    "manifoldtheory.manifolds.cylinder": {"Cylinder": lambda strategies: strategies.submanifolds(families="cylinder")},
    "manifoldtheory.manifolds.product": {"Product": lambda strategies: strategies.submanifolds(families="product")},
    "manifoldtheory.manifolds.stiefel": {
        "SpecialOrthogonal": lambda strategies: strategies.submanifolds(families="orthogonal"),
        "Stiefel": lambda strategies: strategies.submanifolds(families="stiefel"),
    },
    "manifoldtheory.manifolds.grassmannian": {
        "Grassmannian": lambda strategies: strategies.submanifolds(families="grassmannian", curvature_bound=2),
        "Veronese": lambda strategies: strategies.submanifolds(families="veronese", curvature_bound=2),
    },
    "manifoldtheory.manifolds.radial": {
        "RadialLaw": lambda strategies: strategies.radial_laws(),
        "FixedRadius": lambda strategies: strategies.radial_laws(families="fixed"),
        "UniformBall": lambda strategies: strategies.radial_laws(families="ball"),
        "TruncatedHalfNormal": lambda strategies: strategies.radial_laws(families="half-normal"),
        "TwoPoint": lambda strategies: strategies.radial_laws(families="two-point"),
        "TruncatedPareto": lambda strategies: strategies.radial_laws(families="pareto"),
    },
    "manifoldtheory.estimators.subspaces": {"TangentProxy": lambda strategies: strategies.subspaces()},
    "manifoldtheory.testing.sampling": {"SamplingLaw": lambda strategies: strategies.sampling_laws()},
    "manifoldtheory.testing.losses": {"Loss": lambda strategies: strategies.losses()},
    "manifoldtheory.testing.clouds": {"TokenCloud": lambda strategies: strategies.token_clouds()},
}
"""Module → name of a type in it → its strategy, taken from `manifoldtheory.testing.strategies`."""


def register() -> None:
    """Registers each type as soon as its module is imported."""
    for name in TYPES:
        if name in sys.modules:
            _register_types(sys.modules[name])
    sys.meta_path.insert(0, _Watch(set(TYPES) - set(sys.modules)))


def register_all() -> None:
    """Registers every type now. `manifoldtheory.testing.strategies` does, which has loaded torch anyway.

    It also makes up for modules that came in unseen, by an import hook that was put before ours.
    """
    for name in TYPES:
        _register_types(importlib.import_module(name))


def _register_types(module: ModuleType) -> None:
    from hypothesis import strategies as st

    for name, strategy in TYPES[module.__name__].items():
        # A function is asked when the type is resolved: only then are the strategies, and torch, needed.
        st.register_type_strategy(getattr(module, name), lambda _, strategy=strategy: strategy(_strategies()))


def _strategies() -> ModuleType:
    return importlib.import_module("manifoldtheory.testing.strategies")


class _Watch(MetaPathFinder):
    """Finds nothing itself: has the awaited modules report that they have been executed."""

    def __init__(self, awaited: set[str]) -> None:
        self.awaited = awaited

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self.awaited:
            return None
        self.awaited.discard(fullname)  # first, so that the search below does not come back here
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Reporting(spec.loader)
        return spec


class _Reporting(Loader):
    """The loader that was found, followed by the registration."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        _register_types(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)  # resources, source and file name, as tracebacks and importlib ask for
