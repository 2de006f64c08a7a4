import math

import pytest
import torch

from sims.catalogue import NAMES, subject
from sims.sampling import Curvature, symmetric_directions


def test_directions_are_unit_and_come_in_opposite_pairs(generator):
    w = symmetric_directions(1000, 4, generator)
    torch.testing.assert_close(torch.linalg.vector_norm(w, dim=-1), torch.ones(1000).double())
    assert float(w.mean(0).abs().max()) < 1e-15
    # Uniform: E[wwᵀ] = I/4; an entry has variance below 1/4 over 500 independent pairs.
    assert float((w.T @ w / 1000 - torch.eye(4) / 4).abs().max()) < 5 * (0.25 / 500) ** 0.5


@pytest.mark.parametrize("name", NAMES)
def test_averages_over_directions_are_the_invariants(name, generator):
    curvature = Curvature(subject(name, seed=1))
    w = symmetric_directions(20_000, curvature.subject.dim, generator)
    for values, mean in (
        (curvature.normal_curvature_sq(w), curvature.mean_normal_curvature_sq),
        (curvature.shape_sq(w), curvature.second_form_sq / curvature.subject.dim),
    ):
        assert abs(float(values.mean()) - mean) < 5 * float(values.std()) / 10_000**0.5 + 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_the_bound_exceeds_every_normal_curvature(name, generator):
    curvature = Curvature(subject(name, seed=2))
    w = symmetric_directions(5000, curvature.subject.dim, generator)
    assert curvature.bound > float(curvature.normal_curvature_sq(w).max()) ** 0.5


def test_the_bound_of_a_unit_sphere_is_one_within_its_margin():
    assert Curvature(subject("S2", seed=0)).bound == pytest.approx(1.05, rel=1e-6)


def test_coefficients_have_their_published_values(generator):
    w = symmetric_directions(100, 2, generator)
    assert float(Curvature(subject("S2", seed=0)).projected_coefficient(w).abs().max()) < 1e-14  # Archimedes
    w = symmetric_directions(100, 5, generator)
    torch.testing.assert_close(
        Curvature(subject("S5", seed=0)).projected_coefficient(w), torch.full((100,), (2 - 5) / 8).double()
    )
    cylinder = Curvature(subject("cylinder", seed=0))
    w = symmetric_directions(100, 2, generator)
    cosine_sq = cylinder.normal_curvature_sq(w).sqrt()  # F = cos⁴θ
    torch.testing.assert_close(cylinder.projected_coefficient(w), cosine_sq * (1 - cosine_sq) / 2)
    assert math.isclose(cylinder.mean_normal_curvature_sq, 3 / 8)
