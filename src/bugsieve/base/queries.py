"""A limit on the steps of SQLite's queries, for files that were made to lead them in circles."""

from __future__ import annotations

import sqlite3
from itertools import repeat

_BETWEEN_LOOKS = 10_000


def limit_steps(connection: sqlite3.Connection, steps: int) -> None:
    """Let further queries of the connection take so many steps together; then they fail.

    SQLite drops every exception of a callback, so a Ctrl-C that Python notices there would be
    lost. Python notices signals only in functions written in Python; so this is not one.
    """
    left = repeat(0, steps // _BETWEEN_LOOKS)  # at its end it raises, which ends the query
    connection.set_progress_handler(left.__next__, _BETWEEN_LOOKS)
