"""Conversion from geomstats: every class of its spaces is converted or refused with a reason of its own."""

import importlib
import inspect
import math
import pkgutil
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds import (
    Cylinder,
    Grassmannian,
    Product,
    SpecialOrthogonal,
    Sphere,
    Stiefel,
    Submanifold,
    Torus,
    from_geomstats,
)
from manifoldtheory.manifolds.conversion import CONVERTED, EmbeddedMetricWarning
from manifoldtheory.manifolds.geomstats_bridge import double_precision, load_geomstats
from manifoldtheory.manifolds.metrics import metric_ratio
from manifoldtheory.manifolds.refusals import REFUSED

pytestmark = pytest.mark.filterwarnings(
    # geomstats hands tensors to numpy, whose version 2 wants a keyword that torch's `__array__` does not have.
    "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
)


def space(name: str, *arguments: Any, **options: Any) -> Any:
    module, kind = name.split(".")
    with double_precision():
        return getattr(load_geomstats(f"geomstats.geometry.{module}"), kind)(*arguments, **options)


def space_classes() -> Iterator[type]:
    """Every class of geomstats.geometry that a space is an instance of, abstract or not."""
    bases = (
        load_geomstats("geomstats.geometry.manifold").Manifold,
        load_geomstats("geomstats.geometry.complex_manifold").ComplexManifold,
        load_geomstats("geomstats.geometry.stratified.point_set").PointSet,
    )
    package = importlib.import_module("geomstats.geometry")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for found in pkgutil.walk_packages(package.__path__, "geomstats.geometry."):
            for kind in vars(load_geomstats(found.name)).values():
                if inspect.isclass(kind) and kind.__module__ == found.name and issubclass(kind, bases):
                    yield kind


def test_every_class_of_spaces_is_converted_or_refused_by_its_own_name() -> None:
    kinds = list(space_classes())
    assert len(kinds) > 60
    concrete_by_base = {
        "Hypersphere": "_Hypersphere",
        "Landmarks": "NFoldManifold",
        "_SpecialOrthogonal2Vectors": "_SpecialOrthogonalVectors",
        "_SpecialOrthogonal3Vectors": "_SpecialOrthogonalVectors",
        "_SpecialEuclidean2Vectors": "_SpecialEuclideanVectors",
        "_SpecialEuclidean3Vectors": "_SpecialEuclideanVectors",
    }
    names = {kind.__name__ for kind in kinds}
    for kind in kinds:
        name = concrete_by_base.get(kind.__name__, kind.__name__)
        assert (name in CONVERTED) != (name in REFUSED), kind
        assert name in {base.__name__ for base in kind.__mro__}
    assert not (set(CONVERTED) | set(REFUSED)) - names, "a class that geomstats does not have"


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("spd_matrices.SPDMatrices", (2,), "not the Euclidean one"),
        ("hyperboloid.Hyperboloid", (2,), "Minkowski"),
        ("poincare_ball.PoincareBall", (2,), "hyperbolic"),
        ("euclidean.Euclidean", (3,), "flat"),
        ("symmetric_matrices.SymmetricMatrices", (3,), "flat"),
        ("skew_symmetric_matrices.SkewSymmetricMatrices", (3,), "Lie algebra"),
        ("positive_lower_triangular_matrices.PLTUnitDiagMatrices", (3,), "flat"),
        ("complex_matrices.ComplexMatrices", (2, 2), "complex"),
        ("klein_bottle.KleinBottle", (), "flat"),
        ("full_rank_correlation_matrices.FullRankCorrelationMatrices", (3,), "quotient metric"),
        ("open_hemisphere.OpenHemisphere", (2,), "hyperboloid"),
        ("poincare_polydisk.PoincarePolydisk", (2,), "hyperbolic"),
    ],
)
def test_other_spaces_are_refused_by_name(name: str, arguments: tuple, reason: str) -> None:
    with pytest.raises(InputError, match=rf"{name.split('.')[1]}.* cannot be converted: .*{reason}"):
        from_geomstats(space(name, *arguments))


def test_rotation_vectors_and_flat_factors_are_refused() -> None:
    with pytest.raises(InputError, match="rotation vectors"):
        from_geomstats(space("special_orthogonal.SpecialOrthogonal", 3, point_type="vector"))
    factors = [space("hypersphere.Hypersphere", 2), space("euclidean.Euclidean", 2)]
    with pytest.raises(InputError, match="flat"):
        from_geomstats(space("product_manifold.ProductManifold", factors))


def test_what_is_no_space_is_refused() -> None:
    with pytest.raises(InputError, match="expected a geomstats space, got int"):
        from_geomstats(3)
    with pytest.raises(InputError, match="pass an instance"):
        from_geomstats(type(space("hypersphere.Hypersphere", 2)))
    with pytest.raises(InputError, match="carries no metric"):
        from_geomstats(space("hypersphere.Hypersphere", 2, equip=False))


def test_spheres_and_their_scaled_metrics() -> None:
    assert from_geomstats(space("hypersphere.Hypersphere", 4)) == Sphere(4)
    scaled = space("hypersphere.Hypersphere", 4)
    scaled.metric = 2.25 * scaled.metric
    radius = from_geomstats(scaled)
    assert isinstance(radius, Sphere)
    assert radius.radius == pytest.approx(1.5, rel=1e-12)
    assert from_geomstats(space("pre_shape.PreShapeSpace", 4, 2)) == Sphere(5)


def test_matrices() -> None:
    for manifold, original in (
        (Grassmannian(4, 2), space("grassmannian.Grassmannian", 4, 2)),
        (Product(Sphere(2), Sphere(3)), None),
        (Product(Sphere(2), Sphere(2)), None),
    ):
        if original is None:
            kind = [space("hypersphere.Hypersphere", factor.dim) for factor in manifold.factors]  # pyright: ignore[reportAttributeAccessIssue]
            original = space("product_manifold.ProductManifold", kind)
        converted = from_geomstats(original)
        assert converted == manifold
        assert (converted.dim, converted.ambient_dim) == (original.dim, math.prod(original.shape))
        with double_precision():
            points = original.random_point(3)
        assert converted.distance_estimate(points.reshape(3, -1)).max() < 1e-12
    power = space("nfold_manifold.NFoldManifold", space("hypersphere.Hypersphere", 2), 3)
    assert from_geomstats(power) == Product(*[Sphere(2)] * 3)
    landmarks = space("landmarks.Landmarks", space("hypersphere.Hypersphere", 2), 2)
    assert from_geomstats(landmarks) == Product(Sphere(2), Sphere(2))
    tube = [space("hypersphere.Hypersphere", 1), space("euclidean.Euclidean", 2)]
    assert from_geomstats(space("product_manifold.ProductManifold", tube)) == Cylinder(1.0, 2)


def test_metrics_that_differ_are_announced() -> None:
    rotations = space("special_orthogonal.SpecialOrthogonal", 3)
    with pytest.warns(EmbeddedMetricWarning, match=r"1\.41421 times"):
        assert from_geomstats(rotations) == SpecialOrthogonal(3)
    rotations.metric = 2.0 * rotations.metric
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert from_geomstats(rotations) == SpecialOrthogonal(3)
    with pytest.warns(EmbeddedMetricWarning, match="not its canonical one"):
        assert from_geomstats(space("stiefel.Stiefel", 4, 2)) == Stiefel(4, 2)
    grassmannian = space("grassmannian.Grassmannian", 3, 1)
    grassmannian.metric = 3.0 * grassmannian.metric
    with pytest.raises(InputError, match="carries 3 times"):
        from_geomstats(grassmannian)


@pytest.mark.parametrize(
    ("manifold", "expected"),
    [
        (Sphere(2), Sphere(2, 2.0)),
        (Torus(2.0, 0.7), r"carries 4 times the metric of Torus\(major=2.0, minor=0.7\)"),
        (Product(Sphere(2), Sphere(3)), "not the sum of the metrics of its factors"),
    ],
    ids=repr,
)
def test_spaces_of_ours_are_believed_only_with_their_own_metric(manifold: Submanifold, expected) -> None:
    original = manifold.geomstats
    assert from_geomstats(original) is manifold
    with double_precision():
        original.metric = 4.0 * original.metric
    if isinstance(expected, Submanifold):
        assert from_geomstats(original) == expected
    else:
        with pytest.raises(InputError, match=expected):
            from_geomstats(original)


def test_factors_are_measured_too() -> None:
    original = Product(Sphere(2), Sphere(3)).geomstats
    line = space("euclidean.Euclidean", 2)
    with double_precision():
        original.factors[1].metric = 4.0 * original.factors[1].metric
        line.metric = 4.0 * line.metric
    assert from_geomstats(original) == Product(Sphere(2), Sphere(3, 2.0))
    # Another unit along the axis is another name for the points of the same cylinder; another metric is not.
    circle = space("hypersphere.Hypersphere", 1)
    assert from_geomstats(space("product_manifold.ProductManifold", [circle, line])) == Cylinder(1.0, 2)
    minkowski = space("minkowski.Minkowski", 2)
    line.metric = minkowski.metric
    with pytest.raises(InputError, match="carries a MinkowskiMetric"):
        from_geomstats(space("product_manifold.ProductManifold", [circle, line]))


def test_metrics_are_measured() -> None:
    assert metric_ratio(space("special_orthogonal.SpecialOrthogonal", 3)) == pytest.approx(0.5, rel=1e-12)
    assert metric_ratio(space("stiefel.Stiefel", 4, 2)) is None
    before = torch.get_rng_state()
    metric_ratio(space("hypersphere.Hypersphere", 2))
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("special_euclidean.SpecialEuclidean", (2,)), ("rank_k_psd_matrices.RankKPSDMatrices", (3, 2))],
)
def test_matrices_by_immersion_contain_the_points_of_geomstats(name: str, arguments: tuple) -> None:
    original = space(name, *arguments)
    converted = from_geomstats(original)
    assert converted.ambient_dim == math.prod(original.shape)
    sample = converted.sample(5, generator=torch.Generator().manual_seed(1))
    with double_precision():
        assert bool(original.belongs(sample.reshape(5, *original.shape), atol=1e-10).all())
        torch.manual_seed(3)
        points = original.random_point(5)
        vectors = original.to_tangent(torch.randn(5, *original.shape, dtype=torch.float64), points)
    if name.endswith("RankKPSDMatrices"):  # whose to_tangent leaves the tangent space
        factor, change = torch.randn(2, 5, *arguments, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
        points, vectors = factor @ factor.mT, factor @ change.mT + change @ factor.mT
    frame = converted.tangent_frame(points.reshape(5, -1))
    flat = vectors.reshape(5, -1)
    tangent = (frame @ (frame.mT @ flat[..., None]))[..., 0]
    assert torch.allclose(tangent, flat, rtol=0, atol=1e-10)


def paraboloid(scale: float = 1.0) -> Any:
    base = load_geomstats("geomstats.geometry.base")
    gs = load_geomstats("geomstats.backend")
    euclidean = load_geomstats("geomstats.geometry.euclidean")

    class Paraboloid(base.ImmersedSet):
        def _define_embedding_space(self) -> Any:
            return euclidean.Euclidean(3)

        def immersion(self, point: Tensor) -> Tensor:
            u, v = point[..., 0], point[..., 1]
            return gs.stack([u, v, (u**2 + v**2) / 2], axis=-1)

    with double_precision():
        made = Paraboloid(dim=2)
    if scale != 1.0:
        made.metric = scale * made.metric
    return made


@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_immersed_sets_of_ones_own(scale: float) -> None:
    original = paraboloid(scale)
    converted = from_geomstats(original, domain=(-2.0, 2.0))
    assert (converted.sample(50, generator=torch.Generator().manual_seed(1))[:, :2].abs() > math.sqrt(scale)).any()
    x = converted.immersion(torch.tensor([0.3, 0.2], dtype=torch.float64))
    curvature = torch.linalg.det(converted.second_fundamental_form(x)[0])
    assert float(curvature) == pytest.approx(1 / (1 + 0.3**2 + 0.2**2) ** 2 / scale, rel=1e-13)


def test_another_metric_on_an_immersed_set_is_refused() -> None:
    original = paraboloid()
    with double_precision():
        original.equip_with_metric(load_geomstats("geomstats.geometry.euclidean").CanonicalEuclideanMetric)
    with pytest.raises(InputError, match="carries a CanonicalEuclideanMetric"):
        from_geomstats(original)
