"""The pytest plugin, in pytest runs of its own, and what importing it costs: nothing."""

import subprocess
import sys

import pytest

import manifoldtheory.testing

# Loaded before the runs in this process: what one of these imports first, it takes away again at its end.
assert manifoldtheory.testing.assert_scaling

pytest_plugins = "pytester"

HEAVY = {"torch", "numpy", "scipy", "hypothesis"}


WITHOUT_HYPOTHESIS = """
import sys, pytest

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name == "hypothesis":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Hidden())
sys.exit(pytest.main(sys.argv[1:]))
"""


def run(code: str, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_imports_cost_nothing() -> None:
    modules = "manifoldtheory.testing, manifoldtheory.testing.plugin, manifoldtheory.testing.inference"
    loaded = run(f"import sys, {modules}; print(*sys.modules)").split()
    assert not HEAVY & set(loaded)


def test_a_run_that_does_not_ask_for_it_loads_nothing(pytester: pytest.Pytester) -> None:
    path = pytester.makepyfile("import sys\n\ndef test_idle():\n    assert 'torch' not in sys.modules")
    run("import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))", str(path))


def test_the_fixture_works_where_hypothesis_is_missing(pytester: pytest.Pytester) -> None:
    path = pytester.makepyfile("def test_law(assert_scaling):\n    assert_scaling([1, 4, 9, 16], [1, 2, 3, 4], 2)")
    run(WITHOUT_HYPOTHESIS, str(path), "-p", "no:hypothesispytest")


def test_the_fixture_is_the_function_and_serves_property_tests(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from hypothesis import given, strategies as st
        import manifoldtheory.testing

        def test_same(assert_scaling):
            assert assert_scaling is manifoldtheory.testing.assert_scaling

        @given(exponent=st.integers(-3, 3))
        def test_property(assert_scaling, exponent):
            radii = [0.01, 0.02, 0.05, 0.1]
            assert_scaling([t**exponent for t in radii], radii, exponent)
        """
    )
    pytester.runpytest_inprocess().assert_outcomes(passed=2)


def test_a_failure_shows_the_fit_and_not_the_plumbing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_law(assert_scaling):
            radii = [0.1, 0.2, 0.4, 0.8]
            assert_scaling([3 * t**1.5 for t in radii], radii, 2)
        """
    )
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            ">*assert_scaling([[]3 * t[*][*]1.5 for t in radii[]], radii, 2)",
            "E*AssertionError: fitted exponent 1.5, 95 % interval [[]1.5, 1.5[]]; wanted 2",
            "E*value ≈ 3 · radius^1.5, 2 degrees of freedom",
            "E*no standard errors given: the interval is that of the scatter",
            "E*radius*value*local slope*residual",
            "E*0.1*0.09487*–*",
            "E*0.2*0.2683*1.5000*",
        ]
    )
    assert "scaling.py" not in result.stdout.str()
    assert "def assert_scaling" not in result.stdout.str()
