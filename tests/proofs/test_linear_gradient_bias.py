"""Third route: gradients of `torch.nn.Linear` by automatic differentiation, on random patches, clouds and losses."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
import torch

import proofs
from manifoldtheory.ledger import Form, Verdict
from manifoldtheory.manifolds import MongePatch
from proofs.gradients.gradient_rows import leading
from proofs.gradients.linear_gradient_cases import CASES, PUBLISHED, Case
from proofs.gradients.linear_gradient_expansion import t as RADIUS
from proofs.gradients.linear_gradient_instances import mean_gradient
from proofs.gradients.linear_gradient_settings import SETTINGS
from proofs.linear_gradient_bias import rows
from proofs.majorants import RANGE

from .graphs import GRAPHS, Graph, directions

EXPONENTS = {
    "drifting": (1, 2),
    "symmetric": (2, 2),
    "minimal": (2, 4),
    "flat": (4, 2),
    "stationary-skew": (2, 3),
    "stationary": (2, 4),
    "stationary-flat": (4, 4),
    "drifting-minimal": (1, 3),
    "centred": (2, 2),
    "centred-minimal": (2, 3),
    "centred-flat": (3, 2),
    "centred-flat-minimal": (3, 3),
    "flat-minimal": (4, 4),
    "stationary-skew-flat": (3, 4),
}
"""Tangent and normal; the published seven first."""


SMALLEST = 1e-6
"""A second form below this is rounding about 0: a curve with E II(u, u) = 0 has none."""
ROUNDING = 1e-16
"""Of sums of a few products δ ξ with ξ below 0.1, in float64."""


@pytest.fixture(scope="module")
def derivation():
    derivation = proofs.derive("linear-gradient-bias")
    assert derivation.holds
    return derivation


def test_the_table() -> None:
    assert {row.name: (row.tangent.exponent, row.normal.exponent) for row in rows()} == EXPONENTS
    assert [row.name for row in rows()][: len(PUBLISHED)] == [case.name for case in PUBLISHED]
    ratios = [row.ratio_exponent for row in rows()][: len(PUBLISHED)]
    assert ratios == [1, 0, 2, -2, 1, 2, 0]


def test_no_case_is_left_out() -> None:
    """Every combination of what can vanish is one case, but for what does not matter in it."""
    decided = {
        (case.stationary, case.law, case.flat if case.stationary or case.law != "drifting" else None, case.minimal)
        for case in CASES
    }
    assert len(decided) == len(CASES)
    moving = {(False, "drifting", None, minimal) for minimal in (False, True)}
    moving |= {
        (False, law, flat, minimal)
        for law in ("centred", "symmetric")
        for flat in (False, True)
        for minimal in (False, True)
    }
    still = {(True, law, flat, False) for law in ("drifting", "symmetric") for flat in (False, True)}
    assert decided == moving | still


def test_verdicts(derivation) -> None:
    stated = {f.quantity: f.verdict for f in derivation.findings if f.form is Form.AS_STATED}
    assert stated == dict.fromkeys(("constant-ratio", "growing-ratio", "cross-entropy"), Verdict.REFUTES)
    repaired = {f.quantity: f.verdict for f in derivation.findings if f.form is Form.REPAIRED}
    assert {f"{name}-ratio" for name in EXPONENTS} | {"per-token-ratio", "random-radius"} <= repaired.keys()
    assert set(repaired.values()) == {Verdict.SUPPORTS}


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.case)
def test_exponents_on_instances(derivation, setting) -> None:
    """Those of both parts, by automatic differentiation: what is off halves, at least, with the scale."""
    instance = next(found for found in derivation.counterexamples if found.name == setting.case)
    parts, weights = instance.build(), {name: instance.at[name] for name in setting.weights}
    sizes = {scale: mean_gradient(**parts, radius=scale, **weights) for scale in (0.04, 0.02, 0.01)}
    for part, exponent in zip(("tangent", "normal"), EXPONENTS[setting.case], strict=True):
        values = {scale: found[part][0] for scale, found in sizes.items()}
        rounding = max(error / value for found in sizes.values() for value, error in [found[part]])
        far, near = (math.log2(values[scale] / values[scale / 2]) - exponent for scale in (0.04, 0.02))
        assert abs(near) < 0.1
        assert abs(near) <= 0.6 * abs(far) + 4 * rounding
        term = leading(derivation.chain(f"{setting.case}-{part}-entry"), RADIUS)
        assert term.exponent == exponent
        coefficient = float(term.coefficient.xreplace({s: weights[str(s)] for s in term.coefficient.free_symbols}))
        off = [abs(values[scale] / scale**exponent / coefficient - 1) for scale in (0.02, 0.01)]
        assert off[1] <= min(0.1, 0.6 * off[0] + 4 * rounding)


def weight_gradient(layer: torch.nn.Linear, loss: torch.Tensor) -> torch.Tensor:
    """By automatic differentiation."""
    (gradient,) = torch.autograd.grad(loss, layer.weight)
    return gradient


@dataclass
class Draw:
    """A patch, directions with probabilities, and a layer with softmax cross-entropy on soft labels."""

    patch: MongePatch
    points: torch.Tensor
    probability: torch.Tensor
    layer: torch.nn.Linear
    label: torch.Tensor
    axes: tuple[torch.Tensor, torch.Tensor, torch.Tensor]

    def loss(self, output: torch.Tensor) -> torch.Tensor:
        label = self.label.expand(output.shape)
        return torch.nn.functional.cross_entropy(output, label, reduction="none")

    def weight_gradient(self, inputs: torch.Tensor) -> torch.Tensor:
        """Of the mean loss."""
        return weight_gradient(self.layer, (self.probability * self.loss(self.layer(inputs))).sum())

    def gradient(self, inputs: torch.Tensor) -> tuple[float, float]:
        """The tangent and the normal component of the mean gradient by weights."""
        output, tangent, normal = self.axes
        along = output @ self.weight_gradient(inputs)
        m = self.patch.dim
        return (along[:m] @ tangent).item(), (along[m:] @ normal).item()

    def moments(self) -> dict[str, float]:
        """What the predictions are written in; Taylor coefficients of ⟨c, δ⟩ by Cauchy's formula on a circle."""
        output, tangent, normal = self.axes
        u = self.points @ tangent
        second = torch.einsum("aij,ni,nj->na", self.patch.second_form, self.points, self.points)
        third = torch.einsum("aijk,ni,nj,nk->na", self.patch.third_form, *[self.points] * 3)
        m, count, circle = self.patch.dim, 64, 0.2
        weight, bias = self.layer.weight.detach(), self.layer.bias.detach()
        s = circle * torch.exp(2j * math.pi * torch.arange(count, dtype=torch.float64) / count)[:, None, None]
        heights = s**2 * second / 2 + s**3 * third / 6
        logits = s * (self.points @ weight[:, :m].T) + heights @ weight[:, m:].T.to(s.dtype) + bias
        delta = torch.exp(logits) / torch.exp(logits).sum(-1, keepdim=True) - self.label
        along = delta @ output.to(s.dtype)
        forms = torch.fft.fft(along, dim=0).real / count
        forms = [forms[order] / circle**order for order in range(6)]
        z = {2: second @ normal / 2, 3: third @ normal / 6}

        def mean(values: torch.Tensor) -> float:
            return (self.probability * values).sum().item()

        named = {
            "base_output_gradient": forms[0][0].item(),
            "direction_mean": mean(u),
            "slope_covariance": mean(forms[1] * u),
            "bending_mean": mean(2 * z[2]),
            "slope_bending": mean(forms[1] * 2 * z[2]),
        }
        for n in range(2, 7):
            named[f"tangent_moment_{n}"] = mean(forms[n - 1] * u)
            named[f"normal_moment_{n}"] = sum(mean(forms[n - k] * z[k]) for k in z if k <= n)
        return named


def draw(case: Case, dim: int, codim: int, seed: int) -> Draw:
    """A random instance of a case."""
    random = torch.Generator().manual_seed(seed)

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=random, dtype=torch.float64)

    points, probability = normal(4, dim), torch.rand(4, generator=random, dtype=torch.float64) + 0.5
    probability /= probability.sum()
    if case.law == "drifting":
        points = points + 1
    if case.law == "centred":
        points = points - probability @ points
    if case.law == "symmetric":
        points, probability = torch.cat([points, -points]), torch.cat([probability, probability]) / 2
    points = points / points.norm(dim=1).max()
    second, third = normal(codim, dim, dim), normal(codim, dim, dim, dim)
    second = second + second.transpose(1, 2)
    orders = ((0, 1, 2, 3), (0, 1, 3, 2), (0, 2, 1, 3), (0, 2, 3, 1), (0, 3, 1, 2), (0, 3, 2, 1))
    third = torch.stack([third.permute(order) for order in orders]).sum(0)
    if case.minimal:  # E II(u, u) = 0 for these u
        moment = torch.einsum("n,ni,nj->ij", probability, points, points)
        traces = torch.einsum("aij,ij->a", second, moment) / moment.square().sum()
        second = second - traces[:, None, None] * moment
    second, third = second / max(second.norm(), SMALLEST), third / third.norm()
    layer = torch.nn.Linear(dim + codim, 3, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(normal(3, dim + codim))
        layer.bias.copy_(normal(3))
        if case.flat:
            layer.weight[:, :dim] = 0
    label = torch.softmax(layer.bias.detach() + (0 if case.stationary else normal(3)), 0)
    output, tangent, along = (torch.nn.functional.normalize(normal(size), dim=0) for size in (3, dim, codim))
    return Draw(MongePatch(second, third), points, probability, layer, label, (output, tangent, along))


@pytest.mark.parametrize(("dim", "codim"), [(1, 1), (2, 1), (2, 2), (3, 2)])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_random_clouds_follow_their_case(derivation, case: Case, dim: int, codim: int) -> None:
    """Predictions with remainders are the expansion to order t⁶: the terms left out are of order t⁷."""
    found = draw(case, dim, codim, seed=10 * dim + codim)
    moments = found.moments()
    left_out = []
    for radius in (0.01, 0.02):
        tangent, normal = found.gradient(found.patch.immersion(radius * found.points))
        for part, measured in (("tangent", tangent), ("normal", normal)):
            prediction = derivation.predictions[f"{case.name}-{part}"]
            leads, further = (law(radius=radius, **moments) for law in (prediction, prediction.remainder))
            left_out.append(abs(measured - leads - further))
            assert left_out[-1] <= 0.01 * max(abs(leads), abs(further))
        prediction = derivation.predictions[f"{case.name}-ratio"]
        leads, further = (law(radius=radius, **moments) for law in (prediction, prediction.remainder))
        assert abs(normal / tangent - leads - further) <= 0.01 * max(abs(leads), abs(further))
    for near, far in zip(left_out[:2], left_out[2:], strict=True):
        assert near <= far / 2**6 + ROUNDING


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
def test_tokens_stay_within_the_remainder(derivation, graph: Graph) -> None:
    """The gradient of one token, on geodesics of graphs; the loss does not matter."""
    prediction = derivation.predictions["per-token-ratio"]
    generator = torch.Generator().manual_seed(0)
    codim = graph.second_form.shape[0]
    layer = torch.nn.Linear(graph.dim + codim, 3, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(torch.randn(layer.weight.shape, generator=generator, dtype=torch.float64))
    for v in directions(graph.dim, 3):
        for scaled in (0.01, float(RANGE) / 2, float(RANGE)):
            radius = scaled / graph.bound
            token = torch.zeros(graph.dim + codim, dtype=torch.float64)
            token[0], token[-1] = graph.geodesic_parts(v, radius)  # the parts, turned onto two axes
            gradient = weight_gradient(layer, layer(token).pow(3).sum())
            measured = gradient[:, -1].norm() / gradient[:, 0].norm()
            values = {"radius": radius, "normal_curvature_sq": graph.normal_curvature_sq(v)}
            bound = prediction.bound(curvature_bound=graph.bound, **values)
            assert abs(measured.item() - prediction(**values)) <= bound + 1e-11


@pytest.mark.parametrize(("stationary", "exponents"), [(False, (2, 4)), (True, (4, 6))])
def test_energies_of_tokens(derivation, stationary: bool, exponents: tuple[int, int]) -> None:
    """Two powers smaller where δ(p) = 0."""
    names = ("stationary-token" if stationary else "token",) * 2
    chains = [f"{name}-{part}-energy" for name, part in zip(names, ("tangent", "normal"), strict=True)]
    assert [leading(derivation.chain(name), RADIUS).exponent for name in chains] == list(exponents)
    found = draw(Case("", "drifting", stationary=stationary), 2, 1, 0)
    energies = []
    for radius in (1e-3, 5e-4):
        output = found.layer(found.patch.immersion(radius * found.points[:1]))
        gradient = weight_gradient(found.layer, found.loss(output).sum())
        energies.append([gradient[:, :2].square().sum().item(), gradient[:, 2:].square().sum().item()])
    assert np.log2(np.array(energies[0]) / energies[1]) == pytest.approx(exponents, abs=0.05)


def parts_in(found: Draw, inputs) -> np.ndarray:
    """Exponents of the parts between two scales, for points given by the scale."""
    sizes = np.abs([found.gradient(inputs(radius)) for radius in (4e-3, 2e-3)])
    return np.log2(sizes[0] / sizes[1])


def test_normal_coordinates_count_as_graph_coordinates_and_others_do_not() -> None:
    """Symmetric in normal coordinates: the same exponents; in u + u², which has a tangent term in t²: others."""
    found = draw(Case("", "symmetric", flat=True), 1, 1, 3)
    point = torch.zeros(2, dtype=torch.float64)
    ambient = torch.nn.functional.pad(found.points, (0, 1))

    def geodesic(radius: float) -> torch.Tensor:
        return torch.cat(found.patch.displacement(point.expand(len(ambient), 2), radius * ambient), dim=-1)

    def skew(radius: float) -> torch.Tensor:
        u = radius * found.points
        return found.patch.immersion(u + u.square())

    assert parts_in(found, geodesic) == pytest.approx([4, 2], abs=0.05)
    assert parts_in(found, skew) == pytest.approx([2, 2], abs=0.05)


def test_untrained_layers_have_normal_mean_gradients() -> None:
    """At W = 0 and symmetric sampling the mean gradient is purely normal, at any scale: δ is constant."""
    found = draw(Case("", "symmetric"), 3, 2, 4)
    with torch.no_grad():
        found.layer.weight.zero_()
    tangent, normal = found.gradient(found.patch.immersion(0.3 * found.points))
    assert abs(tangent) <= ROUNDING
    assert abs(normal) > 1e6 * ROUNDING


def test_weights_gradient_keeps_the_base_term() -> None:
    """∂L/∂W = δ ξᵀ + δ pᵀ: off the origin the base term swamps both parts."""
    found = draw(Case("", "symmetric"), 2, 1, 5)
    base = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
    inputs = found.patch.immersion(1e-3 * found.points)
    total = found.weight_gradient(inputs + base)
    output = found.layer(inputs + base)
    (delta,) = torch.autograd.grad((found.probability * found.loss(output)).sum(), output)
    assert torch.allclose(total, delta.T @ inputs + delta.sum(0)[:, None] * base, rtol=0, atol=1e-15)
    assert (delta.T @ inputs).norm() < total.norm() / 100
