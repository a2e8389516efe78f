"""Exercises: students write code in the page, and it runs where it can do no harm."""

from pages.exercises.grading.report import Report, Shown, TestOutcome
from pages.exercises.runner.service import mode, run

__all__ = ["Report", "Shown", "TestOutcome", "mode", "run"]
