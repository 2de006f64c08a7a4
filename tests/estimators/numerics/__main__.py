"""Prints docs/numerics.md."""

from tests.estimators.numerics import document

print(document(), end="")
