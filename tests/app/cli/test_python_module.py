"""Python modules of predictions: run with nothing but the standard library, and compared with the predictions."""

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import sympy

import proofs
from manifoldtheory.app.cli.python_module import WIDTH, FormulaGroup, identifier, python_module
from manifoldtheory.errors import InputError
from manifoldtheory.ledger import Prediction

CLAIMS = tuple(proofs.PROVIDER.claims())


def module_of(*groups: FormulaGroup) -> ModuleType:
    source = python_module(groups)
    module = ModuleType("predictions")
    exec(compile(source, "predictions.py", "exec"), module.__dict__)
    return module


def group_of(slug: str) -> FormulaGroup:
    claim = proofs.PROVIDER.claims()[slug]
    return FormulaGroup(slug, claim.title, claim.statements[-1].text, proofs.PROVIDER.predictions(slug))


@pytest.mark.parametrize("slug", CLAIMS)
def test_functions_are_the_predictions(slug: str) -> None:
    group = group_of(slug)
    module = module_of(group)
    generator = np.random.default_rng(0)
    for name, prediction in group.predictions.items():
        function = getattr(module, identifier(name))
        assert function.__doc__.startswith(f"{name} of {slug}")
        both = [(function, prediction, False)]
        if prediction.remainder is None:
            assert not hasattr(module, f"{identifier(name)}_remainder")
        else:
            both.append((getattr(module, f"{identifier(name)}_remainder"), prediction.remainder, True))
        for python, exact, size in both:
            values = dict(zip(exact.symbols, generator.uniform(0.1, 0.9, len(exact.symbols)).tolist(), strict=True))
            expected = exact(**values)
            found = python(**{identifier(symbol): value for symbol, value in values.items()})
            assert found == pytest.approx(abs(expected) if size else expected, rel=1e-9, abs=1e-12)


def test_a_module_of_several_claims_needs_only_the_standard_library(tmp_path: Path) -> None:
    path = tmp_path / "predictions.py"
    path.write_text(python_module([group_of(slug) for slug in ("early-peak", "isotropy-recovery")]))
    check = (
        "import predictions, sys; assert not {'sympy', 'numpy', 'manifoldtheory'} & set(sys.modules); "
        "print(predictions.early_peak_crossing_time(tangent_rate=2.0, normal_rate=1.0))"
    )
    run = subprocess.run([sys.executable, "-S", "-c", check], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert float(run.stdout) == pytest.approx(np.log(2))
    assert max(map(len, path.read_text().splitlines())) <= WIDTH


def test_names_that_are_no_identifiers() -> None:
    assert identifier("geodesic-polar") == "geodesic_polar"
    assert identifier("lambda") == "lambda_"
    assert identifier("2nd") == "_2nd"
    x, y = sympy.Symbol("lambda"), sympy.Symbol("x y")
    module = module_of(FormulaGroup("a", 'with """ in it \\', "t", {"1": Prediction("1", x * sympy.sqrt(y))}))
    assert module._1(lambda_=2.0, x_y=4.0) == 4.0
    clash = {"c": Prediction("c", sympy.Symbol("x-y") * sympy.Symbol("x_y"))}
    with pytest.raises(InputError, match="the same name"):
        python_module([FormulaGroup("a", "a", "a", clash)])
    unknown = {"u": Prediction("u", sympy.Function("mystery")(x))}
    with pytest.raises(InputError, match="can't be written in Python"):
        python_module([FormulaGroup("a", "a", "a", unknown)])


def test_constants_take_no_arguments() -> None:
    assert module_of(FormulaGroup("a", "a", "a", {"half": Prediction("half", sympy.Rational(1, 2))})).half() == 0.5
