"""The pytest plugin: `assert_scaling` as a fixture.

pytest imports this module in every run of every environment that has manifoldtheory, so that it must cost nothing:
it imports pytest alone, and the rest when a test asks for the fixture.
"""

from typing import Any

import pytest


@pytest.fixture(scope="session")  # stateless; and Hypothesis rightly complains of function-scoped ones under @given
def assert_scaling() -> Any:
    """`manifoldtheory.testing.assert_scaling`: values follow a power law of the radii."""
    from manifoldtheory.testing.scaling import assert_scaling

    return assert_scaling
