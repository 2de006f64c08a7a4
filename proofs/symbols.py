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
trace_form_component = sympy.Symbol("trace_form_component", real=True)
"""⟨G, Σ_a tr(h^a) h^a⟩ for a symmetric matrix G in the tangent space."""
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
other_frequency = sympy.Symbol("other_frequency", positive=True)
step_size = sympy.Symbol("step_size", positive=True)
restoring_rate = sympy.Symbol("restoring_rate", positive=True)
initial_variance = sympy.Symbol("initial_variance", nonnegative=True)
steps = sympy.Symbol("steps", positive=True)
occurrences = sympy.Symbol("occurrences", positive=True)
learning_rate = sympy.Symbol("learning_rate", positive=True)
second_moment_decay = sympy.Symbol("second_moment_decay", positive=True)
"""β₂ of Adam."""
normal_form_sq = sympy.Symbol("normal_form_sq", nonnegative=True)
"""tr(h^ν h^ν) for a unit normal vector ν."""
normal_form_trace = sympy.Symbol("normal_form_trace", real=True)
"""tr h^ν."""
target = sympy.Symbol("target", real=True)
"""c, where the map that a linear layer should learn is c on a subspace."""
weight = sympy.Symbol("weight", real=True)
time = sympy.Symbol("time", real=True)
"""τ, of gradient flow."""
tangent_rate = sympy.Symbol("tangent_rate", positive=True)
normal_rate = sympy.Symbol("normal_rate", positive=True)
depth = sympy.Symbol("depth", positive=True)
stretch = sympy.Symbol("stretch", positive=True)
tangent_trace = sympy.Symbol("tangent_trace", positive=True)
tangent_trace_of_square = sympy.Symbol("tangent_trace_of_square", positive=True)
normal_trace = sympy.Symbol("normal_trace", positive=True)
normal_trace_of_square = sympy.Symbol("normal_trace_of_square", positive=True)
epsilon = sympy.Symbol("epsilon", nonnegative=True)
input_norm_sq = sympy.Symbol("input_norm_sq", positive=True)
input_alignment = sympy.Symbol("input_alignment", real=True)
directional_gradient = sympy.Symbol("directional_gradient", real=True)
spherical_curvature_sq = sympy.Symbol("spherical_curvature_sq", nonnegative=True)
spherical_curvature_sq_mean = sympy.Symbol("spherical_curvature_sq_mean", nonnegative=True)
base_output_gradient = sympy.Symbol("base_output_gradient", real=True)
"""⟨c, δ(p)⟩, a component of the output gradient at the base point."""
direction_mean = sympy.Symbol("direction_mean", real=True)
"""E⟨e_T, u⟩ of a cloud ξ = t u + …; see `proofs.gradients.linear_gradient_expansion`."""
slope_covariance = sympy.Symbol("slope_covariance", real=True)
"""E[(Dδ u)⟨e_T, u⟩], the derivative of the output gradient times the covariance of u."""
bending_mean = sympy.Symbol("bending_mean", real=True)
"""E⟨e_N, II(u, u)⟩."""
slope_bending = sympy.Symbol("slope_bending", real=True)
"""E[(Dδ u)⟨e_N, II(u, u)⟩]."""
correlation = sympy.Symbol("correlation", real=True)
tangent_share = sympy.Symbol("tangent_share", nonnegative=True)
"""E[|P_T g|²/|g|²] of a gradient g; at most 1."""
curvature_sq_max = sympy.Symbol("curvature_sq_max", positive=True)
"""The largest 4|P_N ξ|²/(t²|ξ|²) of a cloud, t its largest radius."""
radius_max = sympy.Symbol("radius_max", positive=True)
vocabulary_size = sympy.Symbol("vocabulary_size", positive=True)
feature = sympy.Symbol("feature")
"""A coordinate of what the output layer takes, of either sign (so that SymPy writes √(h²), not |h|)."""
feature_mean = sympy.Symbol("feature_mean", real=True)
"""A coordinate of the mean over contexts of what the output layer takes."""
initial_centroid = sympy.Symbol("initial_centroid", real=True)
"""A coordinate of the mean of all embeddings, at the start."""
feature_norm_sq = sympy.Symbol("feature_norm_sq", positive=True)
log_frequency_mean = sympy.Symbol("log_frequency_mean", real=True)
"""The mean over the vocabulary of log f."""
target_embedding = sympy.Symbol("target_embedding", real=True)
variance = sympy.Symbol("variance", positive=True)
"""V = E t², of a token."""
kurtosis = sympy.Symbol("kurtosis", positive=True)
"""κ = E t⁴/(E t²)²."""
tangent_weight = sympy.Symbol("tangent_weight", real=True)
"""Of a linear layer, on a tangent coordinate."""
normal_weight = sympy.Symbol("normal_weight", real=True)
decay_rate = sympy.Symbol("decay_rate", positive=True)
"""ω of weight decay, whose loss is ½ω|x|²."""
start = sympy.Symbol("start", real=True)
centre = sympy.Symbol("centre", real=True)
point = sympy.Symbol("point", real=True)
"""Coordinates of an embedding at the start, of the centre that a loss draws it to, and of a point to measure from."""
