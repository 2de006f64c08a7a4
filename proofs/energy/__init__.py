"""Steps of the claims on energy and isotropy, and their counterexamples."""
