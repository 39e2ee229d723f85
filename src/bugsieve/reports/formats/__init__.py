"""Formats of tables: for terminals, pages, papers and programs."""

from __future__ import annotations

from collections.abc import Callable

from bugsieve.reports.formats.data import csv_text, json_text
from bugsieve.reports.formats.latex import latex_text
from bugsieve.reports.formats.markdown import markdown_text
from bugsieve.reports.formats.plain import plain_text
from bugsieve.reports.table import Table

FORMATS: dict[str, Callable[[Table], str]] = {
    "text": plain_text,
    "csv": csv_text,
    "json": json_text,
    "latex": latex_text,
    "markdown": markdown_text,
}

__all__ = ["FORMATS"]
