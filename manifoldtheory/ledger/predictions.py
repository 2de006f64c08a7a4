"""Predictions: SymPy expressions in named symbols that simulations and observations evaluate.

A proof ends in predictions; nobody retypes their formulas.
"""

import math
import sys
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True)
class Prediction:
    """A predicted quantity and the term it leaves out.

    Called with keywords named after its symbols, floats or tensors (which broadcast), it returns a float or a tensor.
    `remainder` is the next-order term or a bound on what is left out, in symbols of its own: a prediction too, and
    ``None`` when the prediction is exact. A measurement agrees when ``|measured − predicted| ≤ z·stderr + remainder``.
    The `note` says in words what the formula is, and where it holds: of a remainder, whether it is a bound.
    """

    name: str
    expression: "sympy.Expr"
    remainder: "Prediction | None" = None
    note: str = ""

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """Names of the symbols, sorted; the keywords of a call."""
        return tuple(sorted(str(symbol) for symbol in self.expression.free_symbols))

    @cached_property
    def _function(self) -> Any:
        import sympy

        return sympy.lambdify(self.symbols, self.expression, modules=[_FUNCTIONS, "math"], cse=True)

    def __call__(self, **values: Any) -> Any:
        """Evaluates the expression. Keywords it has no symbol for are ignored; a missing one raises ``TypeError``."""
        missing = [name for name in self.symbols if name not in values]
        if missing:
            raise TypeError(f"prediction {self.name!r} needs {', '.join(self.symbols)}; missing {', '.join(missing)}")
        return self._function(*(values[name] for name in self.symbols))

    def bound(self, **values: Any) -> Any:
        """The remainder's absolute value at the given symbols; 0 for an exact prediction."""
        return 0.0 if self.remainder is None else abs(self.remainder(**values))

    def exponent(self, symbol: str) -> "sympy.Expr":
        """The power of `symbol` in the leading term as it falls to 0."""
        import sympy

        scale = sympy.Symbol(symbol, positive=True)
        positive = {free: sympy.Symbol(str(free), positive=True) for free in self.expression.free_symbols}
        expression = self.expression.xreplace(positive)
        slope = sympy.cancel(scale * sympy.diff(expression, scale) / expression)
        return sympy.cancel(sympy.limit(slope, scale, 0, "+"))

    def latex(self) -> str:
        """The expression in LaTeX, in the notation of the theory (`NOTATION`)."""
        import sympy

        from manifoldtheory.ledger.notation import symbol_latex

        names = {symbol: symbol_latex(str(symbol)) for symbol in self.expression.free_symbols}
        return sympy.latex(self.expression, symbol_names=cast("dict[sympy.Symbol, str]", names))

    def mathml(self) -> str:
        """The same as presentation MathML, a ``<math>`` element."""
        from manifoldtheory.ledger.notation import mathml

        return mathml(self.latex())


NEXT_TERMS = "the next terms, not a bound"
"""The note of a remainder that is no more than that."""

NOTATION = {
    "ambient_dim": "d",
    "base_coordinate": r"\langle y, p\rangle",
    "base_output_gradient": r"\delta_0",
    "base_query_coordinate": r"\langle y_q, p\rangle",
    "base_value": "u_0",
    "bend": r"\kappa",
    "bending_change": r"\langle h_{ww}, k_{www}\rangle",
    "bending_mean": r"E\langle e_N, II(u,u)\rangle",
    "bending_rate": "F'",
    "centre": r"\mu_i",
    "clean_normal": r"P_N\xi",
    "coefficient": "c",
    "coefficient_mean": r"\langle c\rangle",
    "coefficient_variance": r"\operatorname{Var}(c)",
    "correlation": r"\rho",
    "covariance_1_1": r"\operatorname{Cov}(v\xi_1, y\xi_1)",
    "covariance_1_2": r"\operatorname{Cov}(v\xi_1, y\xi_2)",
    "covariance_2_1": r"\operatorname{Cov}(v\xi_2, y\xi_1)",
    "covariance_2_2": r"\operatorname{Cov}(v\xi_2, y\xi_2)",
    "covariance_base": r"\operatorname{Cov}(v p, y p)",
    "covariance_gain": r"\operatorname{Cov}(v\xi_1, \gamma)",
    "covariance_gain_1": r"\operatorname{Cov}(v\xi_1, \gamma\, y\xi_1)",
    "covariance_gain_change": r"\operatorname{Cov}(v\xi_1, \gamma')",
    "curvature_bound": "K",
    "curvature_operator_1": r"\mathcal{R}_1",
    "curvature_sq_max": r"F_{\max}",
    "curvature_sq_mean": r"\langle F\rangle",
    "depth": "L",
    "decay_rate": r"\omega",
    "dim": "m",
    "direction_component": "G(w, w)",
    "direction_mean": r"E\langle e_T, u\rangle",
    "directional_gradient": r"\partial_u L",
    "epsilon": r"\epsilon",
    "feature": "h_i",
    "feature_mean": r"E[h_i]",
    "feature_norm_sq": "|h|^2",
    "fourth_share": "E[t^4]/E[t^2]",
    "frequency": "f",
    "gate_slope": r"E[\alpha(1 + e^s)^{-2}]",
    "higher_curvature_sq": "F_1",
    "holder_exponent": r"\alpha",
    "index_offset": r"\beta",
    "initial_acceleration": r"\gamma''(0)",
    "initial_centroid": r"\bar e_i",
    "initial_jerk": r"\gamma'''(0)",
    "initial_variance": "V_0",
    "input_alignment": r"\langle\delta, x\rangle",
    "input_norm_sq": r"|x|^2",
    "kurtosis": r"\kappa",
    "learning_rate": r"\eta_{\text{Adam}}",
    "log_frequency_mean": r"E[\log f]",
    "lower_curvature_sq": "F_2",
    "moved_velocity": r"\gamma^{\prime}_h",
    "major": "R",
    "minor": "r",
    "nearness": r"s^{\beta}",
    "negative_curvature": "k",
    "noise_variance": r"\sigma^2",
    "normal_acceleration": r"P_N\gamma^{\prime\prime}",
    "normal_curvature_sq": "F",
    "normal_form_sq": r"\operatorname{tr}(h^\nu h^\nu)",
    "normal_form_trace": r"\operatorname{tr}(h^\nu)",
    "normal_moment_3": r"\nu_3",
    "normal_moment_4": r"\nu_4",
    "normal_moment_5": r"\nu_5",
    "normal_moment_6": r"\nu_6",
    "normal_noise": r"\sigma",
    "normal_noise_vector": r"P_N\varepsilon",
    "normal_offset": "b",
    "normal_rate": r"\lambda_N",
    "normal_ratio": r"P_N\xi/s^2",
    "normal_trace": r"\operatorname{tr}(C_N)",
    "normal_trace_of_square": r"\operatorname{tr}(C_N^2)",
    "normal_velocity": r"P_N\gamma^{\prime}",
    "normal_weight": "w_N",
    "normaliser": "Z",
    "null_dim": "n",
    "null_weight": "z",
    "occurrences": "n_f",
    "offset_normal": "P_N e",
    "oscillation": r"\omega",
    "other_frequency": "f'",
    "output_rate": r"\langle g, b\rangle",
    "point": "c_i",
    "radius": "t",
    "radius_4_mean": r"E[t^4]",
    "radius_6_mean": r"E[t^6]",
    "radius_max": r"t_{\max}",
    "radius_sq_mean": r"E[t^2]",
    "rank": "k",
    "rate": r"\lambda",
    "removed_eigenvalue": "x",
    "removed_trace": r"\operatorname{tr}(B_Q)",
    "removed_trace_of_square": r"\operatorname{tr}(B_Q^2)",
    "restoring_rate": r"\lambda",
    "reversed_gamma_2": r"\bar\gamma^{\prime\prime}",
    "reversed_gamma_3": r"\bar\gamma^{\prime\prime\prime}",
    "ricci": r"\operatorname{Ric}",
    "ricci_rate": r"\operatorname{Ric}'",
    "score_gain": r"\gamma",
    "score_gain_0": r"\gamma_0",
    "score_gain_1": r"\gamma'",
    "second_form_sq": r"|h|^2",
    "second_moment_decay": r"\beta_2",
    "sense": r"\sigma",
    "semi_axis_1": "a_1",
    "semi_axis_2": "a_2",
    "semi_axis_3": "a_3",
    "set_coefficient": "c_A",
    "shape_change": r"\langle h_w, k_{ww}\rangle",
    "shape_sq": "S",
    "shift": "h",
    "shifted": r"\xi_e",
    "slope_bending": r"E[\delta_1\langle e_N, II(u,u)\rangle]",
    "slope_covariance": r"E[\delta_1\langle e_T, u\rangle]",
    "spherical_curvature_sq": "F_S",
    "spherical_curvature_sq_mean": r"\langle F_S\rangle",
    "sphere_radius": "r",
    "start": "x_0",
    "steepness": "w",
    "step_size": r"\eta",
    "steps": "n",
    "stretch": "g",
    "tangent_moment_2": r"\tau_2",
    "tangent_moment_3": r"\tau_3",
    "tangent_moment_4": r"\tau_4",
    "tangent_moment_5": r"\tau_5",
    "tangent_moment_6": r"\tau_6",
    "tangent_rate": r"\lambda_T",
    "tangent_share": "c^2",
    "tangent_trace": r"\operatorname{tr}(C_T)",
    "tangent_trace_of_square": r"\operatorname{tr}(C_T^2)",
    "tangent_weight": "w_T",
    "target": "c",
    "target_embedding": r"e_{y,i}",
    "tilt": r"\sin\theta",
    "time": r"\tau",
    "trace": r"\operatorname{tr}(B)",
    "trace_form_component": r"\langle G, {\textstyle\sum_a}\operatorname{tr}(h^a)\, h^a\rangle",
    "trace_form_sq": r"|mH|^2",
    "trace_of_square": r"\operatorname{tr}(B^2)",
    "turning": "II(w, v)",
    "variance": "V",
    "vocabulary_size": r"|\mathcal V|",
    "weight": "w",
}
"""LaTeX for the symbols of predictions; `manifoldtheory.ledger.notation` makes it from the name of any other."""


def _elementary(name: str) -> Any:
    def function(value: Any) -> Any:
        if "torch" in sys.modules:
            import torch

            if isinstance(value, torch.Tensor):
                return getattr(torch, name)(value)
        if "numpy" in sys.modules:
            import numpy as np

            if isinstance(value, np.ndarray):
                return getattr(np, _NUMPY_NAMES.get(name, name))(value)
        return getattr(math, name)(value)

    return function


_NUMPY_NAMES = {"asin": "arcsin"}
_FUNCTIONS = {name: _elementary(name) for name in ("sqrt", "exp", "log", "sin", "cos", "asin")}
