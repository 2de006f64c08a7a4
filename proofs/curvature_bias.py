r"""Directions at a fixed ambient radius t: their density is 1 + c t² + O(t³) relative to flat space, and not constant.

c depends on the measure and on what is called a direction. Of a geodesic (`proofs.geometry.geodesic_density`) it is F/8
by arclength, (m+2)F/24 in geodesic polar coordinates, (m+2)F/24 − Ric/6 by volume; of P_T ξ, as principal components
see it, S/2 − (m+2)F/8 by volume (`proofs.geometry.projected_density`). The t³ terms are odd
(`proofs.geometry.direction_parity`, `proofs.geometry.geodesic_parity`). The two by volume have the same average, that
of a small extrinsic ball (L. Karp, M. Pinsky, Bull. London Math. Soc. 21, 1989). Where the order of directions is
another than that of F: `proofs.geometry.direction_examples`.
"""

from typing import Any

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.averages import mean_curvature, mean_ricci, mean_shape
from proofs.certificate import Chain
from proofs.derivation import Derivation, Finding, imported
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import Mean, Remainders, without_remainders
from proofs.geometry.direction_examples import equal_spheres, pinched, reversals, round_cylinder, surface, surfaces
from proofs.geometry.direction_instances import instances
from proofs.geometry.direction_parity import projected_parities
from proofs.geometry.geodesic_density import geodesic_routes
from proofs.geometry.geodesic_parity import geodesic_parities
from proofs.geometry.projected_density import extrinsic_ball, projected_routes
from proofs.majorants import SYMMETRIC_BOUND, density_tail, geodesic_density_tail
from proofs.symbols import dim, normal_curvature_sq, radius, ricci, second_form_sq, shape_sq, trace_form_sq

CLAIM = Claim(
    slug="curvature-bias",
    title="At a fixed radius the directions of a curved manifold are not uniform",
    section="geometry",
    statements=(
        Statement(
            Form.AS_STATED,
            "At a fixed radius around p, directions of high curvature are over-represented.",
            (
                Hypothesis("regularity", "M is a C³ submanifold"),
                Hypothesis("measure", "by which measure, and what a direction is, is left open"),
            ),
        ),
        Statement(
            Form.REPAIRED,
            "The density of directions at ambient radius t, relative to flat space, is 1 + c t² + O(t³), and the O(t³) "
            "is odd in the direction up to O(t⁴). For the direction of the geodesic c = F/8 by arclength, (m+2)F/24 in "
            "geodesic polar coordinates, (m+2)F/24 − Ric/6 by volume; for the direction of P_T ξ c = S/2 − (m+2)F/8 "
            "by volume. The last two average to (2|h|² − |mH|²)/(8m). High curvature is over-represented by "
            "arclength, in polar coordinates, and by volume on surfaces for directions of geodesics, where "
            "c − ⟨c⟩ = (F − ⟨F⟩)/6.",
            (
                Hypothesis("regularity", "M is of class C⁴ (C³ does for P_T ξ); the parity needs one more"),
                Hypothesis("measure", "it is named, and so is what a direction is"),
            ),
        ),
    ),
)


ARCLENGTH, EITHER_WAY = "chord-arc/arclength", "chord-arc/arclength-either-way"


def derive() -> Derivation:
    """The derivation: four densities and their parity, averages, the ball's volume, surfaces, and counterexamples."""
    remainders = Remainders()
    once = imported(ARCLENGTH, remainders)
    shared = {chain.name for chain in once}
    imports = (*once, *(chain for chain in imported(EITHER_WAY, remainders) if chain.name not in shared))
    monge = projected_routes(remainders)
    routes = geodesic_routes(remainders, once[-1])
    densities = {chain.name: chain for chain in (*routes[-3:], monge[-1])}
    projected, geodesic = (_coefficient(densities[name]) for name in ("projected-volume", "geodesic-volume"))
    means = (mean_curvature(), mean_shape(), mean_ricci())
    averages = (_average("projected-mean", projected, means), _average("geodesic-mean", geodesic, means))
    ball = extrinsic_ball(remainders, monge[-1], means[:2])
    odd = (*projected_parities(remainders), *geodesic_parities(remainders, imports[-1]))
    on_surfaces = surfaces(geodesic)
    against_projected = {
        "principal-directions": surface(projected),
        "reversed-order": reversals(projected, geodesic)[:1],
        "equal-spheres": (equal_spheres(projected),),
    }
    family, *pairs = pinched(geodesic)
    against_geodesic = {
        "reversed-geodesic-order": reversals(projected, geodesic)[1:],
        **{pair.name: (family, pair) for pair in pairs},
        "round-cylinder": (round_cylinder(geodesic),),
    }
    against = {
        **{name: ("projected-volume", found) for name, found in against_projected.items()},
        **{name: ("geodesic-volume", found) for name, found in against_geodesic.items()},
    }
    findings = (
        *(Finding(Form.AS_STATED, Verdict.SUPPORTS, name, (name,)) for name in ("geodesic-arc", "geodesic-polar")),
        Finding(Form.AS_STATED, Verdict.SUPPORTS, "geodesic-surface", ("geodesic-volume", *_names(on_surfaces))),
        *(
            Finding(Form.AS_STATED, Verdict.REFUTES, name, (density, *_names(found)))
            for name, (density, found) in against.items()
        ),
        *(Finding(Form.REPAIRED, Verdict.SUPPORTS, name, (name,)) for name in densities),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "coefficient-mean", _names(averages)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "ball-volume", (ball.name,)),
        *(Finding(Form.REPAIRED, Verdict.SUPPORTS, f"{name}-parity", (f"{name}-parity",)) for name in densities),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "geodesic-surface", ("geodesic-volume", *_names(on_surfaces))),
    )
    examples = {chain.name: chain for _, found in against.values() for chain in found}
    chains = (*monge, *routes, *means, *averages, ball, *odd, *on_surfaces, *examples.values())
    laws = predictions(densities, averages[0], ball)
    return Derivation(CLAIM, chains, findings, laws, imports, instances(examples, laws))


def _names(chains: tuple[Chain, ...]) -> tuple[str, ...]:
    return tuple(chain.name for chain in chains)


def _coefficient(density: Chain) -> Any:
    return without_remainders(density.conclusion).coeff(radius, 2)


def _average(name: str, coefficient: Any, means: tuple[Chain, ...]) -> Chain:
    """⟨c⟩ = (2|h|² − |mH|²)/(8m), for a coefficient linear in F, S and Ric."""
    build = ChainBuilder(name, "The average of the coefficient c by volume", Mean(coefficient), uses=means)
    invariants = (normal_curvature_sq, shape_sq, ricci)
    linear = sympy.Add(*(sympy.diff(coefficient, invariant) * Mean(invariant) for invariant in invariants))
    build.rewrite("linearity of the average", "linearity", build.current, linear)
    build.substitute("averages over directions", *(fact(chain) for chain in means if build.current.has(chain.start)))
    return build.tidy("collect", (2 * second_form_sq - trace_form_sq) / (8 * dim)).done()


def predictions(densities: dict[str, Chain], average: Chain, ball: Chain) -> dict[str, Prediction]:
    """The coefficients c(v), an inverse length squared each, their average, and the ``ball-volume``.

    - ``geodesic-arc``, ``geodesic-polar``, ``geodesic-volume``, ``projected-volume``: c(v); the excess of directions is
      c(v) t². Their remainders (which have the symbol radius) bound |(q − 1)/t² − c|.
    - ``coefficient-mean``: ⟨c⟩ of either coefficient by volume; exact.
    - ``ball-volume``: Vol(M ∩ B(p, t))/(ω_m t^m).

    The remainders hold for sets of directions symmetric under w → −w (the odd t³ term cancels), exactly so for the
    ball, and for K t ≤ `proofs.majorants.RANGE`.
    """
    tails = {
        name: density_tail(4, step=2)
        if name == "projected-volume"
        else geodesic_density_tail(name.removeprefix("geodesic-"), 4, step=2)
        for name in densities
    }
    laws: dict[str, tuple[Any, Any]] = {
        name: (_coefficient(chain), tails[name] / radius**2) for name, chain in densities.items()
    }
    laws[ball.name] = (without_remainders(ball.conclusion), tails["projected-volume"] * dim / (dim + 4))
    found = {
        name: Prediction(name, law, Prediction(f"{name} remainder", bound, note=SYMMETRIC_BOUND))
        for name, (law, bound) in laws.items()
    }
    return found | {"coefficient-mean": Prediction("coefficient-mean", average.conclusion)}
