"""Keeps two processes from running the same campaign or experiment; readers need no lock."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from bugsieve.base.errors import UsageError
from bugsieve.base.files_and_processes.unlinked_folders import refuse_links
from bugsieve.campaigns.store.schema import explained

LOCK_FILE = "campaign.lock"
EXPERIMENT_LOCK_FILE = "experiment.lock"


class FolderLock:
    """Held from its making until it is closed or the process ends, however it ends."""

    def __init__(
        self,
        directory: Path,
        name: str = LOCK_FILE,
        *,
        is_shared: bool = False,
        waits: bool = False,
    ) -> None:
        """UsageError if another process has it, unless it `waits`; shared ones get on together."""
        path = directory / name
        with explained(directory):
            refuse_links(path, itself=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
            self._file: int | None = os.open(path, flags, 0o666)
        try:
            how = fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX
            fcntl.flock(self._file, how if waits else how | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(self._file, 32).decode("ascii", errors="replace").strip()
            self.close()
            raise UsageError(
                f"{directory}: another process{f' ({holder})' if holder else ''} is running this "
                f"{path.stem}: wait until it ends, or stop it"
            ) from None
        except BaseException:
            self.close()
            raise
        with contextlib.suppress(OSError):  # a full disk: the lock holds, only unsigned
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def close(self) -> None:
        """Let others in; the file stays, because removing it would let two in at once."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
