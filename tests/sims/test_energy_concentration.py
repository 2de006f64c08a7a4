import torch

from manifoldtheory.estimators import SecondMoment, TangentProxy
from sims.energy_concentration import jackknife_ratio, predicted_exponent, token_gradients


def test_gradients_of_tokens_are_outer_products(generator):
    """∂/∂W ½|Wx − y|² = (Wx − y) xᵀ, token by token."""
    weight, x, label = (torch.randn(*shape, generator=generator).double() for shape in ((2, 3), (5, 3), (5, 2)))
    output_gradient = x @ weight.T - label
    torch.testing.assert_close(token_gradients(weight, x, label), output_gradient[:, :, None] * x[:, None, :])


def test_the_jackknife_has_the_standard_error_of_a_ratio(generator):
    """64 repetitions: the mean jackknife variance against the variance of the ratio itself, to 4.5 errors."""
    proxy = TangentProxy(torch.eye(4, dtype=torch.float64)[:, :1])
    ratios, errors = [], []
    for _ in range(64):
        x = torch.randn(1600, 4, generator=generator, dtype=torch.float64)
        ratio, stderr = jackknife_ratio([SecondMoment(4).update(block) for block in x.chunk(16)], proxy)
        ratios.append(ratio)
        errors.append(stderr**2)
    measured, claimed = torch.tensor(ratios).var(), torch.tensor(errors)
    uncertainty = float((measured**2 * 2 / 63 + claimed.var() / 64).sqrt())
    assert abs(float(measured - claimed.mean())) < 4.5 * uncertainty
    assert abs(float(torch.tensor(ratios).mean()) - 1) < 4.5 * float(measured / 64) ** 0.5 + 1e-3


def test_the_exponent_comes_from_the_proof():
    assert predicted_exponent() == -2
