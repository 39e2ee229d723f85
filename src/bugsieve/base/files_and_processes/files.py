"""Writing files so that a reader, or a crash, never meets half of one."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Mapping
from itertools import count
from pathlib import Path

from bugsieve.base.files_and_processes.unlinked_folders import is_inside, refuse_links

_NUMBERS = count()


def write_text(path: Path, text: str) -> None:
    """Replace the content of `path` by `text` (UTF-8, newlines as they are), in one step."""
    write_atomically(path, text.encode("utf-8"))


def write_atomically(path: Path, data: bytes) -> None:
    """Replace the content of `path` by `data`, in one step."""
    write_together({path: data})


def write_together(files: Mapping[Path, bytes]) -> None:
    """Replace several files; none is touched before the contents of all are on the disk.

    A link goes on to point to its file; what is not a file, such as a pipe, is written into.
    Inside a folder of ours both give way to the file: the folder may come from a stranger.
    """
    inside = {path for path in files if is_inside(path)}
    for path in inside:
        refuse_links(path)
    streams = {path for path in files if _is_stream(path) and path not in inside}
    for path in files:
        if path.is_dir() and not (path in inside and path.is_symlink()):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    replaced = {
        path if path in inside else _followed(path): data
        for path, data in files.items()
        if path not in streams
    }
    # The process id keeps processes apart, the number threads, and the rest machines that share
    # the disk; permissions follow the umask.
    machine = os.urandom(4).hex()
    parts = {
        path: path.with_name(f".{path.name}.{os.getpid()}.{next(_NUMBERS)}.{machine}.part")
        for path in replaced
    }
    try:
        for path, part in parts.items():
            with open(part, "xb") as file:
                file.write(replaced[path])
        # Files that cannot be replaced are written last, as this cannot be taken back.
        for path in streams:
            path.write_bytes(files[path])
        for path, part in parts.items():
            os.replace(part, path)
    except BaseException as error:
        for path, part in parts.items():
            if isinstance(error, OSError) and error.filename in (None, str(part)):
                error.filename = str(path)  # the other one is unknown, and writing names none
            with contextlib.suppress(OSError):
                part.unlink()
        raise


def _is_stream(path: Path) -> bool:
    return path.exists() and not path.is_file()


def _followed(path: Path) -> Path:
    return Path(os.path.realpath(path)) if path.is_symlink() else path
