"""Promises of tangent proxies, local tangent spaces and random normal bases."""

import math

import torch
from torch import Tensor

from manifoldtheory.estimators import (
    SecondMoment,
    TangentProxy,
    fit_tangent_proxy,
    local_tangents,
    random_normal_bases,
)
from tests.estimators.numerics.moments import CONDITIONS, SIZES
from tests.estimators.numerics.rows import (
    EPS,
    Refuses,
    Row,
    Warns,
    generator,
    normal,
    orthonormal,
    subspace_distance,
    value,
)

FLAT = "rounding ε of the coordinates against the cloud's size t"


def plane(seed: int, n: int, dim: int, rank: int, size: float = 1.0, offset: float = 0.0) -> tuple[Tensor, Tensor]:
    """A cloud uniform in a cube of a rank-dimensional plane, and the plane's frame."""
    frame = orthonormal(seed, dim, rank)
    flat = torch.rand(n, rank, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) - 0.5
    return offset + size * flat @ frame.T, frame


def cone(n: int, dim: int, size: float = 1.0) -> tuple[Tensor, Tensor]:
    """Nonnegative combinations of two orthonormal directions, and these."""
    frame = orthonormal(18, dim, 2)
    codes = torch.rand(n, 2, generator=torch.Generator().manual_seed(18), dtype=torch.float64)
    return size * codes @ frame.T, frame


def cone_error(n: int, dim: int, size: float = 1.0) -> float:
    points, frame = cone(n, dim, size)
    return subspace_distance(frame, fitted(points, 2, "semi-nmf", centered=False))


def fitted(points: Tensor, rank: int, method: str = "pca", *, centered: bool = True) -> Tensor:
    return fit_tangent_proxy(
        points, rank, method, centered=centered, generator=generator()  # pyright: ignore[reportArgumentType]
    ).basis  # fmt: skip


def plane_error(method: str, n: int, dim: int, rank: int, size: float = 1.0, offset: float = 0.0) -> float:
    points, frame = plane(1, n, dim, rank, size, offset)
    return subspace_distance(frame, fitted(points, rank, method))


def ranked(rank: int) -> float:
    """PCA of 16 uncorrelated coordinates, of variances 1, ½, ¼, …: the gap at the cut is half the last one kept."""
    scales = torch.logspace(0, -15, 16, base=2.0, dtype=torch.float64).sqrt()
    points = torch.linalg.qr(normal(2, 64, 16) - normal(2, 64, 16).mean(0)).Q * scales
    points = torch.cat([points, -points])  # centred exactly
    return subspace_distance(torch.eye(16, dtype=torch.float64)[:, :rank], fitted(points, rank))


def conditioned(condition: float) -> float:
    frame = orthonormal(3, 8, 8)
    scales = torch.logspace(0, -math.log10(condition) / 2, 8, dtype=torch.float64)
    points = torch.linalg.qr(normal(4, 50, 8)).Q * scales @ frame.T
    return subspace_distance(frame[:, :4], fitted(torch.cat([points, -points]), 4))


def orthonormality(dim: int) -> float:
    basis = fitted(normal(5, 2 * dim if dim < 1000 else 16, dim), 1 if dim < 16 else 8)
    return float((basis.T @ basis - torch.eye(basis.shape[1])).abs().max())


def single_precision(method: str) -> float:
    points = cone(80, 8)[0].float()
    bases = [fitted(values, 2, method, centered=method != "semi-nmf") for values in (points.double(), points)]
    return subspace_distance(*bases)


def repeated(method: str) -> float:
    points, frame = cone(80, 8)
    return subspace_distance(frame, fitted(points.repeat(2, 1), 2, method, centered=method != "semi-nmf"))


def constant(method: str, n: int = 50) -> Tensor:
    return fitted(torch.full((n, 4), 0.1, dtype=torch.float64), 2, method)


def opposite(_: None) -> Tensor:
    ends = torch.cat([torch.eye(2), -torch.eye(2)]).double()
    return fitted(ends @ orthonormal(19, 6, 2).T, 2, "semi-nmf")


def tie(_: None) -> Tensor:
    points = torch.eye(4, dtype=torch.float64)
    return fitted(torch.cat([points, -points]), 2)


BOTH = ("semi-nmf", "local-pca")
PROXIES = [
    Row("fit_tangent_proxy pca", "plane cloud of size t = 1e-1 … 1e-8 at distance 1",
        value("its plane, to 16 ε/t", lambda t: 16 * EPS / t, FLAT),
        lambda t: plane_error("pca", 200, 8, 2, t, 1.0), SIZES),
    Row("fit_tangent_proxy pca", "rank 1 … d − 1 = 15, eigenvalues halving",
        value("the eigenspace, to 16 d ε λ₁/(λₖ − λₖ₊₁)", lambda k: 16 * 16 * EPS * 2.0**k, "Davis and Kahan's bound"),
        ranked, tuple(range(1, 16))),
    Row("fit_tangent_proxy pca", "condition number κ = 1 … 1e12 over d = 8, rank 4",
        value("the eigenspace, to 16 d ε λ₁/(λ₄ − λ₅)",
              lambda c: 16 * 8 * EPS / (c ** (-3 / 7) - c ** (-4 / 7)), "Davis and Kahan's bound"),
        conditioned, CONDITIONS[1:]),
    Row("fit_tangent_proxy pca", "d = 2 … 4096 (n < d from 1000 on)", value("orthonormal columns, to d ε",
        lambda dim: max(dim, 16) * EPS, "LAPACK's eigenvectors"), orthonormality, (2, 16, 128), (768, 4096)),
    Row("fit_tangent_proxy pca", "eigenvalues equal to rounding at the cut",
        Warns("one of many", "any basis of the eigenspace would do as well"), tie),
    Row("fit_tangent_proxy, all methods", "float32 points", value("the proxy of their float64 values, to 16 ε",
        16 * EPS, "converted first; ε: the sums' order"), single_precision, ("pca", *BOTH)),
    Row("fit_tangent_proxy, all methods", "every point twice", value("the plane they lie in, to 1e-12", 1e-12,
        "exact data of rank k"), repeated, ("pca", *BOTH)),
    Row("fit_tangent_proxy pca, local-pca", "constant data", Refuses("span 0 directions", "no direction is preferred"),
        constant, ("pca", "local-pca")),
    Row("fit_tangent_proxy semi-nmf", "constant data, centred", Refuses("all points are 0", "nothing to factorise"),
        lambda _: fitted(torch.full((50, 4), 0.5, dtype=torch.float64), 2, "semi-nmf")),
    Row("fit_tangent_proxy pca", "one sample", Refuses("span 0 directions", "a point has no direction"),
        lambda _: constant("pca", 1)),
    Row("fit_tangent_proxy semi-nmf", "n < k", Refuses("at least 2 points", "every concept starts from a point"),
        lambda _: constant("semi-nmf", 1)),
    Row("fit_tangent_proxy local-pca", "fewer than 3 points", Refuses("at least 3 points", "no neighbours"),
        lambda n: constant("local-pca", n), (1, 2)),
    Row("fit_tangent_proxy pca", "n ≤ rank < d", Refuses("span 4 directions, not 5", "n points span n − 1 directions"),
        lambda _: fitted(normal(8, 5, 16), 5)),
    Row("fit_tangent_proxy pca, local-pca", "rank < n < d = 16 … 4096", value("the plane they lie in, to 1e-11", 1e-11,
        "exact data of rank 2"), lambda case: plane_error(case[0], 10, case[1], 2),
        (("pca", 16), ("pca", 128), ("local-pca", 16), ("local-pca", 128)), (("pca", 4096), ("local-pca", 4096))),
    Row("fit_tangent_proxy local-pca", "plane cloud of size t = 1e-1 … 1e-8 at distance 1",
        value("its plane, to 64 ε/t", lambda t: 64 * EPS / t, FLAT),
        lambda t: plane_error("local-pca", 60, 8, 2, t, 1.0), SIZES),
    Row("fit_tangent_proxy semi-nmf", "nonnegative combinations of 2 directions, of size 1e-8 … 1e8, uncentred",
        value("their plane, to 1e-12", 1e-12, "the dictionary lies in the span of the data"),
        lambda size: cone_error(40, 8, size), (1e-8, 1.0, 1e8)),
    Row("fit_tangent_proxy semi-nmf", "the same with n = 10 < d = 16 … 4096", value("their plane, to 1e-12", 1e-12,
        "the same"), lambda dim: cone_error(10, dim), (16, 768), (4096,)),
    Row("fit_tangent_proxy semi-nmf", "data symmetric about their mean, centred, as many concepts as directions",
        Refuses("spans fewer directions", "concepts come in opposite pairs, that span one direction"),
        opposite),
    Row("fit_tangent_proxy semi-nmf, local-pca", "a `SecondMoment`", Refuses("needs the points", "not in the moments"),
        lambda method: fit_tangent_proxy(SecondMoment(3).update(normal(1, 9, 3)), 1, method), BOTH),
    Row("fit_tangent_proxy, all methods", "rank 0, d, or none",
        Refuses("rank", "no subspace, or no complement"), lambda case: fitted(normal(9, 30, 4), case[1], case[0]),
        tuple((method, rank) for method in ("pca", *BOTH) for rank in (0, 4, 2.0, True))),
]  # fmt: skip


def wrong_dimensions(points: Tensor, dim: int, neighbours: int = 20) -> float:
    """How many points are found to have another dimension than the plane."""
    return float((local_tangents(points, neighbours).dimensions != dim).sum())


def outlier(distance: float) -> float:
    points, _ = plane(10, 60, 8, 2)
    joined = torch.cat([points, distance * torch.ones(1, 8, dtype=torch.float64)])
    thrown = max(wrong_dimensions(joined[:, :], 2, k) for k in (20, 59))  # far off all neighbourhoods, and in all
    return max(0.0, thrown - 1)  # its own tangent space is its own affair


def tangent_error(case: tuple[int, int]) -> float:
    dim, neighbours = case
    points, frame = plane(11, 60, dim, 2)
    return max(subspace_distance(frame, basis) for basis in local_tangents(points, neighbours).bases)


def shrunk(condition: float) -> float:
    points = plane(12, 60, 3, 3)[0] @ torch.diag(torch.tensor([1.0, 1.0, condition**-0.5], dtype=torch.float64))
    flat = torch.cat([points[:, :2], 0 * points[:, 2:]], 1)
    return float((local_tangents(points, 20).dimensions != local_tangents(flat, 20).dimensions).sum())


TANGENTS = [
    Row("local_tangents", "plane cloud of size t = 1e-1 … 1e-8 at distance 1",
        value("the plane's dimension at every point", 0.0, "rounding ε/t squared is far below the threshold"),
        lambda t: wrong_dimensions(plane(13, 80, 8, 2, t, 1.0)[0], 2), SIZES),
    Row("local_tangents", "(d, neighbours) from (3, 10) to (4096, 40): n < d, neighbours < d",
        value("the plane, to 1e-12", 1e-12, "exact data of rank 2"), tangent_error,
        ((3, 10), (64, 40), (64, 10), (768, 40), (4096, 40))),
    Row("local_tangents", "a direction of variance 1e-3 … 1e-12 of the others", value("not counted", 0.0,
        "below the threshold 0.05 of Fukunaga and Olsen"), shrunk, CONDITIONS[1:]),
    Row("local_tangents", "one outlier at 10 … 1e12 cloud sizes", value("the others' dimensions unchanged", 0.0,
        "neighbours beyond 3 median distances are left out"), outlier, (10.0, 1e3, 1e12)),
    Row("local_tangents", "constant data", value("dimension 0", 0.0, "differences are exactly 0"),
        lambda _: wrong_dimensions(torch.full((30, 3), 0.1), 0)),
    Row("local_tangents", "every point twice", value("the plane's dimension", 0.0, "copies are neighbours like others"),
        lambda _: wrong_dimensions(plane(14, 60, 8, 2)[0].repeat(2, 1), 2)),
    Row("local_tangents", "float32 points", value("the dimensions of their float64 values", 0.0, "converted first"),
        lambda _: wrong_dimensions(plane(15, 60, 8, 2)[0].float(), 2)),
    Row("local_tangents", "n ≤ neighbours; one sample", Refuses("neighbours each", "nobody has so many neighbours"),
        lambda n: local_tangents(torch.zeros(n, 3), 20), (1, 20)),
    Row("local_tangents", "entries above 1e154", Refuses("overflow", "squared distances are infinite"),
        lambda size: local_tangents(size * normal(16, 30, 3), 5), (1e155, 1e300)),
]  # fmt: skip


def controls(case: tuple[int, int]) -> float:
    dim, rank = case
    proxy = TangentProxy(orthonormal(17, dim, rank))
    bases = random_normal_bases(proxy, 2, generator=generator())
    gram = (bases.mT @ bases - torch.eye(rank)).abs().max()
    return float(torch.maximum(gram, (proxy.basis.T @ bases).abs().max()))


CONTROLS = [
    Row("random_normal_bases", "(d, k) from (3, 1) to (4096, 1), k up to (d − 1)/2",
        value("orthonormal and normal to the proxy, to 16 √d ε", lambda case: 16 * case[0] ** 0.5 * EPS,
              "Householder reflections"), controls, ((3, 1), (16, 1), (16, 7), (128, 63)), ((768, 383), (4096, 1))),
    Row("random_normal_bases", "2k ≥ d", Refuses("lower the rank", "the complement has no room for them"),
        lambda case: controls(case), ((2, 1), (4, 2), (4, 3))),
]  # fmt: skip
