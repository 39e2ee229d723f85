"""The command line: one file per command, imported only when that command is called."""

from __future__ import annotations

from bugsieve.cli.program import main

__all__ = ["main"]
