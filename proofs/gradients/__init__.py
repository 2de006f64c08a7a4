"""Steps of the claims on gradients, and their counterexamples."""
