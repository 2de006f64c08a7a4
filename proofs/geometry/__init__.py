"""Steps of the claims on geometry, and their counterexamples."""
