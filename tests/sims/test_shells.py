import pytest
import torch

from sims.catalogue import subject
from sims.sampling import Curvature
from sims.shells import draw_shells


def test_the_cylinder_has_its_closed_form(generator):
    """A unit cylinder over its tangent plane is z = 1 − √(1 − u²), u = ρ cos θ, so ρ² + z² = t² can be solved."""
    curvature = Curvature(subject("cylinder", seed=0))
    t = 0.2
    shells = draw_shells(curvature, [t], 50, generator)
    cosine_sq = curvature.normal_curvature_sq(shells.directions).sqrt()
    z = torch.zeros_like(cosine_sq)  # the height, by iterating u²/(1 + √(1 − u²)) with ρ² = t² − z²
    for _ in range(60):
        z = (t**2 - z**2) * cosine_sq / (1 + torch.sqrt(1 - (t**2 - z**2) * cosine_sq))
    rho_sq = t**2 - z**2
    slope_sq = rho_sq * cosine_sq / (1 - rho_sq * cosine_sq)  # (dz/du)²
    growth = t / (rho_sq.sqrt() + z * (slope_sq * cosine_sq).sqrt())
    exact = torch.sqrt(1 + slope_sq) * rho_sq.sqrt() / t * growth
    torch.testing.assert_close(shells.density[0], exact, rtol=1e-12, atol=0)


@pytest.mark.parametrize("name", ["torus", "monge-3-8"])
def test_normalised_densities_average_to_one(name, generator):
    shells = draw_shells(Curvature(subject(name, seed=0)), [0.1, 0.01], 200, generator)
    torch.testing.assert_close(shells.normalised.mean(-1), torch.ones(2).double())
    assert float(shells.normalised.std(-1)[0]) > 10 * float(shells.normalised.std(-1)[1])
