"""A command of Bugsieve that is killed while it makes a store, when SQLite has a journal there."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Any

from bugsieve.campaigns.store import schema
from bugsieve.cli import main


class DeadlySqlite:
    """The module, whose connections end the process."""

    def __getattr__(self, name: str) -> Any:
        return getattr(sqlite3, name)

    def connect(self, path: Path, **settings: Any) -> sqlite3.Connection:
        """A connection that looks for the journal at every instruction."""
        connection: sqlite3.Connection = sqlite3.connect(path, **settings)
        journal = Path(f"{path}-journal")

        def look() -> int:
            if journal.exists():
                os.kill(os.getpid(), signal.SIGKILL)
            return 0

        connection.set_progress_handler(look, 1)
        return connection


if __name__ == "__main__":
    setattr(schema, "sqlite3", DeadlySqlite())  # noqa: B010 (it is no name of theirs)
    sys.exit(main(sys.argv[1:]))
