"""Texts of the lesson that are no sentences of a step: beginnings, examples, and what its pictures and cards say."""

from typing import Any

from attention_core.data_files import read_table

TEXTS: dict[str, dict[str, Any]] = read_table(__file__)
