"""What a printed example is made of: shapes, bounds, reprs that rebuild, and arguments that don't fit."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds import Cylinder, Ellipsoid, MongePatch, Sphere, Torus
from manifoldtheory.testing import (
    base_point,
    covariance,
    frequency_table,
    monge_patch,
    orthonormal_frame,
    second_form,
    trace_free,
)


def test_seed_0_is_aligned() -> None:
    form = second_form(3, 2, (3.0, 2.0, 1.0))
    assert form.tolist() == [[[3, 0, 0], [0, 0, 0], [0, 0, 1]], [[0, 0, 0], [0, 2, 0], [0, 0, 0]]]
    assert torch.equal(orthonormal_frame(3, 2), torch.eye(3, 2, dtype=torch.float64))
    assert torch.equal(covariance((1.0, 0.5)), torch.diag(torch.tensor([1.0, 0.5], dtype=torch.float64)))
    assert torch.equal(frequency_table(4), torch.full((4,), 0.25, dtype=torch.float64))


def test_frames_are_haar() -> None:
    """E tr = 0, E tr² = 1, E Q_ij² = 1/3 over O(3); 2000 seeds, 5 standard errors. Without QR's signs: E tr = −0.5."""
    frames = torch.stack([orthonormal_frame(3, 3, seed) for seed in range(1, 2001)])
    traces = frames.diagonal(dim1=-2, dim2=-1).sum(-1)
    for sample, expected in ((traces, 0.0), (traces**2, 1.0), (frames[:, 0, 0] ** 2, 1 / 3)):
        assert float(sample.mean()) == pytest.approx(expected, abs=5 * float(sample.std()) / 2000**0.5)


@given(seed=st.integers(0, 2**16), mixing=st.sampled_from([0.0, 0.5, 1.0]))
def test_mixed_forms_share_no_axes_and_keep_the_bound(seed: int, mixing: float) -> None:
    form = second_form(3, 2, (1.0, -1.0, 0.5), seed, mixing)
    first, second = form
    commute = bool(torch.allclose(first @ second, second @ first, rtol=0, atol=1e-12))
    assert commute == (mixing in (0.0, 1.0))
    v = torch.nn.functional.normalize(torch.randn(3, 200, generator=torch.Generator().manual_seed(0)).double(), dim=0)
    assert torch.linalg.vector_norm(torch.einsum("aij,in,jn->an", form, v, v), dim=0).max() <= 1 + 1e-12


def test_trace_free_forms_have_no_trace() -> None:
    form = trace_free(second_form(3, 2, (1.0, 0.5), 7, 0.5))
    assert float(form.diagonal(dim1=-2, dim2=-1).sum(-1).abs().max()) < 1e-15


@pytest.mark.parametrize(
    "patch",
    [
        monge_patch(1, 2),
        monge_patch(2, 3, (0.1,)),
        monge_patch(3, 9, (0.1, 1 / 3), 65535),
        monge_patch(2, 4, (), 0, 0.0, (0.7,)),
        monge_patch(2, 4, (0.3,), 5, 0.25, (0.7, 0.1)),
    ],
    ids=repr,
)
def test_the_repr_of_a_patch_rebuilds_it(patch: MongePatch) -> None:
    again = eval(repr(patch), {"monge_patch": monge_patch})
    assert torch.equal(again.second_form, patch.second_form)
    one, other = again.third_form, patch.third_form
    assert (one is None) == (other is None)
    assert one is None or other is None or torch.equal(one, other)


def test_patches_have_the_form_and_the_bound_of_their_arguments() -> None:
    patch = monge_patch(2, 4, (0.5, -0.25), 3, 0.5, (0.4, 0.2))
    assert torch.allclose(patch.second_form, second_form(2, 2, (0.5, -0.25), 3, 0.5), rtol=0, atol=1e-16)
    assert patch.third_form is not None
    generator = torch.Generator().manual_seed(0)
    u, v = torch.nn.functional.normalize(torch.randn(2, 200, 2, generator=generator).double(), dim=-1)
    bent = torch.einsum("aijk,ni,nj,nk->na", patch.third_form, u, v, v)
    assert torch.linalg.vector_norm(bent, dim=-1).max() <= 0.4 + 1e-12


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize(
    "manifold",
    [Sphere(3, 2.0), Ellipsoid((1.0, 2.0, 3.0)), Torus(3.0, 1.0), Cylinder(2.0), monge_patch(2, 5, (1.0,))],
)
def test_base_points_lie_on_the_manifold(manifold, seed: int) -> None:
    assert float(manifold.distance_estimate(base_point(manifold, seed))) < 1e-13


def test_zipf_with_tokens_out_of_line() -> None:
    table = frequency_table(3, 1.0, {2: 6})
    assert table.tolist() == pytest.approx([1 / 3.5, 0.5 / 3.5, 2 / 3.5], rel=1e-15)


def test_vocabularies_are_as_large_as_those_of_language_models() -> None:
    table = frequency_table(2_000_000, 1.0, {50_256: 6})
    assert table.shape == (2_000_000,)
    assert float(table[50_256] / table[0]) == pytest.approx(6 / 50_257, rel=1e-14)
    assert float(table.sum()) == pytest.approx(1, abs=1e-13)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: second_form(2, 1, (1.0, 1.0, 1.0)), "3 entries, and a form in 2 dimensions takes at most 2"),
        (lambda: second_form(0, 1), "dim must be a positive integer, got 0"),
        (lambda: second_form(1, 0), "codim must be a positive integer, got 0"),
        (lambda: second_form(1, 1, (), 0, 1.5), r"mixing must be at least 0 and at most 1, got 1\.5"),
        (lambda: second_form(16000, 16000), r"shape \(16000, 16000, 16000\) has 4\.1e\+12 entries"),
        (lambda: second_form(1, 1, (), float("nan")), "seed must be an integer between 0 and"),  # pyright: ignore[reportArgumentType]
        (lambda: second_form(1, 1, (), "a"), "seed must be an integer between 0 and .* got 'a'"),  # pyright: ignore[reportArgumentType]
        (lambda: orthonormal_frame(2, 1, -1), "seed must be between 0 and .* got -1"),
        (lambda: monge_patch(2, 3, 1.0), r"curvatures must be a sequence of numbers, got 1\.0"),  # pyright: ignore[reportArgumentType]
        (lambda: monge_patch(2, 3, (float("inf"),)), r"curvatures\[0\] must be finite, got inf"),
        (lambda: monge_patch(300, 310, (), 0, 0.0, (1.0,)), r"shape \(10, 300, 300, 300\) has 2\.7e\+08 entries"),
        (lambda: covariance(1.0), r"spectrum must be a sequence of numbers, got 1\.0"),  # pyright: ignore[reportArgumentType]
        (lambda: covariance((1.0,), 0.5), "seed must be an integer"),  # pyright: ignore[reportArgumentType]
        (lambda: base_point("a"), r"manifold must be a Submanifold, got 'a': e\.g\. Sphere\(2\)"),  # pyright: ignore[reportArgumentType]
        (lambda: base_point(Sphere(2), float("nan")), "seed must be an integer"),  # pyright: ignore[reportArgumentType]
        (lambda: frequency_table(3, float("nan")), "exponent must be at least -20 and at most 20, got nan"),
        (
            lambda: frequency_table(3, 0.0, {1: float("inf")}),
            r"multiples\[1\] must be at least 1e-09 and at most 1e\+09",
        ),
        (lambda: frequency_table(3, 0.0, {0.5: 2.0}), "a token of multiples must be an integer"),  # pyright: ignore[reportArgumentType]
        (lambda: frequency_table(3, 0.0, [2.0]), "multiples must be a mapping"),  # pyright: ignore[reportArgumentType]
        (lambda: frequency_table(10**9), "vocabulary must be between 1 and 100000000, got 1000000000"),
        (lambda: monge_patch(2, 2), "a patch needs dim < ambient_dim, got 2 and 2"),
        (lambda: orthonormal_frame(2, 3), "3 orthonormal vectors don't fit into 2 dimensions"),
        (lambda: covariance(()), "size of a covariance must be a positive integer, got 0"),
        (lambda: covariance((1.0, -1.0)), r"spectrum\[1\] must be at least 0 and finite, got -1"),
        (lambda: frequency_table(0), "vocabulary must be between 1 and"),
        (lambda: frequency_table(3, 0.0, {3: 1.0}), "a token of multiples must be between 0 and 2, got 3"),
    ],
)
def test_bad_arguments_are_named(make, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
