"""All seeded bugs."""

from tests.seeded_bugs.bug import Bug
from tests.seeded_bugs.estimator_bugs import ESTIMATOR_BUGS
from tests.seeded_bugs.manifold_bugs import MANIFOLD_BUGS

BUGS: tuple[Bug, ...] = (*MANIFOLD_BUGS, *ESTIMATOR_BUGS)
