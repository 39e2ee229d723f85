"""Formats of tables: for terminals, pages, papers and programs."""

from __future__ import annotations

from collections.abc import Callable

from bugsieve.basis import families
from bugsieve.basis.members import MemberTable
from bugsieve.reports.table import Table

FORMATS: MemberTable[Callable[[Table], str]] = MemberTable(families.FORMATS)

__all__ = ["FORMATS"]
