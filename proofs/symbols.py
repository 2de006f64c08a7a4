"""The symbols that proofs share; their names are the keywords of predictions."""

import sympy

dim = sympy.Symbol("dim", positive=True)
ambient_dim = sympy.Symbol("ambient_dim", positive=True)
radius = sympy.Symbol("radius", positive=True)
normal_curvature_sq = sympy.Symbol("normal_curvature_sq", nonnegative=True)
shape_sq = sympy.Symbol("shape_sq", nonnegative=True)
ricci = sympy.Symbol("ricci", real=True)
"""Ric(v, v), the Ricci curvature in the direction v."""
second_form_sq = sympy.Symbol("second_form_sq", nonnegative=True)
trace_form_sq = sympy.Symbol("trace_form_sq", nonnegative=True)
curvature_bound = sympy.Symbol("curvature_bound", positive=True)
"""K, an inverse length; see `proofs.majorants` for what it bounds."""
coefficient = sympy.Symbol("coefficient", real=True)
coefficient_mean = sympy.Symbol("coefficient_mean", real=True)
coefficient_variance = sympy.Symbol("coefficient_variance", nonnegative=True)
radius_sq_mean = sympy.Symbol("radius_sq_mean", positive=True)
radius_4_mean = sympy.Symbol("radius_4_mean", positive=True)
radius_6_mean = sympy.Symbol("radius_6_mean", positive=True)
curvature_sq_mean = sympy.Symbol("curvature_sq_mean", nonnegative=True)
noise_variance = sympy.Symbol("noise_variance", nonnegative=True)
trace = sympy.Symbol("trace", real=True)
trace_of_square = sympy.Symbol("trace_of_square", nonnegative=True)
null_dim = sympy.Symbol("null_dim", positive=True)
rank = sympy.Symbol("rank", positive=True)
removed_eigenvalue = sympy.Symbol("removed_eigenvalue", nonnegative=True)
removed_trace = sympy.Symbol("removed_trace", real=True)
removed_trace_of_square = sympy.Symbol("removed_trace_of_square", nonnegative=True)
frequency = sympy.Symbol("frequency", positive=True)
"""f, the probability that a token occurs in a step; at most 1."""
step_size = sympy.Symbol("step_size", positive=True)
restoring_rate = sympy.Symbol("restoring_rate", positive=True)
initial_variance = sympy.Symbol("initial_variance", nonnegative=True)
steps = sympy.Symbol("steps", positive=True)
occurrences = sympy.Symbol("occurrences", positive=True)
learning_rate = sympy.Symbol("learning_rate", positive=True)
second_moment_decay = sympy.Symbol("second_moment_decay", positive=True)
"""β₂ of Adam."""
