"""The bugs: exact replacements of text that occurs once, each with the tests that must notice it."""

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


def _manifold(name: str, module: str, before: str, after: str, *tests: str) -> Bug:
    named = tuple(f"tests/manifolds/test_{test}" for test in tests)
    return Bug(name, f"manifoldtheory/manifolds/{module}.py", before, after, named)


def _estimator(name: str, module: str, before: str, after: str, *tests: str) -> Bug:
    named = tuple(f"tests/estimators/test_{test}" for test in tests)
    return Bug(name, f"manifoldtheory/estimators/{module}.py", before, after, named)


RADIAL: tuple[Bug, ...] = (
    _manifold(
        "ball radius drawn uniformly, not by volume",
        "radial",
        "self.maximum * uniform ** (1.0 / self.dim)",
        "self.maximum * uniform",
        "radial.py::test_moments_match_samples",
    ),
    _manifold(
        "moment of a ball off by one order",
        "radial",
        "self.dim / (self.dim + order) * self.maximum",
        "self.dim / (self.dim + order + 1) * self.maximum",
        "radial.py::test_moments_match_quadrature",
    ),
    _manifold(
        "the rare radius is the common one",
        "radial",
        "uniform > 1 - self.probability",
        "uniform > self.probability",
        "radial.py::test_moments_match_samples",
    ),
    _manifold(
        "truncation left to a clamp",
        "radial",
        "torch.erfinv(uniform * math.erf(self.maximum / width))",
        "torch.erfinv(uniform)",
        "radial.py::test_moments_match_samples",
    ),
    _manifold(
        "Pareto's density taken for its index",
        "radial",
        "_exponential_integral(order - self.index, span)",
        "_exponential_integral(order - self.index - 1, span)",
        "radial.py::test_moments_match_quadrature",
    ),
    _manifold(
        "radii ignore the generator",
        "radial",
        "torch.rand(n, generator=generator, device=device",
        "torch.rand(n, device=device",
        "radial.py::test_samples_follow_the_generator_and_dtype",
    ),
)

CLOUDS: tuple[Bug, ...] = (
    _manifold(
        "directions not normalised",
        "clouds",
        "unit = gaussian / torch.linalg.vector_norm(gaussian, dim=-1, keepdim=True)",
        "unit = gaussian / gaussian.shape[-1] ** 0.5",
        "clouds.py::test_projected_direction_is_that_of_the_tangent_part",
    ),
    _manifold(
        "directions from a cube",
        "clouds",
        "gaussian = torch.randn(n, chart.tangent_frame.shape[-1],",
        "gaussian = -1 + 2 * torch.rand(n, chart.tangent_frame.shape[-1],",
        "clouds.py::test_directions_are_uniform_and_independent_of_radii",
    ),
    _manifold(
        "projected weight without the shrinking of the shell",
        "clouds",
        "* (rho / t) ** (w.shape[-1] - 1) * growth",
        "* growth",
        "clouds.py::test_sphere_weights_in_closed_form",
    ),
    _manifold(
        "projected weight without the area element",
        "clouds",
        "weight = torch.sqrt(_metric_determinant(slope)) * (rho",
        "weight = (rho",
        "clouds.py::test_sphere_weights_in_closed_form",
    ),
    _manifold(
        "geodesic volume weight without the Jacobian of exp",
        "clouds",
        "weight = weight * spread * (s / t)",
        "weight = weight * (s / t)",
        "clouds.py::test_sphere_weights_in_closed_form",
    ),
    _manifold(
        "polar weight with a power too many",
        "clouds",
        "spread * (s / t) ** (dim - 1)",
        "spread * (s / t) ** dim",
        "clouds.py::test_sphere_weights_in_closed_form",
    ),
    _manifold(
        "projected and geodesic directions mixed up",
        "clouds",
        'place_projected(chart, t, w) if direction == "projected" else',
        'place_projected(chart, t, w) if direction == "geodesic" else',
        "clouds.py::test_projected_direction_is_that_of_the_tangent_part",
    ),
    _manifold(
        "radial growth with the wrong sign",
        "clouds",
        "growth = t / (rho + inner(height, apply(slope, w)))",
        "growth = t / (rho - inner(height, apply(slope, w)))",
        "clouds.py::test_weights_start_with_the_bias_coefficient",
    ),
    _manifold(
        "arclength taken for the chord",
        "charts",
        "return t * (1 + e)",
        "return t",
        "clouds.py::test_points_are_at_exactly_the_radius_drawn",
    ),
)

SURFACES: tuple[Bug, ...] = (
    _manifold(
        "second form of the sphere with the wrong sign",
        "sphere",
        "(-identity / radius)",
        "(identity / radius)",
        "base.py::test_second_fundamental_form_is_the_hessian_of_the_graph",
    ),
    _manifold(
        "curvature of the sphere squared",
        "sphere",
        "(-identity / radius)",
        "(-identity / radius**2)",
        "base.py::test_second_fundamental_form_is_the_hessian_of_the_graph",
    ),
    _manifold(
        "sphere sampled through a cube",
        "sphere",
        "gaussian = torch.randn(n, size,",
        "gaussian = -1 + 2 * torch.rand(n, size,",
        "uniform_samples.py::test_sphere",
    ),
    _manifold(
        "sagitta without its half",
        "sphere",
        "height = -radius / 2 * (angle * half) ** 2",
        "height = -radius * (angle * half) ** 2",
        "base.py::test_displacement_lies_on_the_graph",
    ),
    _manifold(
        "second form of a quadric with the wrong sign",
        "hypersurfaces",
        "self.second_form = -self.A",
        "self.second_form = self.A",
        "base.py::test_second_fundamental_form_is_the_hessian_of_the_graph",
    ),
    _manifold(
        "normal curvature of a quadric not divided by the gradient",
        "hypersurfaces",
        "self.C = inner(normal @ hessian, normal) / gradient_norm",
        "self.C = inner(normal @ hessian, normal)",
        "base.py::test_graph_lies_on_the_manifold",
    ),
    _manifold(
        "reflection missing the sign that keeps it stable",
        "hypersurfaces",
        "scale = 2 / inner(mirror, mirror)",
        "scale = 1 / inner(mirror, mirror)",
        "base.py::test_frames_are_orthonormal_and_complete",
    ),
    _manifold(
        "frame off by one column",
        "hypersurfaces",
        "return reflection[..., :-1], normal[..., None]",
        "return reflection[..., 1:], normal[..., None]",
        "base.py::test_frames_are_orthonormal_and_complete",
    ),
    _manifold(
        "torus sampled uniformly in its angles",
        "torus",
        "element / (self.major + self.minor)",
        "torch.ones_like(element)",
        "uniform_samples.py::test_torus",
    ),
    _manifold(
        "saddle side of the torus bent the wrong way",
        "torus",
        "torch.stack([-cosine / self.distance,",
        "torch.stack([cosine / self.distance,",
        "base.py::test_second_fundamental_form_is_the_hessian_of_the_graph",
    ),
    _manifold(
        "geodesic equation of the torus without a factor 2",
        "torus",
        "around = 2 * self.minor * sine / distance",
        "around = self.minor * sine / distance",
        "geodesics.py::test_displacement_matches_thirty_digits",
    ),
    _manifold(
        "ellipsoid sampled as a stretched sphere",
        "ellipsoid",
        "torch.linalg.vector_norm(w / axes, dim=-1) * min(self.semi_axes)",
        "torch.ones_like(w[:, 0])",
        "uniform_samples.py::test_ellipsoid",
    ),
    _manifold(
        "half a cylinder",
        "cylinder",
        "uniform[:, 0] *= 2 * math.pi",
        "uniform[:, 0] *= math.pi",
        "uniform_samples.py::test_cylinder",
    ),
    _manifold(
        "cubic form counted twice",
        "forms",
        "self.third_along(u, u) / 6, u)",
        "self.third_along(u, u) / 3, u)",
        "monge.py::test_immersion_is_the_graph",
    ),
    _manifold(
        "slope of the cubic form",
        "forms",
        "self.along(u) + self.third_along(u, u) / 2",
        "self.along(u) + self.third_along(u, u) / 3",
        "base.py::test_tangent_frame_spans_the_derivative_of_the_immersion",
    ),
    _manifold(
        "patch sampled by coordinates, not by area",
        "monge",
        "return u, element / 1.25 ** (self.dim / 2)",
        "return u, torch.ones_like(element)",
        "uniform_samples.py::test_monge_patch",
    ),
    _manifold(
        "normal frame of a tilted patch not turned back",
        "monge_charts",
        "torch.cat([-tilt.mT,",
        "torch.cat([tilt.mT,",
        "base.py::test_frames_are_orthonormal_and_complete",
    ),
    _manifold(
        "tilted second form in a skew normal frame",
        "monge_charts",
        "directions @ self.level, bent)",
        "directions, bent)",
        "base.py::test_second_fundamental_form_is_the_hessian_of_the_graph",
    ),
    _manifold(
        "extrapolation in odd powers of the step",
        "geodesics",
        "n * n / (n * n - other * other)",
        "n / (n - other)",
        "geodesics.py::test_integrator_converges_to_rounding_on_a_pendulum",
    ),
)

SCORES: tuple[Bug, ...] = (
    _estimator(
        "IsoScore* without its -1",
        "isotropy",
        "(participation_ratio(matrix) - 1) / (dim - 1)",
        "participation_ratio(matrix) / dim",
        "isotropy.py::test_extremes",
    ),
    _estimator(
        "shrinkage the wrong way round",
        "isotropy",
        "(1 - shrinkage) * matrix + shrinkage *",
        "shrinkage * matrix + (1 - shrinkage) *",
        "isotropy.py",
    ),
    _estimator(
        "score that depends on the scale of the data",
        "isotropy",
        "matrix.trace() / dim * torch.eye(dim)",
        "torch.eye(dim)",
        "isotropy.py",
    ),
    _estimator(
        "90 % interval called a 95 % one",
        "scaling",
        "stdtrit(freedom, 0.975)",
        "stdtrit(freedom, 0.95)",
        "scaling.py",
    ),
    _estimator(
        "degrees of freedom without the coefficients",
        "scaling",
        "freedom = len(t) - design.shape[1]",
        "freedom = len(t) - 1",
        "scaling.py",
    ),
    _estimator(
        "errors of values taken for those of logarithms",
        "scaling",
        "np.maximum(errors / value, 1e-15)",
        "np.maximum(errors, 1e-15)",
        "scaling.py",
    ),
    _estimator(
        "next term of the wrong order",
        "scaling",
        "** correction_order)",
        "** (correction_order + 1))",
        "scaling.py::test_the_next_term_is_a_regressor",
    ),
    _estimator(
        "misfit not owned up to",
        "scaling",
        "max(1.0, misfit)",
        "1.0",
        "scaling.py::test_scatter_beyond_the_errors_widens_the_interval",
    ),
)

BUGS: tuple[Bug, ...] = (*RADIAL, *CLOUDS, *SURFACES, *SCORES)
