"""Exercises: students write code in the page, and it runs in a sandbox."""

from pages.exercises.grading.report import Report, Shown, TestOutcome
from pages.exercises.runner.service import mode
from pages.exercises.submission import run

__all__ = ["Report", "Shown", "TestOutcome", "mode", "run"]
