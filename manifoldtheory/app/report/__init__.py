"""The report: one self-contained page and its figures, made from the evidence of a run."""

from manifoldtheory.app.report.page import write_report

__all__ = ["write_report"]
