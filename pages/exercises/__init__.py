"""Exercises: students write code in the page, and it runs in a sandbox."""

from pages.exercises.grading.report import Report, Shown, TestOutcome
from pages.exercises.runner.service import mode, run

__all__ = ["Report", "Shown", "TestOutcome", "mode", "run"]
