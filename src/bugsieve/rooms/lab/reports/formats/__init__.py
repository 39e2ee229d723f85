"""Formats of tables: for terminals, pages, papers and programs."""

from __future__ import annotations

from collections.abc import Callable

from bugsieve.base.registry.families import FAMILIES
from bugsieve.base.registry.members import MemberTable
from bugsieve.reports.table import Table

FORMATS: MemberTable[Callable[[Table], str]] = MemberTable(FAMILIES["formats"])

__all__ = ["FORMATS"]
