"""The SQLite file of a campaign: opening it, and what its errors mean to a user."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from bugsieve.base.commands import quoted_command
from bugsieve.base.errors import BugsieveError, InputError, UsageError
from bugsieve.base.files_and_processes.unlinked_folders import STORE_FILE as STORE_FILE
from bugsieve.base.files_and_processes.unlinked_folders import refuse_links
from bugsieve.base.queries import limit_steps
from bugsieve.campaigns.store.validation import Layout, foreign_entry

VERSION = 6
_STEPS, _STEPS_PER_BYTE = 2_000_000, 50
"""What a query may take of SQLite's steps: ours take a few for each byte of the file, and those
that take more are led in circles by a file that was made for that."""
_SMALLEST_LIMIT = 1_000_000
_MARK = bytes.fromhex("d9d505f920a163d7")
_APPLICATION = 0x42677356  # "BgsV": tells our files from other people's databases


def create_file(path: Path, tables: str) -> sqlite3.Connection:
    """A new store with empty tables."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.executescript(tables)
    except BaseException:
        connection.close()
        raise
    return connection


def companions(path: Path) -> tuple[Path, ...]:
    """The files that SQLite keeps beside a database while it is being written."""
    return tuple(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm", "-journal"))


def connect_writer(directory: Path, patience: float, layout: Layout) -> sqlite3.Connection:
    """The store, for the one process that runs the campaign."""
    connection = _connect(directory, "mode=rw")
    check_schema(connection, directory, layout)
    connection.execute(f"PRAGMA busy_timeout = {int(1000 * patience)}")
    # In WAL mode a commit survives the death of the process at once; only a power cut can take
    # back the last ones, and even then whole ones.
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def connect_reader(directory: Path) -> sqlite3.Connection:
    """The store, for reading only, as it is at this moment; it may be running meanwhile."""
    try:
        # A connection opened as read-only would leave its auxiliary files behind.
        connection = _connect(directory, "mode=rw")
    except sqlite3.OperationalError:
        # A folder that cannot be written has no place for the file readers share. That is no
        # obstacle if nobody writes: then everything is in the main file.
        wal = directory / f"{STORE_FILE}-wal"
        if wal.exists() and wal.stat().st_size:
            raise
        connection = _connect(directory, "mode=ro&immutable=1")
    connection.execute("PRAGMA query_only = ON")
    connection.execute("BEGIN")
    return connection


class Patience:
    """Ends queries of a connection that take longer than any of ours can on such a file."""

    def __init__(self, connection: sqlite3.Connection, directory: Path) -> None:
        size = sum(
            path.stat().st_size
            for path in (directory / STORE_FILE, directory / f"{STORE_FILE}-wal")
            if path.exists()
        )
        self._connection = connection
        self._steps = _STEPS + _STEPS_PER_BYTE * size
        self.renew()
        if sys.version_info >= (3, 11):
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(size, _SMALLEST_LIMIT))

    def renew(self) -> None:
        """A new query begins."""
        limit_steps(self._connection, self._steps)


def _connect(directory: Path, mode: str) -> sqlite3.Connection:
    path = directory / STORE_FILE
    if not path.is_file():
        raise InputError(_no_campaign(directory))
    for name in (path, *companions(path)):  # opening may write, also for readers
        _require_file(name)
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True)
    connection.isolation_level = None
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        _check_version(connection, path)
        check_schema(connection, directory, None)
    except BaseException:
        connection.close()
        raise
    return connection


def _require_file(path: Path) -> None:
    """InputError if SQLite would write through a link, wait for a pipe or delete other files.

    A journal that ends with SQLite's mark names one more file, which is deleted with it. That is
    for transactions on several databases at once, so ours never do.
    """
    refuse_links(path, itself=True)
    # One look, for what is there now: others who close the store delete its companions meanwhile.
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISREG(path.lstat().st_mode):
            raise InputError(f"{path}: is not a file, as SQLite makes them: remove it")
        if path.name.endswith("-journal") and _end_of(path, len(_MARK)) == _MARK:
            raise InputError(f"{path}: was not made by Bugsieve, it names another file: remove it")


def _end_of(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - size))
        return file.read(size)


def check_schema(connection: sqlite3.Connection, directory: Path, layout: Layout | None) -> None:
    """InputError unless the file has our tables and nothing else; see `foreign_entry`."""
    foreign = foreign_entry(connection, layout)
    if foreign is not None:
        raise damaged(directory, foreign)


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != _APPLICATION:
        raise InputError(f"{path}: is a database, but not the store of a campaign")
    if version < VERSION:
        raise InputError(
            f"{path}: was written by an earlier Bugsieve (store version {version}, this one "
            f"knows {VERSION}), which kept less: test the policy again in a new folder"
        )
    if version > VERSION:
        raise InputError(
            f"{path}: was written by a newer Bugsieve (store version {version}, this one knows "
            f"{VERSION}); install the newer one to open it"
        )


def _no_campaign(directory: Path) -> str:
    if not directory.exists():
        return f"{directory}: there is no such folder"
    if not directory.is_dir():
        return f"{directory}: is a file, give the folder of a campaign"
    return f"{directory}: is not the folder of a campaign, it holds no {STORE_FILE}"


def damaged(directory: Path, what: str) -> InputError:
    """The error for a store that holds what we would not have written."""
    return InputError(
        f"{directory / STORE_FILE}: is damaged ({what}); "
        f"{quoted_command('salvage', directory, '-o', 'NEW')} keeps what is whole"
    )


@contextlib.contextmanager
def understood(directory: Path) -> Iterator[None]:
    """Says that the store is damaged where values in it are missing or not what they must be.

    Only for code that reads values and does nothing else: mistakes of ours must not look so.
    """
    try:
        yield
    except (LookupError, TypeError, ValueError) as error:
        raise damaged(directory, f"{type(error).__name__}: {error}") from error


@contextlib.contextmanager
def explained(directory: Path) -> Iterator[None]:
    """Turns what SQLite and the operating system say about the folder into one clear sentence."""
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise  # our own mistakes
    except sqlite3.Error as error:
        raise _explanation(directory, str(error)) from error
    except UnicodeDecodeError as error:  # SQLite names a table of which only bytes are left
        raise damaged(directory, "a name in its schema is no text") from error
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        reason = "disk is full" if full else (error.strerror or str(error))
        raise _explanation(directory, reason) from error


def _explanation(directory: Path, reason: str) -> BugsieveError:
    kept = "nothing was stored"
    if os.path.exists(directory / STORE_FILE):
        kept = f"what was stored so far is kept; {quoted_command('resume', directory)} goes on"
    if "is full" in reason:
        return InputError(f"{directory}: the disk is full: make room ({kept})")
    if "disk I/O" in reason:  # also what a quota or a limit on the size of files looks like
        return InputError(f"{directory}: the disk is full or failing ({reason}): {kept}")
    if "locked" in reason:
        return UsageError(f"{directory}: another program has locked {STORE_FILE}: close it first")
    if "not a database" in reason:
        return InputError(f"{directory / STORE_FILE}: is damaged or no store at all ({reason})")
    if "malformed" in reason or "decode" in reason or "too big" in reason:
        return damaged(directory, reason)
    if "interrupted" in reason:
        return damaged(directory, "a query did not come to an end")
    if "readonly" in reason or "unable to open" in reason or "ermission denied" in reason:
        return InputError(f"{directory}: cannot be written ({reason}): check its permissions")
    return InputError(f"{directory}: cannot be read or written ({reason}); {kept}")
