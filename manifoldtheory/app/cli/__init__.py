"""The command ``manifoldtheory``."""

from manifoldtheory.app.cli.commands import app, main

__all__ = ["app", "main"]
