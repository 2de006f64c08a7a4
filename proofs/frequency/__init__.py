"""Steps of the claims on frequency, and their counterexamples."""
