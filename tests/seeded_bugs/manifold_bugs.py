"""Mistakes in manifolds, radial laws and clouds."""

from tests.seeded_bugs.bug import Bug


def bug(name: str, module: str, before: str, after: str, *tests: str) -> Bug:
    named = tuple(f"tests/manifolds/test_{test}" for test in tests)
    return Bug(name, f"manifoldtheory/manifolds/{module}.py", before, after, named)


RADIAL: tuple[Bug, ...] = (
    bug(
        "ball radius drawn uniformly, not by volume",
        "radial",
        "self.maximum * uniform ** (1.0 / self.dim)",
        "self.maximum * uniform",
        "radial.py::test_moments_match_samples",
    ),
    bug(
        "moment of a ball off by one order",
        "radial",
        "self.dim / (self.dim + order) * self.maximum",
        "self.dim / (self.dim + order + 1) * self.maximum",
        "radial.py::test_moments_match_quadrature",
    ),
    bug(
        "the rare radius is the common one",
        "radial",
        "uniform > 1 - self.probability",
        "uniform > self.probability",
        "radial.py::test_moments_match_samples",
    ),
    bug(
        "truncation left to a clamp",
        "radial",
        "torch.erfinv(uniform * math.erf(self.maximum / width))",
        "torch.erfinv(uniform)",
        "radial.py::test_moments_match_samples",
    ),
    bug(
        "Pareto's density taken for its index",
        "radial",
        "_exponential_integral(order - self.index, span)",
        "_exponential_integral(order - self.index - 1, span)",
        "radial.py::test_moments_match_quadrature",
    ),
    bug(
        "radii ignore the generator",
        "radial",
        "torch.rand(n, generator=generator, device=device",
        "torch.rand(n, device=device",
        "radial.py::test_samples_follow_the_generator_and_dtype",
    ),
)

CLOUDS: tuple[Bug, ...] = (
    bug(
        "directions not normalised",
        "clouds",
        "unit = gaussian / torch.linalg.vector_norm(gaussian, dim=-1, keepdim=True)",
        "unit = gaussian / gaussian.shape[-1] ** 0.5",
        "clouds.py::test_projected_direction_is_that_of_the_tangent_part",
    ),
    bug(
        "directions from a cube",
        "clouds",
        "gaussian = torch.randn(n, chart.tangent_frame.shape[-1],",
        "gaussian = -1 + 2 * torch.rand(n, chart.tangent_frame.shape[-1],",
        "clouds.py::test_directions_are_uniform_and_independent_of_radii",
    ),
    bug(
        "projected weight without the shrinking of the shell",
        "clouds",
        "* (rho / t) ** (w.shape[-1] - 1) * growth",
        "* growth",
        "clouds.py::test_sphere_weights_in_closed_form",
    ),
    bug(
        "projected weight without the area element",
        "clouds",
        "weight = torch.sqrt(_metric_determinant(slope)) * (rho",
        "weight = (rho",
        "clouds.py::test_sphere_weights_in_closed_form",
    ),
    bug(
        "geodesic volume weight without the Jacobian of exp",
        "clouds",
        "weight = weight * spread * (s / t)",
        "weight = weight * (s / t)",
        "clouds.py::test_sphere_weights_in_closed_form",
    ),
    bug(
        "polar weight with a power too many",
        "clouds",
        "spread * (s / t) ** (dim - 1)",
        "spread * (s / t) ** dim",
        "clouds.py::test_sphere_weights_in_closed_form",
    ),
    bug(
        "projected and geodesic directions mixed up",
        "clouds",
        'place_projected(chart, t, w) if direction == "projected" else',
        'place_projected(chart, t, w) if direction == "geodesic" else',
        "clouds.py::test_projected_direction_is_that_of_the_tangent_part",
    ),
    bug(
        "radial growth with the wrong sign",
        "clouds",
        "growth = t / (rho + inner(height, apply(slope, w)))",
        "growth = t / (rho - inner(height, apply(slope, w)))",
        "clouds.py::test_weights_start_with_the_bias_coefficient",
    ),
    bug(
        "arclength taken for the chord",
        "charts",
        "return t * (1 + e)",
        "return t",
        "clouds.py::test_points_are_at_exactly_the_radius_drawn",
    ),
)

SURFACES: tuple[Bug, ...] = (
    bug(
        "second form of the sphere with the wrong sign",
        "sphere",
        "(-identity / radius)",
        "(identity / radius)",
        "base.py::test_second_fundamental_form_is_the_hessian_of_the_graph",
    ),
    bug(
        "curvature of the sphere squared",
        "sphere",
        "(-identity / radius)",
        "(-identity / radius**2)",
        "base.py::test_second_fundamental_form_is_the_hessian_of_the_graph",
    ),
    bug(
        "sphere sampled through a cube",
        "sphere",
        "gaussian = torch.randn(n, size,",
        "gaussian = -1 + 2 * torch.rand(n, size,",
        "uniform_samples.py::test_sphere",
    ),
    bug(
        "sagitta without its half",
        "sphere",
        "height = -radius / 2 * (angle * half) ** 2",
        "height = -radius * (angle * half) ** 2",
        "base.py::test_displacement_lies_on_the_graph",
    ),
    bug(
        "second form of a quadric with the wrong sign",
        "hypersurfaces",
        "self.second_form = -self.A",
        "self.second_form = self.A",
        "base.py::test_second_fundamental_form_is_the_hessian_of_the_graph",
    ),
    bug(
        "normal curvature of a quadric not divided by the gradient",
        "hypersurfaces",
        "self.C = inner(normal @ hessian, normal) / gradient_norm",
        "self.C = inner(normal @ hessian, normal)",
        "base.py::test_graph_lies_on_the_manifold",
    ),
    bug(
        "reflection missing the sign that keeps it stable",
        "hypersurfaces",
        "scale = 2 / inner(mirror, mirror)",
        "scale = 1 / inner(mirror, mirror)",
        "base.py::test_frames_are_orthonormal_and_complete",
    ),
    bug(
        "frame off by one column",
        "hypersurfaces",
        "return reflection[..., :-1], normal[..., None]",
        "return reflection[..., 1:], normal[..., None]",
        "base.py::test_frames_are_orthonormal_and_complete",
    ),
    bug(
        "torus sampled uniformly in its angles",
        "torus",
        "element / (self.major + self.minor)",
        "torch.ones_like(element)",
        "uniform_samples.py::test_torus",
    ),
    bug(
        "saddle side of the torus bent the wrong way",
        "torus",
        "torch.stack([-cosine / self.distance,",
        "torch.stack([cosine / self.distance,",
        "base.py::test_second_fundamental_form_is_the_hessian_of_the_graph",
    ),
    bug(
        "geodesic equation of the torus without a factor 2",
        "torus",
        "around = 2 * self.minor * sine / distance",
        "around = self.minor * sine / distance",
        "geodesics.py::test_displacement_matches_thirty_digits",
    ),
    bug(
        "ellipsoid sampled as a stretched sphere",
        "ellipsoid",
        "torch.linalg.vector_norm(w / axes, dim=-1) * min(self.semi_axes)",
        "torch.ones_like(w[:, 0])",
        "uniform_samples.py::test_ellipsoid",
    ),
    bug(
        "half a cylinder",
        "cylinder",
        "uniform[:, 0] *= 2 * math.pi",
        "uniform[:, 0] *= math.pi",
        "uniform_samples.py::test_cylinder",
    ),
    bug(
        "cubic form counted twice",
        "forms",
        "self.third_along(u, u) / 6, u)",
        "self.third_along(u, u) / 3, u)",
        "monge.py::test_immersion_is_the_graph",
    ),
    bug(
        "slope of the cubic form",
        "forms",
        "self.along(u) + self.third_along(u, u) / 2",
        "self.along(u) + self.third_along(u, u) / 3",
        "base.py::test_tangent_frame_spans_the_derivative_of_the_immersion",
    ),
    bug(
        "patch sampled by coordinates, not by area",
        "monge",
        "return u, element / 1.25 ** (self.dim / 2)",
        "return u, torch.ones_like(element)",
        "uniform_samples.py::test_monge_patch",
    ),
    bug(
        "normal frame of a tilted patch not turned back",
        "monge_charts",
        "torch.cat([-tilt.mT,",
        "torch.cat([tilt.mT,",
        "base.py::test_frames_are_orthonormal_and_complete",
    ),
    bug(
        "tilted second form in a skew normal frame",
        "monge_charts",
        "directions @ self.level, bent)",
        "directions, bent)",
        "base.py::test_second_fundamental_form_is_the_hessian_of_the_graph",
    ),
    bug(
        "extrapolation in odd powers of the step",
        "geodesics",
        "n * n / (n * n - other * other)",
        "n / (n - other)",
        "geodesics.py::test_integrator_converges_to_rounding_on_a_pendulum",
    ),
)

MATRICES: tuple[Bug, ...] = (
    bug(
        "Haar without the sign of R",
        "quadrics",
        "torch.where(diagonal < 0, -1.0, 1.0)",
        "torch.where(diagonal < 0, 1.0, 1.0)",
        "uniform_samples.py::test_rotations_are_haar",
    ),
    bug(
        "reflections among the rotations",
        "stiefel",
        "matrix[..., 0] *= torch.linalg.det(matrix).sign()[:, None]",
        "matrix[..., 0] *= torch.linalg.det(matrix).abs()[:, None]",
        "uniform_samples.py::test_rotations_are_haar",
    ),
    bug(
        "Veronese surface in the units of the Grassmannian",
        "grassmannian",
        "VERONESE_SCALE = math.sqrt(1.5)",
        "VERONESE_SCALE = 1.5",
        "invariants.py::test_veronese_is_a_grassmannian_in_other_units",
    ),
    bug(
        "projectors measured in the units of reflections",
        "grassmannian",
        "flat=skew_basis(n),\n        rate=2.0",
        "flat=skew_basis(n),\n        rate=1.0",
        "invariants.py::test_second_form_is_the_normal_part_of_the_hessian_of_the_immersion",
    ),
    bug(
        "blocks of a product swapped",
        "product",
        "(end - size, ends[-1] - end) * 2)",
        "(ends[-1] - end, end - size) * 2)",
        "base.py::test_second_fundamental_form_is_the_hessian_of_the_graph",
    ),
    bug(
        "second form of an immersion in its coordinates, not in the frame",
        "immersed_charts",
        "form = straight.mT @ components @ straight",
        "form = components",
        "immersed.py::test_second_form_and_frames_equal_those_in_closed_form",
    ),
)

MANIFOLD_BUGS: tuple[Bug, ...] = (*RADIAL, *CLOUDS, *SURFACES, *MATRICES)
