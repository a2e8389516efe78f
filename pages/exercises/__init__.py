"""Exercises: students write code in the page, and it runs in a sandbox.

All goes one way: what is asked, what runs a text (`sandbox`, `runner`), what is said of it (`grading`), `submission`.
"""

from pages.exercises.grading.report import Outcome, Report
from pages.exercises.runner.service import mode
from pages.exercises.submission import run

__all__ = ["Outcome", "Report", "mode", "run"]
