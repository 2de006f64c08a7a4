import pytest
import torch

from manifoldtheory.errors import InputError
from sims.catalogue import NAMES, subject


@pytest.mark.parametrize("name", NAMES)
def test_every_subject_has_its_base_point_on_it(name):
    found = subject(name, seed=5)
    assert float(found.manifold.distance_estimate(found.base_point)) < 1e-12
    again = subject(name, seed=5)
    assert torch.equal(found.base_point, again.base_point)
    form = found.manifold.second_fundamental_form(found.base_point)
    assert torch.equal(form, again.manifold.second_fundamental_form(again.base_point))
    other = subject(name, seed=6)
    form_elsewhere = other.manifold.second_fundamental_form(other.base_point)
    assert not torch.equal(form, form_elsewhere) or not torch.equal(found.base_point, other.base_point)


def test_dimensions():
    assert {name: (subject(name, seed=0).dim, subject(name, seed=0).ambient_dim) for name in NAMES} == {
        "S2": (2, 3),
        "S5": (5, 6),
        "torus": (2, 3),
        "ellipsoid": (2, 3),
        "cylinder": (2, 3),
        "monge-3-8": (3, 8),
        "monge-3-32": (3, 32),
    }


def test_names():
    with pytest.raises(InputError, match="unknown manifold 'donut': choose among S2, "):
        subject("donut", seed=0)
