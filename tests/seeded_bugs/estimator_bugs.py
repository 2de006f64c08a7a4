"""Mistakes in moments, scores, subspaces, energies and their nulls."""

from tests.seeded_bugs.bug import Bug


def bug(name: str, module: str, before: str, after: str, *tests: str) -> Bug:
    named = tuple(f"tests/estimators/test_{test}" for test in tests)
    return Bug(name, f"manifoldtheory/estimators/{module}.py", before, after, named)


MOMENTS: tuple[Bug, ...] = (
    bug(
        "Chan's factor without the share of the other batch",
        "moments",
        "coupling = before / total * weight",
        "coupling = before * weight",
        "moments.py::test_merging_in_any_grouping_equals_one_pass",
    ),
    bug(
        "batches joined as if their means were equal",
        "moments",
        "self._comoment.add_(comoment).addr_(shift, shift, alpha=coupling)",
        "self._comoment.add_(comoment)",
        "moments.py::test_merging_in_any_grouping_equals_one_pass",
    ),
    bug(
        "raw moments, and their cancellation",
        "moments",
        "weight, shift, comoment = self._moments_about(centre, points, weights)\n        if not",
        "centre = torch.zeros_like(first)\n"
        "        weight, shift, comoment = self._moments_about(centre, points, weights)\n"
        "        if False and not",
        "moments.py::test_small_clouds_far_from_the_origin_keep_their_covariance",
    ),
    bug(
        "provisional centre taken for the mean",
        "moments",
        "comoment.addr_(shift, shift, alpha=-weight)",
        "comoment.addr_(shift, shift, alpha=0)",
        "moments.py::test_moments_are_those_of_the_definition",
    ),
    bug(
        "float32 points summed in float32",
        "moments",
        "product[first:last, first:].addmm_(c[:, first:last].T, c[:, first:])",
        "product[first:last, first:] += c[:, first:last].float().T @ c[:, first:].float()",
        "moments.py",
    ),
    bug(
        "weights under a root they do not need",
        "moments",
        "c *= w.sqrt()[:, None]",
        "c *= w[:, None]",
        "moments.py::test_moments_are_those_of_the_definition",
    ),
    bug(
        "lower triangle left out",
        "moments",
        "product[last:, first:last] = product[first:last, last:].T",
        "pass",
        "moments.py",
    ),
    bug(
        "Bessel's correction that is not promised",
        "moments",
        "matrix = self._comoment / self.weight",
        "matrix = self._comoment / (self.weight - 1)",
        "moments.py::test_moments_are_those_of_the_definition",
    ),
    bug(
        "missing centring",
        "moments",
        "return moment._matrix(centered=centered)",
        "return moment._matrix(centered=False)",
        "energy.py::test_centring_removes_the_mean",
    ),
)

SCORES: tuple[Bug, ...] = (
    bug(
        "IsoScore* without its -1",
        "isotropy",
        "(_participation(matrix) - 1) / (dim - 1)",
        "_participation(matrix) / dim",
        "isotropy.py::test_extremes",
    ),
    bug(
        "shrinkage the wrong way round",
        "isotropy",
        "(1 - shrinkage) * matrix + shrinkage *",
        "shrinkage * matrix + (1 - shrinkage) *",
        "isotropy.py",
    ),
    bug(
        "score that depends on the scale of the data",
        "isotropy",
        "matrix.diagonal().mean().expand(dim)",
        "matrix.new_ones(dim)",
        "isotropy.py",
    ),
    bug(
        "90 % interval called a 95 % one",
        "scaling",
        "stdtrit(freedom, 0.975)",
        "stdtrit(freedom, 0.95)",
        "scaling.py::test_plain_fits_are_linear_regressions_of_logarithms",
    ),
    bug(
        "degrees of freedom without the coefficients",
        "scaling",
        "freedom = len(t) - design.shape[1]",
        "freedom = len(t) - 1",
        "scaling.py",
    ),
    bug(
        "errors of values taken for those of logarithms",
        "scaling",
        "np.maximum(errors / value, 1e-15)",
        "np.maximum(errors, 1e-15)",
        "scaling.py",
    ),
    bug(
        "next term of the wrong order",
        "scaling",
        "** correction_order)",
        "** (correction_order + 1))",
        "scaling.py::test_the_next_term_is_a_regressor",
    ),
    bug(
        "misfit not owned up to",
        "scaling",
        "max(1.0, misfit)",
        "1.0",
        "scaling.py::test_scatter_beyond_the_errors_widens_the_interval",
    ),
)

SUBSPACES: tuple[Bug, ...] = (
    bug(
        "PCA that keeps the directions of least variance",
        "subspaces",
        "basis = vectors[:, -rank:].flip(1)",
        "basis = vectors[:, :rank]",
        "subspaces.py::test_pca_finds_the_directions_of_most_variance",
    ),
    bug(
        "a direction skipped",
        "subspaces",
        "basis = vectors[:, -rank:].flip(1)",
        "basis = vectors[:, -rank - 1 : -1].flip(1)",
        "subspaces.py::test_pca_finds_the_directions_of_most_variance",
    ),
    bug(
        "eigenvectors by rows",
        "subspaces",
        "basis = vectors[:, -rank:].flip(1)",
        "basis = vectors.T[:, -rank:].flip(1)",
        "subspaces.py::test_pca_finds_the_directions_of_most_variance",
    ),
    bug(
        "centring asked for and not done",
        "subspaces",
        "update(points)._matrix(centered=centered)",
        "update(points)._matrix(centered=False)",
        "subspaces.py::test_pca_finds_the_directions_of_most_variance",
    ),
    bug(
        "controls not orthonormalised",
        "subspaces",
        "bases = complement @ torch.linalg.qr(gaussian).Q",
        "bases = complement @ gaussian / gaussian.shape[1] ** 0.5",
        "subspaces.py::test_controls_are_orthonormal_and_normal_and_haar",
    ),
    bug(
        "controls from a cube",
        "subspaces",
        "gaussian = torch.randn(shape, generator=generator,",
        "gaussian = torch.rand(shape, generator=generator,",
        "subspaces.py::test_controls_are_orthonormal_and_normal_and_haar",
    ),
)

LOCAL: tuple[Bug, ...] = (
    bug(
        "neighbourhoods not centred",
        "local_pca",
        "local -= (local.sum(1) / count)[:, None]",
        "pass",
        "local_pca.py::test_dimensions_are_those_of_the_definition",
    ),
    bug(
        "a point among its own neighbours",
        "local_pca",
        "rows] = math.inf",
        "rows] = 0.0",
        "local_pca.py::test_spectra_without_a_gap_are_those_of_the_definition",
    ),
    bug(
        "outliers among the neighbours",
        "local_pca",
        "FAR = 3.0",
        "FAR = 1e30",
        "local_pca.py::test_one_far_outlier_changes_no_other_dimension",
    ),
    bug(
        "threshold on the sum of eigenvalues",
        "local_pca",
        "threshold * spectra[:, :1]",
        "threshold * spectra.sum(1)[:, None]",
        "local_pca.py::test_spectra_without_a_gap_are_those_of_the_definition",
    ),
    bug(
        "pull of the dictionary's negative products left out",
        "semi_nmf",
        "pull = cross.clamp(min=0) + codes @ gram.clamp(max=0).neg()",
        "pull = cross.clamp(min=0)",
        "semi_nmf.py::test_the_objective_never_rises_and_is_that_of_the_factors",
    ),
    bug(
        "positive and negative parts swapped",
        "semi_nmf",
        "codes * (pull / push.clamp(min=tiny))",
        "codes * (push / pull.clamp(min=tiny))",
        "semi_nmf.py::test_the_objective_never_rises_and_is_that_of_the_factors",
    ),
)

ENERGIES: tuple[Bug, ...] = (
    bug(
        "energy per ambient dimension",
        "energy",
        "(basis * (matrix @ basis)).sum() / basis.shape[1]",
        "(basis * (matrix @ basis)).sum() / len(basis)",
        "energy.py::test_ratio_is_the_closed_form_and_blind_to_scale_and_rotation",
    ),
    bug(
        "complement's energy not per dimension",
        "energy",
        "mean = trace / complement",
        "mean = trace / dim",
        "energy.py::test_ratio_is_the_closed_form_and_blind_to_scale_and_rotation",
    ),
    bug(
        "variance of the controls without the finite size of the complement",
        "energy",
        "2 * (complement - rank) / (rank * complement",
        "2 / (rank",
        "energy.py::test_complement_moments_are_those_of_the_controls",
    ),
    bug(
        "variance of the controls with a sign changed",
        "energy",
        "(complement - 1) * (complement + 2)",
        "(complement - 1) * (complement - 2)",
        "energy.py::test_complement_moments_are_those_of_the_controls",
    ),
    bug(
        "cap of one direction too many",
        "energy",
        "eigenvalues[-rank:].mean()",
        "eigenvalues[-rank - 1 :].mean()",
        "energy.py::test_the_top_subspace_meets_the_cap_and_is_improbable",
    ),
    bug(
        "tilted draws not weighted by |S|",
        "subspace_laws",
        " - part * rank / 2 * logs.sum()",
        "",
        "subspace_tails.py::test_one_direction_equals_imhof",
    ),
    bug(
        "density of the tilt with the rank for the dimension",
        "subspace_laws",
        "dim / 2 * (none",
        "rank / 2 * (none",
        "subspace_tails.py::test_one_direction_equals_imhof",
    ),
    bug(
        "mixture not normalised",
        "subspace_tails",
        "(tilt.log_densities(z, counts) + shares.log()[:, None])",
        "tilt.log_densities(z, counts)",
        "subspace_tails.py::test_one_direction_equals_imhof",
    ),
    bug(
        "Chernoff bound of unequal eigenvalues",
        "subspace_laws",
        "ascending[-1] - np.clip(level, least, most)",
        "ascending[-1] - most",
        "subspace_tails.py::test_chernoff_bound_of_a_spike_has_the_exponent_of_its_beta_law",
    ),
    bug(
        "null of the covariance without its square root",
        "subspace_laws",
        "rotation.T * values.sqrt()",
        "rotation.T * values",
        "subspace_tails.py::test_three_directions_equal_plain_monte_carlo",
    ),
    bug(
        "lower tail taken for the upper",
        "subspace_tails",
        "torch.where(self.energies < energy, -math.inf,",
        "torch.where(self.energies > energy, -math.inf,",
        "subspace_tails.py::test_one_direction_equals_imhof",
    ),
    bug(
        "standard error of one draw, not of the mean",
        "subspace_tails",
        "for part in parts) / total**2",
        "for part in parts) / total",
        "subspace_tails.py::test_errors_are_what_they_are_said_to_be",
    ),
)

ESTIMATOR_BUGS: tuple[Bug, ...] = (*MOMENTS, *SCORES, *SUBSPACES, *LOCAL, *ENERGIES)
