"""Exercises: students write code in the page, and it runs in a sandbox."""

from pages.exercises.grading.report import Outcome, Report
from pages.exercises.runner.service import mode
from pages.exercises.submission import run

__all__ = ["Outcome", "Report", "mode", "run"]
